package index

import "math"

// Results that say the same support each other: what is like the best results moves up among the first, what only shares
// words with q stays. This is score regularisation, after the cluster hypothesis (van Rijsbergen); how alike two results
// are, their signatures tell. docs/search.md says how the constants were found.
const (
	// supporters is how many of the results most like it, itself among them, support a result: a quarter of closerWindow. More
	// would be of other subjects, fewer are too few to tell which subject the best results share.
	supporters = 10
	// supportWeight is what a result gets, in scores of the best one, that is like a sole leader in every term.
	supportWeight = 1.41
	// leadSpan is by what share a result must lie behind the best one for its support to fall to 1/e.
	leadSpan = 0.0565
	// maxLeaders is up to how many equal leaders support counts in full. Where more results are nearly as good as the
	// best, q tells none of them from the rest, and neither do their neighbours.
	maxLeaders = 3.26
	// frequencyHalf is the frequency at which a term has half the weight that it can have.
	frequencyHalf = 2.0
	// littleText is the sum of squared weights of terms at which a text is half as like another as its terms say: two short
	// texts have their few words in common by chance. A term that stands twice in one result alone has 1/4, the median
	// audit finding 4 in all.
	littleText = 0.7
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
	table := termTables.Get().(*termTable)
	defer termTables.Put(table)
	var most [supporters]float64
	for i, row := range table.similarities(signatures) {
		least := leastOfMost(row, most[:0])
		for j, similarity := range row {
			if similarity >= least {
				added[i] += factor * lead[j] * similarity
			}
		}
	}
	return added
}

// leastOfMost returns the least of the largest values of a row, as many as there is room for.
func leastOfMost(row, most []float64) float64 {
	for _, value := range row {
		k := len(most)
		if k == cap(most) {
			if k--; value <= most[k] {
				continue
			}
		} else {
			most = most[:k+1]
		}
		for ; k > 0 && most[k-1] < value; k-- {
			most[k] = most[k-1]
		}
		most[k] = value
	}
	return most[len(most)-1]
}

// similarities returns how alike each two signatures are: the cosine, less for texts of few words, so that a short text is
// not wholly like itself either. A term weighs the more, the fewer of the results have it: the words of q, which most have,
// say nothing of what sets results apart. The rows are the table's, until the next call.
func (t *termTable) similarities(signatures []signature) [][]float64 {
	n := len(signatures) // two at least
	alike, weights := t.square(n), make([]float64, 0, n)
	rarity := make([]float64, n+1) // by how many results have the term
	for have := 1; have <= n; have++ {
		rarity[have] = math.Log(float64(n)/float64(have)) / math.Log(float64(n))
	}
	for _, uses := range t.usesOfTerms(signatures) {
		weights = weights[:0]
		for _, use := range uses {
			weights = append(weights, rarity[min(len(uses), n)]*float64(use.frequency)/(float64(use.frequency)+frequencyHalf))
			row := alike[use.result]
			for b, weight := range weights {
				row[uses[b].result] += weights[len(weights)-1] * weight
			}
		}
	}
	for i := range n {
		for j := range i {
			product := alike[i][j] // the rest is empty: within a term the numbers rise
			if product > 0 {
				product /= math.Sqrt(alike[i][i]*alike[j][j]) + littleText
			}
			alike[i][j], alike[j][i] = product, product
		}
	}
	for i := range n {
		alike[i][i] /= alike[i][i] + littleText
	}
	return alike
}
