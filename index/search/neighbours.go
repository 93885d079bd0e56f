package search

import (
	"math"
	"math/bits"
	"slices"
	"sync"

	"agentlore/terms"
)

// Results that say the same support each other: what is like the best results moves up among the first, what only shares
// words with q stays. This is score regularisation, after the cluster hypothesis (van Rijsbergen); how alike two results
// are, their signatures tell. The constants were chosen on labelled questions.
const (
	// neighbours is how many of the results most like it, itself among them, boost a result: a quarter of rerankWindow. More would
	// be of other subjects, fewer are too few to tell which subject the best results share.
	neighbours = 10
	// neighbourBoost is what a result gets, in scores of the best one, that is like a sole leader in every term.
	neighbourBoost = 1.41
	// leaderDecay is by what share a result must lie behind the best one for what it adds to others to fall to 1/e.
	leaderDecay = 0.0565
	// frequencyHalf is the frequency at which a term has half the weight that it can have.
	frequencyHalf = 2.0
	// shortTextPenalty is the sum of squared weights of terms at which a text is half as like another as its terms say: two short
	// texts have their few words in common by chance. A term that stands twice in one result alone has 1/4, the median
	// audit finding 4 in all.
	shortTextPenalty = 0.7
)

// boostNeighbours adds to the scores of hits, which are in order, what their neighbours give them.
func boostNeighbours(hits []*searchHit) {
	if len(hits) < 2 || hits[0].Score <= 0 {
		return
	}
	best := hits[0].Score
	lead, leaders := make([]float64, len(hits)), 0.0
	signatures, leading := make([]terms.Signature, len(hits)), map[string]bool{"": false}
	for i, hit := range hits {
		if !leading[hit.crowd] { // of a crowd its best alone: it is one voice
			lead[i] = math.Exp((hit.Score - best) / (best * leaderDecay))
			leading[hit.crowd] = hit.crowd != ""
		}
		leaders += lead[i]
		signatures[i] = hit.signature
	}
	factor := neighbourBoost * best / leaders
	sorted := make([]float64, len(hits))
	for i, row := range similarities(signatures) {
		copy(sorted, row)
		slices.Sort(sorted)
		least := sorted[max(0, len(sorted)-neighbours)]
		for j, similarity := range row {
			if similarity >= least {
				hits[i].boost += factor * lead[j] * similarity
			}
		}
		hits[i].Score += hits[i].boost
	}
}

// similarities returns how alike each two of some hundred signatures are: the cosine, less for texts of few words, so that a short
// text is not wholly like itself either. A term weighs the more, the fewer of the results have it: the words of q, which most
// have, say nothing of what sets results apart.
func similarities(signatures []terms.Signature) [][]float64 {
	n := len(signatures)
	alike, rarity := make([][]float64, n), make([]float64, n+1) // rarity by how many results have the term
	for i := range alike {
		alike[i], rarity[i+1] = make([]float64, n), math.Log(float64(n)/float64(i+1))/math.Log(float64(n))
	}
	table := termTables.Get().(*termTable)
	defer termTables.Put(table)
	table.fill(signatures)
	results, weights := make([]int32, 0, n), make([]float64, 0, n)
	for _, term := range table.terms {
		results, weights = results[:0], weights[:0]
		for at := term.last; at > 0; at = table.uses[at].before {
			use := &table.uses[at]
			results, weights = append(results, use.result), append(weights, rarity[min(int(term.uses), n)]*use.weight)
			row := alike[use.result]
			for i, weight := range weights {
				row[results[i]] += weights[len(weights)-1] * weight
			}
		}
	}
	for i := range n {
		for j := range i {
			product := alike[j][i] // the rest is empty: the uses of a term come the last result first
			if product > 0 {
				product /= math.Sqrt(alike[i][i]*alike[j][j]) + shortTextPenalty
			}
			alike[i][j], alike[j][i] = product, product
		}
	}
	for i := range n {
		alike[i][i] /= alike[i][i] + shortTextPenalty
	}
	return alike
}

// termTable finds the terms of signatures by their hashes. Go's maps take three times as long, which would be a twentieth of a search,
// and tables are pooled for the same reason.
type termTable struct {
	slots []int32 // of a hash: the number of its term, from 1
	terms []usedTerm
	uses  []termUse // from 1
}

// usedTerm is a term that results have.
type usedTerm struct {
	hash terms.Hash
	uses int32 // how many
	last int32 // the place of the last of them
}

// termUse is that a result has a term.
type termUse struct {
	result int32
	before int32   // the place of the term's use before; 0: there is none
	weight float64 // by how often the term stands there
}

var termTables = sync.Pool{New: func() any { return new(termTable) }}

// fill holds the terms of signatures and nothing else, in an order that depends on the signatures alone.
func (t *termTable) fill(signatures []terms.Signature) {
	all := 0
	for _, signature := range signatures {
		all += signature.Len()
	}
	size := bits.Len(uint(all + all/2)) // two thirds full at most
	t.slots = slices.Grow(t.slots[:0], 1<<size)[:1<<size]
	clear(t.slots)
	t.terms, t.uses = t.terms[:0], append(t.uses[:0], termUse{})
	for result, signature := range signatures {
		signature.Each(func(hash terms.Hash, frequency, _ int) {
			const spread = 0x9e3779b1 // Knuth's multiplicative hashing
			at := uint32(hash) * spread >> (32 - size)
			for t.slots[at] > 0 && t.terms[t.slots[at]-1].hash != hash {
				at = (at + 1) & (1<<size - 1)
			}
			if t.slots[at] == 0 {
				t.terms = append(t.terms, usedTerm{hash: hash})
				t.slots[at] = int32(len(t.terms))
			}
			term := &t.terms[t.slots[at]-1]
			t.uses = append(t.uses, termUse{int32(result), term.last, float64(frequency) / (float64(frequency) + frequencyHalf)})
			term.last, term.uses = int32(len(t.uses)-1), term.uses+1
		})
	}
}
