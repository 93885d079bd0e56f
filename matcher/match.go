// Package matcher finds which stored knowledge a text names, by the names that programs print and the words around
// them, and of which kind of problem a title is. It does no I/O: it is made of units of knowledge, and made anew when
// these change.
package matcher

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"agentlore/lore"
	"agentlore/terms"
)

// Match is a unit of knowledge that a text names.
type Match struct {
	Unit *lore.KnowledgeUnit
	Name string // as the unit has it
	// Start and End are where the name stands in the text, in bytes.
	Start, End int
	// Weight says how much the name tells: an identifier or a code counts 3, a word 1, a stop word 0. From 3 on it is
	// hardly there by chance.
	Weight int
	// Ambiguous says that several programs print the name, and that nothing in the text tells which: see
	// lore.KnowledgeUnit.Shared.
	Ambiguous bool
}

// Matcher finds the units that a text names. It is safe for concurrent use.
type Matcher struct {
	units []lore.KnowledgeUnit
	names map[string][]template // by their first word, folded
}

// template is a name to be found: words, and places where others stand.
type template struct {
	unit   int
	name   string
	words  []string // folded; "" for a part that varies
	exact  string   // the one word of a short code, whose case counts
	weight int
	shared bool // it means the unit only in its context
	varies bool // a part of it does
	// compares are the signs < and > of the name: "maxFeePerGas ({n}) < maxPriorityFeePerGas ({n})" is no line of code that has both fields.
	compares []string
}

// variable is a part of a name that varies, with the letters that are written to it: no text has those of "v{version}" or "{n}s" as a word.
var variable = regexp.MustCompile(`[\pL\pN_]*\{([a-z_]+)\}[\pL\pN_]*`)

// trailingVariables are the parts at the end of a name that vary: they are no part of what is found.
var trailingVariables = regexp.MustCompile(`(?:[^\pL\pN{}]*\{[a-z_]+\}[^\pL\pN{}]*)+$`)

// comparisons are the signs of names that a text must have too, as text, JSON and HTML write them.
var comparisons = map[string]*regexp.Regexp{"<": regexp.MustCompile(`<|\\u003[cC]|&lt;`), ">": regexp.MustCompile(`>|\\u003[eE]|&gt;`)}

// wrapped are the variable parts in which another program's error stands: what it names tells more than its wrapper.
var wrapped = []string{"error", "err", "reason", "message", "msg", "details", "detail", "cause", "inner", "revert_reason"}

// maxWrapper is the most that the name of a wrapper tells.
const maxWrapper = 2

// maxVariable is how many words a part that varies may have: an address, an amount with its unit, a short list.
const maxVariable = 8

// wholeMessage is what a name of several words, none of which varies, tells that is a whole message, as in "Caused
// by: java.io.IOException: already known".
const wholeMessage = 3

// shortCode is up to which length a word by itself is a name only in its own case, as TF and LOK are.
const shortCode = 5

// signedCode is from which length on a negative number is a code.
const signedCode = 6

// New returns a matcher of units, of which it reads names, shared, asked, context and wraps. It keeps the units.
func New(units []lore.KnowledgeUnit) *Matcher {
	m := &Matcher{units: units, names: map[string][]template{}}
	begun := map[string][]template{} // the first sentences of names, by their keys
	for i, unit := range units {
		for _, name := range slices.Concat(unit.Names, unit.Asked) {
			t := newTemplate(i, name)
			begun[t.key()] = append(begun[t.key()], template{}) // a name is no other one's beginning
			m.add(t)
			if first := firstSentence(name); first != "" && t.weight >= enoughOfName { // a wrapper tells less
				t := newTemplate(i, first)
				if t.name = name; t.weight >= enoughOfName {
					begun[t.key()] = append(begun[t.key()], t)
				}
			}
		}
		for _, name := range unit.Shared {
			t := newTemplate(i, name)
			t.shared = true
			m.add(t)
		}
	}
	for _, first := range begun {
		if len(first) == 1 && len(first[0].words) > 0 {
			m.add(first[0])
		}
	}
	return m
}

// enoughOfName is what the first sentence of a name must tell to stand for it: pastes are cut.
const enoughOfName = 5

// sentenceEnd ends a sentence of a message.
var sentenceEnd = regexp.MustCompile(`[.;!?]\s|\n`)

// firstSentence returns the first sentence of a name that has several; "" of others.
func firstSentence(name string) string {
	if end := sentenceEnd.FindStringIndex(name); end != nil {
		return name[:end[0]]
	}
	return ""
}

func (m *Matcher) add(t template) {
	if len(t.words) == 0 {
		return
	}
	if m.units[t.unit].Wraps {
		t.weight = min(t.weight, maxWrapper)
	}
	m.names[t.words[0]] = append(m.names[t.words[0]], t)
}

// newTemplate returns a name to be found. Of an error's signature only the error's name is one: values stand in place
// of its types.
func newTemplate(unit int, name string) template {
	t := template{unit: unit, name: name}
	text := name
	if open := strings.IndexByte(name, '('); open > 0 && strings.HasSuffix(name, ")") && isIdentifier(name[:open]) {
		text = name[:open]
	}
	for i, part := range variable.Split(text, -1) {
		if i > 0 && len(t.words) > 0 {
			t.words = append(t.words, "")
		}
		for _, word := range wordsOf(part) {
			t.words = append(t.words, word.folded)
			t.weight += weightOf(part[word.start:word.end])
			t.exact = part[word.start:word.end]
		}
	}
	for _, part := range variable.FindAllStringSubmatch(text, -1) {
		if slices.Contains(wrapped, part[1]) {
			t.weight = min(t.weight, maxWrapper)
		}
	}
	t.varies = variable.MatchString(text)
	for sign := range comparisons {
		if strings.Contains(trailingVariables.ReplaceAllString(text, ""), " "+sign+" ") {
			t.compares = append(t.compares, sign)
		}
	}
	for len(t.words) > 0 && t.words[len(t.words)-1] == "" {
		t.words = t.words[:len(t.words)-1]
	}
	if len(t.words) != 1 || len(t.words[0]) > shortCode {
		t.exact = ""
	}
	return t
}

// NameKey returns what of a name a text must have: names with one key are found in the same texts, as
// SignatureExpired() and SignatureExpired(uint256) are.
func NameKey(name string) string { return newTemplate(0, name).key() }

func (t template) key() string { return strings.Join(append(t.words, t.exact), " ") }

// weightOf says how much a word of a name tells.
func weightOf(word string) int {
	switch {
	case isIdentifier(word):
		return 3
	case len(word) >= signedCode && word[0] == '-': // of JSON-RPC
		return 2
	case terms.IsStop(strings.ToLower(word)):
		return 0
	}
	return 1
}

// isIdentifier reports whether a word is one that only programs write: with digits among letters, underscores or
// capitals inside.
func isIdentifier(word string) bool {
	letters, others := false, false
	for i, r := range word {
		switch {
		case r == '_' || unicode.IsDigit(r) || i > 0 && unicode.IsUpper(r):
			others = true
		case unicode.IsLetter(r):
			letters = true
		default:
			return false
		}
	}
	return others && (letters || strings.ToUpper(word) == word && len(word) > 1 && !terms.IsNumber(word))
}

// token is a word of a text.
type token struct {
	start, end int
	folded     string
}

// wordsOf splits a text into words. A sign belongs to its number: codes differ by it.
func wordsOf(text string) (words []token) {
	for at, word := range terms.Words(text) {
		end := at + len(word)
		if at > 0 && text[at-1] == '-' && terms.IsNumber(word) && (at == 1 || strings.IndexByte(" :=([\"'", text[at-2]) >= 0) {
			at--
		}
		words = append(words, token{at, end, strings.ToLower(text[at:end])})
	}
	return words
}

// Find returns the units that a text names, those whose names tell most first; each once. Of units that share a name
// only those are returned whose context is around it; where none is, all are, as ambiguous.
func (m *Matcher) Find(text string, around Surroundings) []Match {
	words := wordsOf(text)
	best := map[int]Match{}
	sharing := map[int][]int{} // the units that share the name that begins at a place of the text
	for at := range words {
		for _, t := range m.names[words[at].folded] {
			end, found := t.match(words[at:])
			if !found || t.exact != "" && text[words[at].start:words[at].end] != t.exact {
				continue
			}
			if said := text[words[at].start:words[at+end-1].end]; slices.ContainsFunc(t.compares, func(sign string) bool { return !comparisons[sign].MatchString(said) }) {
				continue
			}
			unit, says := &m.units[t.unit], meant
			if t.shared {
				says = around.means(unit)
				sharing[words[at].start] = append(sharing[words[at].start], t.unit)
			}
			match := Match{Unit: unit, Name: t.name, Start: words[at].start, End: words[at+end-1].end, Weight: t.weight, Ambiguous: says == open}
			if end > 1 && !unit.Wraps && !t.varies && alone(text, match.Start, match.End) {
				match.Weight = max(match.Weight, wholeMessage)
			}
			if held, there := best[t.unit]; says != excluded && (!there || match.before(held)) {
				best[t.unit] = match
			}
		}
	}
	matches := make([]Match, 0, len(best))
	for _, match := range best {
		decided := slices.ContainsFunc(sharing[match.Start], func(unit int) bool {
			other, there := best[unit]
			return there && !other.Ambiguous
		})
		if !match.Ambiguous || !decided {
			matches = append(matches, match)
		}
	}
	slices.SortFunc(matches, func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(b.End-b.Start, a.End-a.Start), cmp.Compare(a.Start, b.Start), cmp.Compare(a.Unit.ID, b.Unit.ID))
	})
	return matches
}

// Named returns the ids of the units of which the whole text is a name, alone or among others that print it too.
func (m *Matcher) Named(text string) (ids []string) {
	text = strings.TrimSpace(text)
	for _, match := range m.Find(text, Surroundings{Text: text}) {
		if match.Start == 0 && match.End == len(text) {
			ids = append(ids, match.Unit.ID)
		}
	}
	return ids
}

// alone reports whether a part of a text is a message by itself: it begins a line, or follows a colon, a semicolon or
// a quote, and ends a line, or a quote follows.
func alone(text string, start, end int) bool {
	before := strings.TrimRight(text[:start], " \t")
	after := strings.TrimLeft(strings.TrimLeft(text[end:], ".!"), " \t\r")
	return (before == "" || strings.ContainsRune("\n:;\"'`", rune(before[len(before)-1]))) && (after == "" || strings.ContainsRune("\n\"'`", rune(after[0])))
}

// before reports whether a match tells more of its unit than another one.
func (m Match) before(other Match) bool {
	if m.Ambiguous != other.Ambiguous {
		return other.Ambiguous
	}
	return m.Weight > other.Weight
}

// match reports whether words begin with the name, and how many it takes.
func (t template) match(words []token) (length int, found bool) {
	at := 0
	for i := 0; i < len(t.words); i++ {
		if t.words[i] != "" {
			if at >= len(words) || words[at].folded != t.words[i] {
				return 0, false
			}
			at++
			continue
		}
		rest := template{words: t.words[i+1:]}
		for skip := 0; skip <= maxVariable && at+skip < len(words); skip++ {
			if more, found := rest.match(words[at+skip:]); found {
				return at + skip + more, true
			}
		}
		return 0, false
	}
	return at, true
}
