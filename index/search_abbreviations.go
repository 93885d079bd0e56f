package index

import (
	"slices"
	"strconv"
	"strings"
)

// Some things of the field are called by their initials as often as by their name, and by few in both ways at once. Who
// asks for the one means the other too. Only initials that hardly stand for anything else are here: of the labelled
// questions that say "cross-site scripting" every fifth has its answer in a text that says XSS alone.

// abbreviation is a thing with two names.
type abbreviation struct {
	short   string
	long    string // its words, in small letters
	telling string // the one of them that says most
}

var abbreviations = []abbreviation{
	{"amm", "automated market maker", "automated"},
	{"csrf", "cross site request forgery", "forgery"},
	{"dos", "denial of service", "denial"},
	{"eoa", "externally owned account", "externally"},
	{"lp", "liquidity provider", "provider"},
	{"ltv", "loan to value", "loan"},
	{"mev", "maximal extractable value", "extractable"},
	{"mitm", "man in the middle", "middle"},
	{"rce", "remote code execution", "execution"},
	{"redos", "regular expression denial of service", "regular"},
	{"sqli", "sql injection", "sql"},
	{"ssrf", "server side request forgery", "forgery"},
	{"toctou", "time of check time of use", "check"},
	{"tvl", "total value locked", "locked"},
	{"twap", "time weighted average price", "weighted"},
	{"uaf", "use after free", "free"},
	{"xss", "cross site scripting", "scripting"},
	{"xxe", "xml external entity", "entity"},
}

const (
	// maxTwoNames is how many things of q are looked for by both names, each once: a phrase costs more than its words.
	maxTwoNames = 3
	// shortWeight is what initials count beside the words that were typed: they are one word instead of several.
	shortWeight = 2.0
	// longWeight is what the words count, side by side, beside initials that were typed.
	longWeight = 0.5
)

// twoNames is a place in q where a thing with two names is called by one of them.
type twoNames struct {
	abbreviation
	words []queryWord // as typed
}

// typedShort reports whether the initials were typed.
func (t twoNames) typedShort() bool { return len(t.words) == 1 }

// has reports whether a word of q is part of the name.
func (t twoNames) has(word queryWord) bool {
	return word.start >= t.words[0].start && word.end <= t.words[len(t.words)-1].end
}

// readTwoNames finds the things with two names in q; of two that begin at the same word, the longer name.
func readTwoNames(words []queryWord) (named []twoNames) {
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = strings.ToLower(word.text)
	}
	for i := 0; i < len(words); i++ {
		longest := twoNames{}
		for _, thing := range abbreviations {
			length := 1
			if texts[i] != thing.short {
				if length = strings.Count(thing.long, " ") + 1; i+length > len(texts) || strings.Join(texts[i:i+length], " ") != thing.long {
					continue
				}
			}
			if length > len(longest.words) {
				longest = twoNames{thing, words[i : i+length]}
			}
		}
		again := func(other twoNames) bool { return other.short == longest.short }
		if len(longest.words) > 0 && len(named) < maxTwoNames && !slices.ContainsFunc(named, again) {
			named = append(named, longest)
			i += len(longest.words) - 1
		}
	}
	return named
}

// twoNamesOf returns the thing with two names that a word of q is part of.
func (s search) twoNamesOf(word queryWord) (twoNames, bool) {
	for _, thing := range s.twoNames {
		if thing.has(word) {
			return thing, true
		}
	}
	return twoNames{}, false
}

// twoNamesClauses builds one clause for each thing with two names: the name that a text says best counts.
func (s search) twoNamesClauses() []any {
	var clauses []any
	for i, thing := range s.twoNames {
		kind := layerKeyword + "." + thing.short + strconv.Itoa(i) // explanations count the best of a kind
		var typed []string
		for _, word := range thing.words {
			if !word.stop {
				typed = append(typed, word.text)
			}
		}
		either := []any{matchWords("text", strings.Join(typed, " "), 1, s.name(kind, 0))}
		if thing.typedShort() {
			long := matchWords("text", thing.long, longWeight, s.name(kind, 1))
			either = append(either, map[string]any{"match_phrase": long["match"]})
		} else {
			either = append(either, matchWords("text", thing.short, shortWeight, s.name(kind, 1)))
		}
		clauses = append(clauses, map[string]any{"dis_max": map[string]any{"queries": either}})
	}
	return clauses
}
