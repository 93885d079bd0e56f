package ask

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"agentlore/lore"
	"agentlore/terms"
)

// Candidate is a problem that may be the one that was asked about.
type Candidate struct {
	lore.SearchHit
	// Name is the name of its own by which the text names it, and NameWeight how much that tells (see reference.Match); "" and 0: none.
	Name       string
	NameWeight int
}

// Corpus says how rare words are.
type Corpus struct {
	Frequencies map[string]int64 // documents that have a word, in lower case
	Documents   int64
	// Corrected is the text with its misspelt words corrected; empty: none was.
	Corrected string
}

// Features are what speaks for a candidate, each 0..1 but for Name.
type Features struct {
	Name     float64 // what its name in the text tells, 0..1
	Coverage float64 // the share of the telling words that it has
	Title    float64 // the share that its title and names have
	Entity   float64 // 1: both name the same standard, selector, package
	Score    float64 // of search, of the best one's
	Fix      float64 // 1: it says what to do
	Stranger float64 // 1: the message has an identifier that no document knows
	Unknown  float64 // the share of the message's words that no document knows
}

// weights are those of the features, fitted to asks whose answers are known (scripts/asks): the sum goes through the logistic function.
var weights = struct {
	bias, name, coverage, title, entity, score, fix, stranger, unknown float64
}{bias: -4.2, name: 3.5, coverage: 2.5, title: 2.0, entity: 0.8, score: 1.2, fix: 0.6, stranger: -1.5, unknown: -1.0}

// chance is how likely a candidate with these features is the problem that was asked about.
func (f Features) chance() float64 {
	w := weights
	sum := w.bias + w.name*f.Name + w.coverage*f.Coverage + w.title*f.Title + w.entity*f.Entity + w.score*f.Score + w.fix*f.Fix +
		w.stranger*f.Stranger + w.unknown*f.Unknown
	return 1 / (1 + math.Exp(-sum))
}

// From these chances on a problem is known, or similar.
const (
	knownFrom   = 0.5
	similarFrom = 0.2
)

// Judged is a candidate with what speaks for it.
type Judged struct {
	Candidate
	Features
	Chance float64
}

// Judge puts candidates in order, likeliest first, and says whether the first is known. It depends on nothing else: the same
// candidates give the same judgement.
func Judge(q Question, corpus Corpus, candidates []Candidate) (Verdict, []Judged) {
	words := tellingWords(q, corpus)
	top := 1.0
	for _, c := range candidates {
		top = max(top, c.Score)
	}
	judged := make([]Judged, len(candidates))
	for i, c := range candidates {
		f := words.features(c)
		f.Score = c.Score / top
		for _, entity := range q.Entities {
			if slices.Contains(c.Entities, entity) {
				f.Entity = 1
			}
		}
		judged[i] = Judged{c, f, f.chance()}
	}
	slices.SortStableFunc(judged, func(a, b Judged) int { return cmp.Compare(b.Chance, a.Chance) })
	switch {
	case len(judged) == 0 || judged[0].Chance < similarFrom:
		return Unknown, judged
	case judged[0].Chance < knownFrom:
		return Similar, judged
	}
	return Known, judged
}

// Why says in words what a judgement rests on.
func (j Judged) Why() []string {
	why := []string{fmt.Sprintf("it has %.0f %% of the telling words", 100*j.Coverage)}
	if j.NameWeight > 0 {
		why = slices.Insert(why, 0, fmt.Sprintf("the text has its name %q", j.Candidate.Name))
	}
	if j.Entity > 0 {
		why = append(why, "both name the same standard, code or package")
	}
	if j.Stranger > 0 {
		why = append(why, "the text has an identifier that nothing stored knows")
	}
	return why
}

// question is the telling words of a question.
type question struct {
	words    []tellingWord
	weight   float64 // of all
	stranger bool
	unknown  float64
}

// tellingWord is a word of the messages that says something.
type tellingWord struct {
	stem   string
	weight float64
}

const (
	// tellingMost is how many of the rarest words count: beyond, a long text's are by chance.
	tellingMost = 16
	// correctedShare is of the documents that are taken to have a word that was misspelt.
	correctedShare = 0.005
	// fullName is what a name must tell to leave no doubt.
	fullName = 6
)

// tellingWords returns the rarest words of the question's messages. One that no document has, and that is no misspelling, tells nothing
// of a candidate.
func tellingWords(q Question, corpus Corpus) question {
	var found question
	seen := map[string]bool{}
	unknown, all := 0, 0
	corrected := strings.ToLower(corpus.Corrected)
	count := func(text string, misspelt bool) {
		lower := strings.ToLower(text)
		stem := terms.Stem(lower)
		if seen[stem] || terms.IsStop(lower) || terms.IsNumber(text) || terms.IsEncoded(text) || len(lower) < 2 {
			return
		}
		seen[stem] = true
		documents := float64(corpus.Frequencies[lower])
		if misspelt {
			documents = correctedShare * float64(corpus.Documents)
		}
		all++
		if documents == 0 {
			if corrected == "" || strings.Contains(corrected, lower) { // else it was corrected
				unknown++
				found.stranger = found.stranger || isCode(text)
			}
			return
		}
		total := float64(max(corpus.Documents, 1))
		found.words = append(found.words, tellingWord{stem, math.Log(1 + (total-documents+0.5)/(documents+0.5))})
	}
	for _, message := range q.Messages {
		for _, text := range terms.Words(message) {
			count(text, false)
		}
	}
	for _, text := range terms.Words(corpus.Corrected) {
		count(text, true)
	}
	slices.SortStableFunc(found.words, func(a, b tellingWord) int { return cmp.Compare(b.weight, a.weight) })
	found.words = found.words[:min(len(found.words), tellingMost)]
	for _, word := range found.words {
		found.weight += word.weight
	}
	if all > 0 {
		found.unknown = float64(unknown) / float64(all)
	}
	return found
}

// isCode reports whether only programs write a word: it has digits among letters, underscores or capitals inside.
func isCode(word string) bool {
	letter, other := false, false
	for i, r := range word {
		letter = letter || unicode.IsLetter(r)
		other = other || r == '_' || unicode.IsDigit(r) || i > 0 && unicode.IsUpper(r)
	}
	return letter && other
}

// features returns what a candidate's words say.
func (q question) features(c Candidate) (f Features) {
	title := stemsOf(append([]string{c.Summary}, c.Names...)...)
	all := stemsOf(c.Summary, c.Content, c.Resolution, c.Applies, strings.Join(c.Names, " "), strings.Join(c.Tags, " "), strings.Join(c.Ecosystem, " "))
	for _, word := range q.words {
		if all[word.stem] {
			f.Coverage += word.weight / q.weight
		}
		if title[word.stem] {
			f.Title += word.weight / q.weight
		}
	}
	f.Name = float64(min(c.NameWeight, fullName)) / fullName
	if c.Resolution != "" {
		f.Fix = 1
	}
	if q.stranger {
		f.Stranger = 1
	}
	f.Unknown = q.unknown
	return f
}

// stemsOf returns the stems of texts' words, and of the parts of identifiers.
func stemsOf(texts ...string) map[string]bool {
	stems := map[string]bool{}
	for _, text := range texts {
		for _, word := range terms.Words(text) {
			stems[terms.Stem(strings.ToLower(word))] = true
			for _, part := range terms.Parts(word) {
				stems[terms.Stem(strings.ToLower(part))] = true
			}
		}
	}
	return stems
}
