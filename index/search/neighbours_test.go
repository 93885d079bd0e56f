package search

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"agentlore/lore"
	"agentlore/terms"
)

func signatureFor(text string) terms.Signature { return terms.ReadSignature(terms.Sign(text)) }

// boosts returns what neighbours add to the scores of results with signatures.
func boosts(scores []float64, signatures ...terms.Signature) (added []float64) {
	var hits []*searchHit
	for i, score := range scores {
		hits = append(hits, &searchHit{Score: score, signature: signatures[i]})
	}
	boostNeighbours(hits)
	for _, hit := range hits {
		added = append(added, hit.boost)
	}
	return added
}

// A result that is like the best one passes one that only has the words of q.
func TestNeighboursBoost(t *testing.T) {
	t.Parallel()
	signatures := []terms.Signature{
		signatureFor("oracle price stale heartbeat chainlink round"),
		signatureFor("oracle price manipulation flash loan pool"),
		signatureFor("oracle price stale heartbeat chainlink answer"),
		signatureFor("oracle price of gas for keepers"),
	}
	added := boosts([]float64{20, 14, 13.5, 13}, signatures...)
	if added[2] <= 1.5*added[1] || added[2] <= 1.5*added[3] {
		t.Errorf("boosts %v: the third is the one like the first", added)
	}
	for i, a := range added {
		if a < 0 || math.IsNaN(a) || a > 20*neighbourBoost {
			t.Errorf("boost %d is %v", i, a)
		}
	}
	// Many equal leaders don't say which results are better.
	if equal := boosts([]float64{20, 20, 20, 20}, signatures...); equal[2] > added[2] {
		t.Errorf("four equal leaders give %v, one gives %v", equal[2], added[2])
	}
}

func TestBoostsOfOddResults(t *testing.T) {
	t.Parallel()
	read := terms.ReadSignature
	for name, one := range map[string]struct {
		scores     []float64
		signatures []terms.Signature
	}{
		"none":            {nil, nil},
		"one":             {[]float64{3}, []terms.Signature{signatureFor("oracle")}},
		"no signatures":   {[]float64{3, 2, 1}, make([]terms.Signature, 3)},
		"no scores":       {[]float64{0, 0}, []terms.Signature{signatureFor("oracle"), signatureFor("oracle")}},
		"cut signatures":  {[]float64{3, 2}, []terms.Signature{read([]byte{0, 1, 2, 9}), read([]byte{0, 9, 60, 1, 2, 3, 4, 5})}},
		"thrice one term": {[]float64{3, 2}, []terms.Signature{read([]byte{0, 2, 3, 1, 2, 3, 9, 1, 2, 3, 9, 1, 2, 3, 9}), read([]byte{0, 1, 1, 1, 2, 3, 17})}},
		"all of the same": {[]float64{3, 2, 1}, []terms.Signature{signatureFor("a pool"), signatureFor("a pool"), signatureFor("a pool")}},
	} {
		for i, a := range boosts(one.scores, one.signatures...) {
			if math.IsNaN(a) || math.IsInf(a, 0) || a < 0 {
				t.Errorf("%s: boost %d is %v", name, i, a)
			}
		}
	}
}

func TestSimilarities(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("vault share inflation donation attacker deposit asset balance rounding first ", 3)
	alike := similarities([]terms.Signature{
		signatureFor("vault share inflation donation"), signatureFor("vault share inflation donation"), signatureFor("bridge message replay"), {},
		signatureFor(long), signatureFor(long),
	})
	for i, row := range alike {
		for j, similarity := range row {
			if similarity != alike[j][i] || similarity < 0 || similarity >= 1 {
				t.Errorf("%d and %d: %v and %v", i, j, similarity, alike[j][i])
			}
		}
	}
	if alike[0][2] != 0 || alike[3][3] != 0 || alike[0][3] != 0 {
		t.Errorf("%v: what has no word in common is not alike", alike)
	}
	if alike[4][5] <= 2*alike[0][1] || alike[0][1] <= 0 {
		t.Errorf("two equal long texts are alike by %v, two short ones by %v: of these less is known", alike[4][5], alike[0][1])
	}
	for k := range alike {
		if alike[0][k] != alike[1][k] && k > 1 {
			t.Errorf("two equal texts are as like the %d. as %v and %v", k, alike[0][k], alike[1][k])
		}
	}
}

// Pages by offset over the edge of what is reranked show each result once and in falling score.
func TestPagesOverTheRerankedWindow(t *testing.T) {
	t.Parallel()
	topics := []string{"chainlink heartbeat", "uniswap pool tick", "bridge guardian set", "vault share donation"}
	var documents []lore.Submission
	for i := range 90 {
		documents = append(documents, observed(fmt.Sprintf("stale price %s number%d", topics[i%len(topics)], i), topics[i%len(topics)]+" seen again"))
	}
	searcher := searchStore(t, documents...)
	read := func(limit int) (ids []string) {
		last := math.Inf(1)
		for offset := 0; offset < 100; offset += limit {
			for _, one := range find(t, searcher, lore.SearchQuery{Text: "stale price chainlink", Limit: limit, Offset: offset}).Results {
				if one.Score > last+1e-9 {
					t.Errorf("limit %d: at %d the score rises from %v to %v", limit, len(ids), last, one.Score)
				}
				last = one.Score
				ids = append(ids, one.ID)
			}
		}
		return ids
	}
	all := read(100)
	if len(all) != len(documents) {
		t.Fatalf("%d results, want %d", len(all), len(documents))
	}
	for _, limit := range []int{7, 30} {
		if got := read(limit); !slices.Equal(got, all) {
			t.Errorf("pages of %d show another order", limit)
		}
	}
	// A misspelt word leads to the same place.
	if misspelt := find(t, searcher, lore.SearchQuery{Text: "stale price chianlink", Limit: 1}); len(misspelt.Results) != 1 || misspelt.Results[0].Snippet == "" {
		t.Errorf("%v", misspelt.Results)
	}
}

// The score is what the explanation says.
func TestNeighboursAreExplained(t *testing.T) {
	t.Parallel()
	searcher := searchStore(t,
		observed("oracle price is stale", "heartbeat of chainlink"), observed("oracle price stale again", "heartbeat of chainlink"), observed("oracle of gas", ""))
	result := find(t, searcher, lore.SearchQuery{Text: "stale oracle price", Explain: true})
	for _, one := range result.Results {
		sum := 0.0
		for _, part := range one.Explanation.Words {
			sum += part
		}
		if want := sum*one.Explanation.Factor + one.Explanation.Neighbours; math.Abs(one.Score-want) > 0.01*want {
			t.Errorf("%q has the score %v, explained as %v", one.Summary, one.Score, want)
		}
	}
	if len(result.Results) == 0 || result.Results[0].Explanation.Neighbours <= 0 {
		t.Error("the best result has no boost")
	}
}
