package search

import (
	_ "embed"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"agentlore/embed"
	"agentlore/index"
	"agentlore/lore"
	"agentlore/terms"
)

// query is one search on its way through the five stages: parse, correct, find, rank, render.
type query struct {
	lore.SearchQuery
	now       time.Time   // in steps of an hour, so that pages read one after the other agree on trust
	binding   string      // of a search by time: what its cursors are bound to
	terms     []queryTerm // what q is searched by
	words     []string    // of them, each once, those whose documents are counted
	corrected []string    // of these, those that are corrected where they must be
	acronyms  []*acronym  // what of q has two names
	entities  []string    // what q names exactly

	// What correct learns of the corpus.
	unknown   []string // words that it was asked for
	known     map[string]wordStats
	documents int64 // in all
	countedAt time.Time

	// withoutFlagged says that Elasticsearch leaves out what agentlore itself flagged, flagged how many such hits were left out here.
	withoutFlagged bool
	flagged        int
	crowds         []string // sources whose reports Elasticsearch leaves out

	semantic lore.LayerState
	vector   embed.Vector // nil: words alone find
	model    string       // that made it
}

// queryTerm is a word of q, or a part of one, that q is searched by.
type queryTerm struct {
	text       string // as typed, without the punctuation around it
	start, end int    // its place in q, in bytes
	exact      bool   // an address, a number with letters and the like: found as it is or not at all
	word       string // the form under which the words field of the index holds it; "" where it can't be counted or corrected there
	weight     float64
	acronym    *acronym // that it is part of; nil: none
}

// An identifier, such as latestRoundData, foo_bar or Pool.sol, counts by its parts, which stand for its subject and are found in
// prose as well, and less as a whole.
const (
	partWeight  = 1.25
	wholeWeight = 0.25
)

// identifier reports whether the term is an identifier whose parts are terms of their own.
func (t queryTerm) identifier() bool { return t.weight == wholeWeight }

// maxTerms is how many terms q is searched by: 512 characters hold a path of a hundred parts, or 512 signs of a script without
// spaces. Nearly all titles of real observations make fewer; a stack trace makes 54, of which the first say most.
const maxTerms = 28

// parse takes a search apart.
func parse(asked lore.SearchQuery, now time.Time) *query {
	asked.Newest = asked.Newest || asked.Text == ""
	asked.ByProblem = asked.ByProblem && !asked.Newest && asked.Offset < rerankWindow
	q := &query{SearchQuery: asked, now: now.UTC().Truncate(time.Hour), entities: lore.Entities(asked.Text), known: map[string]wordStats{}}
	// A page that begins at an offset would slip if flagged items were left out later: see find.
	q.withoutFlagged = !q.reranks() && q.Cursor == "" && q.Offset > 0 && q.Filter.Status != lore.StatusFlagged
	text := strings.Join(strings.Fields(q.Text), " ")
	words := readWords(text)
	q.acronyms = findAcronyms(words)
	room := maxTerms
	for _, word := range words {
		if terms.IsStop(strings.ToLower(word.text)) {
			continue
		}
		var parts []queryTerm
		if word.acronym == nil {
			parts = partsOf(word)
		}
		if len(parts) > 0 {
			word.word, word.weight = "", wholeWeight
		}
		for _, term := range slices.Insert(parts, 0, word) {
			if term, cost := term.within(room); cost > 0 {
				q.terms = append(q.terms, term)
				room -= cost
			}
		}
	}
	if len(q.terms) == 0 && text != "" { // nothing but stop words, or no words at all
		if len(words) > maxTerms {
			text = text[:words[maxTerms-1].end]
		}
		q.terms = []queryTerm{{text: text, weight: 1}}
	}
	for _, term := range q.terms {
		if term.word != "" && len(q.words) < maxCounted && !slices.Contains(q.words, term.word) {
			q.words = append(q.words, term.word)
		}
	}
	q.corrected = longestWords(q.words)
	return q
}

// bindingOf returns what the cursors of a search by time are bound to; "" for a search by relevance, which has none.
func bindingOf(asked lore.SearchQuery) string {
	if !asked.Newest && asked.Text != "" {
		return ""
	}
	return index.BindingOf("search", asked.Text, asked.Types, asked.Filter.Writable(), true)
}

// within returns the beginning of a term that the index's analyzer makes at most so many terms of, and of how many. An
// identifier is not cut: its parts say as much.
func (t queryTerm) within(room int) (queryTerm, int) {
	cost := 1 + strings.Count(t.text, "::") // where the analyzer splits, too
	if strings.ContainsFunc(t.text, standsAlone) {
		cost = utf8.RuneCountInString(t.text)
	}
	switch {
	case cost <= room:
		return t, cost
	case t.identifier():
		return t, 0
	}
	t.text = string([]rune(t.text)[:room])
	t.end = t.start + len(t.text)
	return t, room
}

// readWords returns the words of a text whose words are one space apart, stop words too.
func readWords(text string) []queryTerm {
	var words []queryTerm
	at := 0
	for field := range strings.SplitSeq(text, " ") {
		exact := isEntity(field)
		for start, word := range terms.JoinedWords(field) {
			words = append(words, newTerm(word, at+start, exact || terms.IsEncoded(word), 1))
		}
		at += len(field) + 1
	}
	return words
}

func newTerm(text string, start int, exact bool, weight float64) queryTerm {
	term := queryTerm{text: text, start: start, end: start + len(text), exact: exact, weight: weight}
	if lower := strings.ToLower(text); !exact && countable(lower) && !terms.IsStop(lower) {
		term.word = lower
	}
	return term
}

// isEntity reports whether a text, but for the punctuation around it, is one thing that is found exactly.
func isEntity(text string) bool {
	found := lore.Entities(text)
	return len(found) == 1 && len(found[0])+4 >= len(text) || lore.IsAssetID(text)
}

// countable reports whether the words field holds a text as one word: small ASCII letters and digits, two at least.
func countable(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return len(text) > 1
}

// partsOf returns the parts of an identifier that stand for its subject, none for another word. Like the index's analyzer it
// splits at what joins words, and where a capital follows a small letter. Single characters and numbers say nothing by themselves.
func partsOf(word queryTerm) (parts []queryTerm) {
	possessive := strings.Count(word.text, "'") == 1 && !strings.ContainsAny(word.text, "_.:")
	if possessive || terms.IsEncoded(word.text) || terms.IsNumber(word.text) {
		return nil
	}
	type span struct{ start, end int }
	var spans []span
	for start, part := range terms.Parts(word.text) {
		last := len(spans) - 1
		if last >= 0 && spans[last].end == start {
			before, _ := utf8.DecodeLastRuneInString(word.text[:start])
			first, _ := utf8.DecodeRuneInString(part)
			if !unicode.IsLower(before) || !unicode.IsUpper(first) {
				spans[last].end += len(part)
				continue
			}
		}
		spans = append(spans, span{start, start + len(part)})
	}
	if len(spans) == 1 && spans[0] == (span{0, len(word.text)}) {
		return nil
	}
	for _, s := range spans {
		part := newTerm(word.text[s.start:s.end], word.start+s.start, word.exact, partWeight)
		if utf8.RuneCountInString(part.text) > 1 && !terms.IsNumber(part.text) && !terms.IsStop(strings.ToLower(part.text)) {
			parts = append(parts, part)
		}
	}
	return parts
}

// standsAlone reports whether a character is a word by itself to the index: Chinese and Japanese are written without
// spaces, and the index's tokenizer takes them character by character.
func standsAlone(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana) }

//go:embed acronyms.txt
var acronymsFile string

// acronym is a thing of q that has two names: initials and the words they stand for.
type acronym struct {
	short, long string
	phrase      string // long without stop words
	telling     string // the word of long that says most
	typed       string // the words of q that name it, without stop words
	typedShort  bool   // q has the initials
}

var acronyms = func() (all []acronym) {
	for line := range strings.Lines(acronymsFile) {
		if words := strings.Fields(line); words[0] != "#" {
			marked := slices.IndexFunc(words, func(word string) bool { return word[0] == '*' })
			words[marked] = words[marked][1:]
			all = append(all, acronym{
				short: words[0], long: strings.Join(words[1:], " "), phrase: withoutStopWords(words[1:]), telling: words[marked],
			})
		}
	}
	return all
}()

func withoutStopWords(words []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(words), func(word string) bool { return terms.IsStop(strings.ToLower(word)) }), " ")
}

const (
	// maxAcronyms is how many acronyms of q are searched for by both names: a phrase costs more than its words.
	maxAcronyms = 2
	// shortWeight is what initials count beside the words that were typed: they are one word instead of several.
	shortWeight = 2.0
	// longWeight is what the words count, side by side, beside initials that were typed.
	longWeight = 0.5
	// phraseSlop is how many stop words stand between those words at most: a phrase with them takes reading each place of "of" and "in".
	phraseSlop = 2
)

// findAcronyms returns the acronyms among the words of q, each once, and notes them at their words. Where one stands within another,
// the first in the file counts.
func findAcronyms(words []queryTerm) (found []*acronym) {
	var texts []string
	for _, word := range words {
		texts = append(texts, word.text)
	}
	text := " " + strings.ToLower(strings.Join(texts, " ")) + " "
	for _, a := range acronyms {
		for _, name := range []string{a.long, a.short} {
			at := strings.Index(text, " "+name+" ")
			if at < 0 || len(found) == maxAcronyms {
				continue
			}
			first := strings.Count(text[:at], " ")
			last := first + strings.Count(name, " ")
			if words[first].acronym == nil && words[last].acronym == nil {
				a.typed, a.typedShort = withoutStopWords(texts[first:last+1]), name == a.short
				for i := first; i <= last; i++ {
					words[i].acronym = &a
				}
				found = append(found, &a)
				break
			}
		}
	}
	return found
}

// otherName returns the word that stands for the acronym where q has its other name.
func (a *acronym) otherName() string {
	if a.typedShort {
		return a.telling
	}
	return a.short
}
