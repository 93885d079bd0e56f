package ask

import (
	"fmt"
	"regexp"
	"strings"

	"agentlore/lore"
)

// maxMeanings is how many problems an answer names at most where the text has a name that several programs print.
const maxMeanings = 6

// solanaID is the id of a Solana program or account.
var solanaID = regexp.MustCompile(`^[1-9A-HJ-NP-Za-km-z]{32,44}$`)

// when says what must be there for a candidate to be meant, where the text names it by what several programs print.
func (j Judged) when() string {
	if !j.Ambiguous || len(j.Context) == 0 {
		return ""
	}
	return "it is " + lore.CutAtWord(strings.Join(j.Context, ", "), maxApplies)
}

// ambiguity says in words that a name is shared, and what to look for.
func (j Judged) ambiguity() string {
	told := fmt.Sprintf("several programs print %q, and the text names none of them: see when", lore.CutAtWord(j.Name, maxName))
	for _, word := range j.Context {
		if solanaID.MatchString(word) {
			return told + `; look for the id in the line "Program … failed" above it`
		}
	}
	return told
}

// meanings returns how many candidates the text names by what several programs print.
func meanings(judged []Judged) (count int) {
	for _, j := range judged {
		if j.Ambiguous {
			count++
		}
	}
	return min(count, maxMeanings)
}
