package index

import (
	"math"
	"slices"
)

// Results that say the same support each other: what is like the best results moves up among the first, what only shares
// words with q stays. This is score regularisation, after the cluster hypothesis (van Rijsbergen); how alike two results
// are, their signatures tell. docs/search.md says how the constants were found.
const (
	// supporters is how many of the results most like it, itself among them, support a result.
	supporters = 14
	// supportWeight is what a result gets, in scores of the best one, that is like a sole leader in every term.
	supportWeight = 0.77
	// leadSpan is by what share a result must lie behind the best one for its support to fall to 1/e.
	leadSpan = 0.034
	// maxLeaders is up to how many equal leaders support counts in full. Where more results are nearly as good as the
	// best, q tells none of them from the rest, and neither do their neighbours.
	maxLeaders = 1.4
	// frequencyHalf is the frequency at which a term has half the weight that it can have.
	frequencyHalf = 2.0
)

// support returns what to add to each score. Scores are the first results', best first, with their signatures.
func support(scores []float64, signatures []signature) []float64 {
	added := make([]float64, len(scores))
	if len(scores) < 2 || scores[0] <= 0 {
		return added
	}
	lead, leaders := make([]float64, len(scores)), 0.0
	for i, score := range scores {
		lead[i] = math.Exp((score - scores[0]) / (scores[0] * leadSpan))
		leaders += lead[i]
	}
	factor := supportWeight * scores[0] * math.Min(1, maxLeaders/leaders) / leaders
	alike := similarities(signatures)
	row := make([]float64, len(scores))
	for i := range scores {
		copy(row, alike[i])
		slices.Sort(row)
		least := row[max(0, len(row)-supporters)]
		for j, similarity := range alike[i] {
			if similarity >= least {
				added[i] += factor * lead[j] * similarity
			}
		}
	}
	return added
}

// similarities returns the cosine between each two signatures. A term weighs the more, the fewer of the results have it:
// the words of q, which most have, say nothing of what sets results apart.
func similarities(signatures []signature) [][]float64 {
	n := len(signatures)
	var terms []uint64 // hash, number of the result, frequency; so that sorting brings a term's results together
	for i, signature := range signatures {
		signature.each(func(hash uint32, frequency, _ int) {
			terms = append(terms, uint64(hash)<<32|uint64(i)<<8|uint64(frequency))
		})
	}
	slices.Sort(terms)
	alike, cells := make([][]float64, n), make([]float64, n*n)
	for i := range alike {
		alike[i] = cells[i*n : (i+1)*n]
	}
	weights := make([]float64, 0, n)
	for len(terms) > 0 {
		same := 1
		for same < len(terms) && terms[same]>>32 == terms[0]>>32 {
			same++
		}
		rarity := math.Log(float64(n) / float64(min(same, n)))
		weights = weights[:0]
		for _, term := range terms[:same] {
			i, frequency := resultOf(term), float64(term&0xff)
			weights = append(weights, rarity*frequency/(frequency+frequencyHalf))
			for b, weight := range weights {
				alike[i][resultOf(terms[b])] += weights[len(weights)-1] * weight
			}
		}
		terms = terms[same:]
	}
	for i := range n {
		for j := range i {
			product := alike[i][j] // the rest is empty: within a term the numbers rise
			if product > 0 {
				product /= math.Sqrt(alike[i][i] * alike[j][j])
			}
			alike[i][j], alike[j][i] = product, product
		}
	}
	for i := range n {
		alike[i][i] = 1
	}
	return alike
}

// resultOf returns the number of the result that a term is of.
func resultOf(term uint64) int { return int(term >> 8 & 0xffffff) }
