package ask

import (
	"fmt"
	"slices"
	"strings"

	"agentlore/lore"
)

// maxChoices is how many things an answer names among which the asker is to look.
const maxChoices = 3

// lookUp returns the one thing to find out that decides between candidates, the best first; "" where nothing simple does.
func lookUp(candidates []Judged) string {
	if len(candidates) < 2 {
		return ""
	}
	best := candidates[0]
	if best.Ambiguous {
		if slices.ContainsFunc(best.Context, solanaID.MatchString) {
			return `the program id in the line "Program … failed" above the error`
		}
		return choose("which program printed it", candidates, func(j Judged) string { return strings.Join(j.Context[:min(len(j.Context), 2)], " or ") })
	}
	if best.Name != "" && !best.Wraps { // it is similar for another reason, such as that one reader alone has seen it
		return ""
	}
	if best.Wraps {
		return "the error that this one passes on: the line below it, behind \"Caused by\", or in its data"
	}
	if text := choose("which program printed it, and its version", candidates, func(j Judged) string { return program(j.Applies) }); text != "" {
		return text
	}
	if text := choose("which of these stands in the log", candidates, message); text != "" {
		return text
	}
	return choose("on which chain it happens", candidates, func(j Judged) string { return strings.Join(j.Ecosystem, " or ") })
}

// choose asks which of the candidates' values holds; "" where two have the same one, or the first has none.
func choose(what string, candidates []Judged, value func(Judged) string) string {
	var values []string
	for _, j := range candidates[:min(len(candidates), maxChoices)] {
		if v := value(j); v != "" {
			if slices.Contains(values, v) {
				return ""
			}
			values = append(values, v)
		} else if len(values) == 0 {
			return ""
		}
	}
	if len(values) < 2 {
		return ""
	}
	return fmt.Sprintf("%s: %s", what, strings.Join(values, "; "))
}

// program returns the programs that something applies to, without their versions: of "geth >=1.10, reth; chains with blobs" geth, reth.
func program(applies string) string {
	programs, _, _ := strings.Cut(applies, ";")
	var names []string
	for part := range strings.SplitSeq(programs, ",") {
		words := strings.Fields(part)
		if end := slices.IndexFunc(words, func(word string) bool { return strings.ContainsAny(word[:1], "<>=") }); end >= 0 {
			words = words[:end]
		}
		names = append(names, strings.Join(words, " "))
	}
	return lore.CutAtWord(strings.Join(names, ", "), maxApplies)
}

// message returns a text that a program prints for the candidate, quoted.
func message(j Judged) string {
	for _, name := range j.Names {
		if len(strings.Fields(name)) > 1 {
			return fmt.Sprintf("%q", lore.CutAtWord(name, maxApplies))
		}
	}
	return ""
}
