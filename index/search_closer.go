package index

import (
	"cmp"
	"slices"
)

// What puts the first results in order. Elasticsearch finds them cheaply, by one field; here its best are looked at more
// closely, by their signatures. In Elasticsearch the same took two thirds of a search's time: a rescoring query looks up
// each word in each segment again, whatever its window. docs/search.md says how the weights were found.
const (
	// closerWindow is how many of the first results are put in order. Those behind them keep order and score, and nothing
	// here takes score away: pages by offset neither repeat nor skip at the edge. Of sixty nDCG@10 is the same, for an eighth
	// more of a search's time; of thirty it is 0.003 less on web3-dups.
	closerWindow = 40
	// summaryWeight rewards words of the one line that says what an item is about.
	summaryWeight = 0.177
	// rootWeight is for a word that is not there, when another of the same root is.
	rootWeight = 0.555
	// coverageWeight rewards the share of q that is there: two of two words count more than two of five.
	coverageWeight = 0.435
	// focusWeight rewards a summary that says little else than q.
	focusWeight = 0.214
	// pairWeight rewards two words of q that stand side by side at the text's beginning too.
	pairWeight = 0.8
	// openingWeight rewards a text that speaks of the words of q from the beginning.
	openingWeight = 0.56
	// openingHalf is the place, in terms, at which a word that comes first there counts half as much for that.
	openingHalf = 6.0
	// closerPartWeight is what the parts of an identifier count here, against 1 of a word: they found the result, and say
	// less of which of the found is the best than the words around them.
	closerPartWeight = 0.6
	focusSmoothing   = 2.0    // words added to a summary's length, so that one of a single word isn't all focus
	uncountedShare   = 0.0005 // of the documents that are taken to have a word whose number of documents is not known
	leastUncountedDF = 10
)

// closeness is what the closer look adds to a result's score, by its reasons.
type closeness struct {
	summary, roots, coverage, focus, pairs, opening float64
}

// total weighs the reasons.
func (c closeness) total() float64 {
	return summaryWeight*c.summary + rootWeight*c.roots + coverageWeight*c.coverage + focusWeight*c.focus +
		pairWeight*c.pairs + openingWeight*c.opening
}

// parts returns what each reason adds, by its name in explanations.
func (c closeness) parts() map[string]float64 {
	return map[string]float64{
		"summary": summaryWeight * c.summary, "roots": rootWeight * c.roots, "coverage": coverageWeight * c.coverage,
		"focus": focusWeight * c.focus, "pairs": pairWeight * c.pairs, "opening": openingWeight * c.opening,
	}
}

// lookCloser compares the words of q with the signatures of results.
func lookCloser(words []soughtWord, signatures []signature) []closeness {
	seen := make([]closeness, len(signatures))
	if len(words) == 0 {
		return seen
	}
	whole := 0.0
	for _, word := range words {
		whole += word.best().weight
	}
	looking, opening := newLooking(words), newOpening(words)
	for i, signature := range signatures {
		look := &seen[i]
		there, inSummary := 0.0, 0.0
		found, summaryLength := looking.in(signature)
		for _, one := range found {
			there += one.weight
			if one.summary > 0 {
				look.summary += one.weight
			}
			look.roots += max(0, one.rootWeight-one.weight)
			inSummary += one.summary
		}
		look.opening, look.pairs = opening.in(signature)
		look.coverage = there * there / whole
		look.focus = whole * inSummary / (summaryLength + focusSmoothing)
	}
	return seen
}

// sighting is how a word of q stands in a text: the weights are those of the best of what it may stand for.
type sighting struct {
	weight, summary, rootWeight float64
}

// looking looks for words in one signature after the other. Of a signature's terms hardly any has the root of a word of q:
// a table of the roots tells in one step.
type looking struct {
	words []soughtWord
	roots [1 << rootBits / 64]uint64
	found []sighting
}

func newLooking(words []soughtWord) *looking {
	l := &looking{words: words, found: make([]sighting, len(words))}
	for _, word := range words {
		for _, term := range word {
			root := term.hash >> restBits
			l.roots[root/64] |= 1 << (root % 64)
		}
	}
	return l
}

// in returns how each word stands in a signature, until the next call, and how many words its summary has.
func (l *looking) in(signature signature) (found []sighting, summaryLength float64) {
	clear(l.found)
	summaryWords := 0
	signature.each(func(hash uint32, _, summary int) {
		summaryWords += summary
		root := hash >> restBits
		if l.roots[root/64]>>(root%64)&1 == 0 {
			return
		}
		for i, word := range l.words {
			l.found[i].see(word, hash, float64(summary))
		}
	})
	return l.found, float64(summaryWords)
}

// see takes a term of a text into account.
func (s *sighting) see(word soughtWord, hash uint32, summary float64) {
	for _, term := range word {
		sameRoot := hash>>restBits == term.hash>>restBits
		if hash == term.hash || sameRoot && term.root == rootIsAll {
			s.weight = max(s.weight, term.weight)
			s.summary = max(s.summary, summary)
		}
		if sameRoot && term.root == rootCounts {
			s.rootWeight = max(s.rootWeight, term.weight)
		}
	}
}

// best returns the term that weighs most.
func (w soughtWord) best() soughtTerm {
	return slices.MaxFunc(w, func(a, b soughtTerm) int { return cmp.Compare(a.weight, b.weight) })
}
