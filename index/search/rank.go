package search

import (
	"cmp"
	"slices"

	"agentlore/terms"
)

// rerankWindow is how many of the first results are put in order here. Those behind them keep order and score, and nothing
// here takes score away: pages by offset neither repeat nor skip at the edge. Of sixty nDCG@10 is the same, for an eighth
// more of a search's time; of thirty it is 0.003 less on web3-dups.
const rerankWindow = 40

// window returns how many of the first results are put in order.
func (q *query) window() int {
	window := rerankWindow
	if q.ByProblem {
		window = problemWindow
	}
	if q.vector != nil {
		window += nearest
	}
	return window
}

// reranks reports whether the page is among the results that are put in order here.
func (q *query) reranks() bool { return !q.Newest && q.Offset < q.window() }

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
	// less of which of the found is the best than the words around them.
	rankPartWeight = 0.6
	// uncountedShare is of the documents that are taken to have a word whose number of documents isn't known, minUncounted their number.
	uncountedShare = 0.0005
	minUncounted   = 10
)

// rankWord is a word of q, as the terms of signatures that it may stand for.
type rankWord []rankTerm

// rankTerm is a term that a word of q may stand for.
type rankTerm struct {
	hash   terms.Hash
	root   rootMatch
	weight float64
}

// rootMatch is what a text's term is worth that shares the root alone.
type rootMatch int

const (
	rootHelps    rootMatch = iota // a little
	rootIgnored                   // nothing: a word of two or three letters has no root
	rootSuffices                  // as much as the term: the word was cut short
)

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
		} else if words[i][0].weight < word[0].weight {
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
	switch r := found.respelling; {
	case r == nil:
		word = word.with(term.text, own, rootHelps)
	default:
		for _, near := range r.near {
			word = word.with(near.text, weight*near.weight*q.rarity(near.documents), rootHelps)
		}
		if r.kept {
			word = word.with(term.word, own, rootHelps)
		} else if len(word) > 0 { // texts may have another form of it: as good as the likeliest correction, but for its root
			word = word.with(term.word, word.weight(), rootIgnored)
		}
		if len(r.prefix) >= terms.RootLength {
			beginning := cmp.Or(q.known[r.prefix].beginning, q.uncounted())
			word = append(word, rankTerm{terms.HashOf(r.prefix[:terms.RootLength]), rootSuffices, weight * prefixWeight * q.rarity(beginning)})
		}
	}
	if term.acronym != nil && len(word) > 0 { // signatures don't hold DoS: its parts say nothing
		word = word.with(term.acronym.otherName(), own, rootIgnored)
	}
	return word
}

// with adds the terms of a text, all of one weight.
func (w rankWord) with(text string, weight float64, root rootMatch) rankWord {
	terms.Each(text, func(term string) {
		root := root
		if len(term) < minPrefix {
			root = rootIgnored
		}
		w = append(w, rankTerm{terms.HashOf(term), root, weight})
	})
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
