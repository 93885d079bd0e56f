package search

import (
	"math"
	"time"

	"agentlore/terms"
)

// Weights of the features by which results are reranked, chosen by random steps on labelled questions, for a sum over five collections.
const (
	// summaryFeature rewards words of the one line that says what an item is about.
	summaryFeature = 0.177
	// rootFeature is for a word that is not there, when another of the same root is.
	rootFeature = 0.555
	// coverageFeature rewards the share of q that is there: two of two words count more than two of five.
	coverageFeature = 0.435
	// focusFeature rewards a summary that says little else than q. focusSmoothing is added to its length in words, so that one of a
	// single word isn't all focus.
	focusFeature   = 0.214
	focusSmoothing = 2.0
	// pairFeature rewards two words of q that stand side by side at the text's beginning too.
	pairFeature = 0.8
	// openingFeature rewards a text that speaks of the words of q from the beginning: openingHalf is the place, in terms, at which a
	// word that comes first there counts half as much.
	openingFeature = 0.56
	openingHalf    = 6.0
	// semanticFeature is what the nearest in meaning gets, in scores of what words found best. Of three folds over four collections each
	// two choose it, of 0.1 to 0.7.
	semanticFeature = 0.4
)

// rankFeatures is what a text's signature says of q, each feature times its weight.
type rankFeatures struct {
	summary, roots, coverage, focus, pairs, opening, semantic float64
}

// total is what they add to the score; it is never below 0.
func (f rankFeatures) total() float64 {
	return f.summary + f.roots + f.coverage + f.focus + f.pairs + f.opening + f.semantic
}

// parts returns the features by their names in explanations.
func (f rankFeatures) parts() map[string]float64 {
	return map[string]float64{
		"summary": f.summary, "roots": f.roots, "coverage": f.coverage, "focus": f.focus, "pairs": f.pairs, "opening": f.opening,
	}
}

// matcher compares the words of q with one signature after the other.
type matcher struct {
	words         []rankWord
	weight        float64 // of all words
	roots, firsts hashSet // of the terms of all words, to pass over the rest quickly
	matches       []termMatch
	before, here  []float64 // of each word: what it weighs at the place before among the first terms, and at the present one
}

// termMatch is how a word of q stands in a text: the weights are those of the best of what it may stand for.
type termMatch struct {
	weight, rootWeight float64
	inSummary          int
	opens              bool    // it is among the first terms
	pair               float64 // what it and the next word of q weigh side by side there
}

// hashSet is a set of hashes of 16 bits.
type hashSet [1 << 16 / 64]uint64

func (s *hashSet) add(hash uint16)      { s[hash/64] |= 1 << (hash % 64) }
func (s *hashSet) has(hash uint16) bool { return s[hash/64]>>(hash%64)&1 != 0 }

func newMatcher(words []rankWord) *matcher {
	n := len(words)
	m := &matcher{words: words, matches: make([]termMatch, n), before: make([]float64, n), here: make([]float64, n)}
	for _, word := range words {
		m.weight += word.weight()
		for _, term := range word {
			m.roots.add(term.hash.Root())
			if term.root != rootSuffices { // the hash of a root is no term's
				m.firsts.add(term.hash.First())
			}
		}
	}
	return m
}

// features returns what a signature says of q.
func (m *matcher) features(signature terms.Signature) (f rankFeatures) {
	if len(m.words) == 0 {
		return f
	}
	clear(m.matches)
	summaryLength := 0
	signature.Each(func(hash terms.Hash, _, inSummary int) {
		summaryLength += inSummary
		if !m.roots.has(hash.Root()) {
			return
		}
		for i := range m.words {
			m.matches[i].see(m.words[i], hash, inSummary)
		}
	})
	f.opening = openingFeature * m.opening(signature)
	there, inSummary := 0.0, 0
	for _, match := range m.matches {
		there += match.weight
		if match.inSummary > 0 {
			f.summary += summaryFeature * match.weight
		}
		f.roots += rootFeature * max(0, match.rootWeight-match.weight)
		f.pairs += pairFeature * match.pair
		inSummary += match.inSummary
	}
	f.coverage = coverageFeature * there * there / m.weight
	f.focus = focusFeature * m.weight * float64(inSummary) / (float64(summaryLength) + focusSmoothing)
	return f
}

// see takes a term of a text into account.
func (m *termMatch) see(word rankWord, hash terms.Hash, inSummary int) {
	for _, term := range word {
		sameRoot := hash.Root() == term.hash.Root()
		if hash == term.hash || sameRoot && term.root == rootSuffices {
			m.weight = max(m.weight, term.weight)
			m.inSummary = max(m.inSummary, inSummary)
		}
		if sameRoot && term.root == rootHelps {
			m.rootWeight = max(m.rootWeight, term.weight)
		}
	}
}

// opening returns how early a text speaks of the words of q: the weight of each, less the later it comes first. It notes which
// words that stand side by side in q do so there, with the weight of the lighter one.
func (m *matcher) opening(signature terms.Signature) (early float64) {
	clear(m.before)
	follows := false // something of q stands at the place before
	signature.EachFirst(func(place int, first uint16) {
		if !m.firsts.has(first) {
			follows = false
			return
		}
		for i, word := range m.words {
			m.here[i] = 0
			for _, term := range word {
				if term.hash.First() == first && term.root != rootSuffices {
					m.here[i] = max(m.here[i], term.weight)
				}
			}
			if m.here[i] == 0 {
				continue
			}
			if !m.matches[i].opens {
				m.matches[i].opens = true
				early += m.here[i] / (1 + float64(place)/openingHalf)
			}
			if follows && i > 0 {
				m.matches[i-1].pair = max(m.matches[i-1].pair, min(m.before[i-1], m.here[i]))
			}
		}
		m.before, m.here = m.here, m.before
		follows = true
	})
	return early
}

// What trust adds at most, each as a factor above 1. Their product stays below trustMax. They are set by hand and not
// learned, for no labelled data has tiers: each alone can lift a result over one that fits a little better, and all
// together over none that fits twice as well. Where trust says nothing of which result answers, these cost nDCG@10 0.0005,
// and twice as much trust 0.007.
const (
	confidenceTrust = 0.125 // of a knowledge unit with confidence 1
	outcomeTrust    = 0.125 // when all of very many reports say that it worked
	ageTrust        = 0.15  // of what was stored or confirmed right now
	trustMax        = 2.0
)

// tierTrust is the factor of each tier, from 0, which means none. Tier 2 adds nothing: newcomers can give it to each other, and what
// they say must move no result.
var tierTrust = [...]float64{1, 1, 1, 1.15, 1.25}

// trust is how far a result is trusted: factors of 1 and above.
type trust struct{ tier, confidence, outcomes, age float64 }

// trustOf returns a result's trust.
func trustOf(document *searchDocument, now time.Time) trust {
	t := trust{tierTrust[max(0, min(int(document.Tier), len(tierTrust)-1))], 1, 1, 1}
	if document.Confidence != nil {
		t.confidence = 1 + confidenceTrust**document.Confidence
	}
	if reports := document.Outcomes; reports != nil {
		worked := float64(reports.Worked)
		t.outcomes = 1 + outcomeTrust*worked/(worked+float64(reports.Failed)+2*float64(reports.Unsafe)+2)
	}
	if !document.CreatedAt.IsZero() {
		seen := document.CreatedAt
		if confirmed := document.LastConfirmedAt; confirmed != nil && confirmed.After(seen) {
			seen = *confirmed
		}
		age := max(0, now.Sub(seen))
		t.age = 1 + ageTrust*math.Exp2(-float64(age)/float64(document.Category.HalfLife()))
	}
	return t
}

// factor returns the product, at most trustMax. It is multiplied in one order: to the last bit the same for equal items,
// so that pages by offset, each a search of its own, agree on their order.
func (t trust) factor() float64 { return math.Min(trustMax, t.tier*t.confidence*t.outcomes*t.age) }

// parts returns the factors by their names in explanations.
func (t trust) parts() map[string]float64 {
	return map[string]float64{"tier": t.tier, "confidence": t.confidence, "outcomes": t.outcomes, "age": t.age}
}
