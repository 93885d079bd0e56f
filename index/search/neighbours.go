package search

import (
	"iter"
	"math"

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
	// maxLeaders is up to how many equal leaders boosts count in full. Where more results are nearly as good as the best, q tells
	// none of them from the rest, and neither do their neighbours.
	maxLeaders = 3.26
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
	signatures := make([]terms.Signature, len(hits))
	for i, hit := range hits {
		lead[i] = math.Exp((hit.Score - best) / (best * leaderDecay))
		leaders += lead[i]
		signatures[i] = hit.signature
	}
	factor := neighbourBoost * best * math.Min(1, maxLeaders/leaders) / leaders
	var room [neighbours]float64
	for i, row := range similarities(signatures) {
		least := leastOfMost(row, room[:])
		for j, similarity := range row {
			if similarity >= least {
				hits[i].boost += factor * lead[j] * similarity
			}
		}
		hits[i].Score += hits[i].boost
	}
}

// leastOfMost returns the least of the k largest values, of all where there are fewer. Room has room for k.
func leastOfMost(values, room []float64) float64 {
	most := room[:0] // falling
	for _, value := range values {
		if len(most) < cap(room) {
			most = append(most, value)
		} else if value > most[len(most)-1] {
			most[len(most)-1] = value
		}
		for i := len(most) - 1; i > 0 && most[i] > most[i-1]; i-- {
			most[i], most[i-1] = most[i-1], most[i]
		}
	}
	return most[len(most)-1]
}

// similarities returns how alike each two of at most 255 signatures are: the cosine, less for texts of few words, so that a short
// text is not wholly like itself either. A term weighs the more, the fewer of the results have it: the words of q, which most
// have, say nothing of what sets results apart.
func similarities(signatures []terms.Signature) [][]float64 {
	n := len(signatures)
	alike, rarity := make([][]float64, n), make([]float64, n+1) // rarity by how many results have the term
	for i := range alike {
		alike[i], rarity[i+1] = make([]float64, n), math.Log(float64(n)/float64(i+1))/math.Log(float64(n))
	}
	weights := make([]float64, 0, n)
	for same := range usesOf(signatures) {
		weights = weights[:0]
		for i, use := range same {
			weights = append(weights, rarity[min(len(same), n)]*use.weight())
			row := alike[use.result()]
			for j, weight := range weights {
				row[same[j].result()] += weights[i] * weight
			}
		}
	}
	for i := range n {
		for j := range i {
			product := alike[i][j] // the rest is empty: the uses of a term come the first result first
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

// termUse is that a result has a term, as bits: the term's hash, the result's number, and how often the term stands there.
type termUse uint64

func (u termUse) result() int { return int(u >> 8 & 0xff) }

// weight is what the term weighs by how often it stands there.
func (u termUse) weight() float64 {
	frequency := float64(u & 0xff)
	return frequency / (frequency + frequencyHalf)
}

// usesOf returns the uses of each term of signatures. They are sorted by the halves of the hash, the lower one first, which takes a
// third of the time of slices.Sort, and a sixth of that of a map.
func usesOf(signatures []terms.Signature) iter.Seq[[]termUse] {
	uses := make([]termUse, 0, 128*len(signatures)) // no signature has more terms
	for result, signature := range signatures {
		signature.Each(func(hash terms.Hash, frequency, _ int) {
			uses = append(uses, termUse(hash)<<16|termUse(result)<<8|termUse(frequency))
		})
	}
	sorted := make([]termUse, len(uses))
	for _, shift := range []int{16, 28} {
		var places [1 << 12]int // of the next use with these 12 bits
		for _, use := range uses {
			places[use>>shift&(1<<12-1)]++
		}
		next := 0
		for bits, count := range places {
			places[bits], next = next, next+count
		}
		for _, use := range uses {
			place := &places[use>>shift&(1<<12-1)]
			sorted[*place] = use
			*place++
		}
		uses, sorted = sorted, uses
	}
	return func(yield func([]termUse) bool) {
		for len(uses) > 0 {
			end := 1
			for end < len(uses) && uses[end]>>16 == uses[0]>>16 {
				end++
			}
			if !yield(uses[:end]) {
				return
			}
			uses = uses[end:]
		}
	}
}
