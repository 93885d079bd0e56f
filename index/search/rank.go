package search

import (
	"cmp"
	"slices"

	"agentlore/terms"
)

// rank puts the first hits in order: by what their signatures say of q, by how far they are trusted, and by what is like the best of them;
// what judges called invalid comes last. Elasticsearch finds them cheaply, by one field; a rescoring query there took two thirds of a
// search's time. Where q names something exactly, what has it comes first, however unlike the rest it is.
func (q *query) rank(hits []*searchHit) {
	window := hits[:min(len(hits), q.window())]
	m := newMatcher(q.rankWords())
	for _, hit := range window {
		hit.reranked, hit.features = true, m.features(hit.signature)
	}
	if q.vector != nil {
		q.scoreNearness(window)
	}
	for _, hit := range window {
		hit.Score = (hit.Score + hit.features.total()) * trustOf(&hit.Document, q.now).factor()
	}
	byScore := func(a, b *searchHit) int { return cmp.Compare(b.Score, a.Score) }
	slices.SortStableFunc(window, byScore)
	if len(q.entities) == 0 {
		boostNeighbours(window)
		slices.SortStableFunc(window, byScore)
	}
	validFirst(window)
}

const (
	// rankPartWeight is what the parts of an identifier count here, against 1 of a word: they found the result, and say
	// less of which of the found is the best than the words around them. At 1 nDCG@10 of cve is 0.005 less, at 0.6 that of web3-dups 0.002.
	rankPartWeight = 0.7
	// uncountedShare is of the documents that are taken to have a word whose number of documents isn't known, minUncounted their number.
	uncountedShare = 0.0005
	minUncounted   = 10
)

// rankWord is a word of q, as the terms of signatures that it may stand for.
type rankWord []rankTerm

// rankTerm is a term that a word of q may stand for.
type rankTerm struct {
	hash     terms.Hash
	cutShort bool // a text's term that shares the root alone is worth as much, and not a little
	weight   float64
}

// weight returns the weight of the term that weighs most.
func (w rankWord) weight() (most float64) {
	for _, term := range w {
		most = max(most, term.weight)
	}
	return most
}

// rankWords returns the words of q, each once however often q repeats it.
func (q *query) rankWords() []rankWord {
	var words []rankWord
	for _, term := range q.terms {
		if term.identifier() { // signatures have its parts
			continue
		}
		word := q.rankWord(term)
		if len(word) == 0 {
			continue
		}
		same := func(other rankWord) bool { return other[0].hash == word[0].hash }
		if i := slices.IndexFunc(words, same); i < 0 {
			words = append(words, word)
		} else if words[i].weight() < word.weight() {
			words[i] = word
		}
	}
	return words
}

// rankWord returns what a term of q may stand for: itself or its other spellings, and its acronym's other name.
func (q *query) rankWord(term queryTerm) (word rankWord) {
	weight := term.weight
	if weight == partWeight {
		weight = rankPartWeight
	}
	found, counted := q.known[term.word]
	if !counted {
		found.documents = q.uncounted()
	}
	own := weight * q.rarity(found.documents)
	r := cmp.Or(found.respelling, &respelling{kept: true})
	for _, near := range r.near {
		word = word.with(near.Text, weight*r.weight*q.rarity(near.Documents))
	}
	if r.kept {
		word = word.with(term.text, own)
	} else if len(word) > 0 { // texts may have another form of it: as good as the likeliest correction
		word = word.with(term.text, word.weight())
	}
	if len(r.prefix) >= terms.RootLength {
		beginning := cmp.Or(q.known[r.prefix].beginning, q.uncounted())
		word = append(word, rankTerm{terms.HashOf(r.prefix[:terms.RootLength]), true, weight * prefixWeight * q.rarity(beginning)})
	}
	if term.acronym != nil && len(word) > 0 { // signatures don't hold DoS: its parts say nothing
		word = word.with(term.acronym.otherName(), own)
	}
	return word
}

// with adds the terms of a text, all of one weight.
func (w rankWord) with(text string, weight float64) rankWord {
	terms.Each(text, func(term string) { w = append(w, rankTerm{terms.HashOf(term), false, weight}) })
	return w
}

// uncounted returns the number of documents that are taken to have a word that wasn't counted.
func (q *query) uncounted() int64 {
	return max(minUncounted, int64(float64(q.documents)*uncountedShare))
}

// rarity is how much a word tells that so many documents have.
func (q *query) rarity(documents int64) float64 {
	return terms.Rarity(float64(max(q.documents, documents)), float64(documents))
}

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
	// semanticFeature is what the nearest in meaning gets, in scores of what words found best. Three folds over the
	// queries of four collections choose 0.4 to 0.6, of 0 to 0.9; web3-dups alone would have less.
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
	words        []rankWord
	weight       float64 // of all words
	matches      []termMatch
	before, here []float64 // of each word: what it weighs at the place before among the first terms, and at the present one
}

// termMatch is how a word of q stands in a text: the weights are those of the best of what it may stand for.
type termMatch struct {
	weight, rootWeight float64
	inSummary          int
	opens              bool    // it is among the first terms
	pair               float64 // what it and the next word of q weigh side by side there
}

func newMatcher(words []rankWord) *matcher {
	n := len(words)
	m := &matcher{words: words, matches: make([]termMatch, n), before: make([]float64, n), here: make([]float64, n)}
	for _, word := range words {
		m.weight += word.weight()
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
		if hash == term.hash || sameRoot && term.cutShort {
			m.weight = max(m.weight, term.weight)
			m.inSummary = max(m.inSummary, inSummary)
		}
		if sameRoot && !term.cutShort {
			m.rootWeight = max(m.rootWeight, term.weight)
		}
	}
}

// opening returns how early a text speaks of the words of q: the weight of each, less the later it comes first. It notes which
// words that stand side by side in q do so there, with the weight of the lighter one.
func (m *matcher) opening(signature terms.Signature) (early float64) {
	clear(m.before)
	signature.EachFirst(func(place int, first uint16) {
		for i, word := range m.words {
			m.here[i] = 0
			for _, term := range word {
				if term.hash.First() == first && !term.cutShort { // the hash of a root is no term's
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
			if i > 0 {
				m.matches[i-1].pair = max(m.matches[i-1].pair, min(m.before[i-1], m.here[i]))
			}
		}
		m.before, m.here = m.here, m.before
	})
	return early
}
