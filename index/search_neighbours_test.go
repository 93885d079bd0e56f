package index

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"agentlore/lore"
)

func signatureFor(text string) signature {
	return readSignature(signatureOf(signatureText{Summary: text}))
}

// A result that is like the best one passes one that only has the words of q.
func TestNeighboursSupport(t *testing.T) {
	t.Parallel()
	signatures := []signature{
		signatureFor("oracle price stale heartbeat chainlink round"),
		signatureFor("oracle price manipulation flash loan pool"),
		signatureFor("oracle price stale heartbeat chainlink answer"),
		signatureFor("oracle price of gas for keepers"),
	}
	added := support([]float64{20, 14, 13.5, 13}, signatures)
	if added[2] <= 1.5*added[1] || added[2] <= 1.5*added[3] {
		t.Errorf("support %v: the third is the one like the first", added)
	}
	for i, a := range added {
		if a < 0 || math.IsNaN(a) || a > 20*supportWeight {
			t.Errorf("support %d is %v", i, a)
		}
	}
	// With many equal leaders nobody knows whom to support.
	equal := support([]float64{20, 20, 20, 20}, signatures)
	if equal[2] > added[2] {
		t.Errorf("four equal leaders give %v, one gives %v", equal[2], added[2])
	}
}

func TestSupportOfOddResults(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		scores     []float64
		signatures []signature
	}{
		"none":            {nil, nil},
		"one":             {[]float64{3}, []signature{signatureFor("oracle")}},
		"no signatures":   {[]float64{3, 2, 1}, make([]signature, 3)},
		"no scores":       {[]float64{0, 0}, []signature{signatureFor("oracle"), signatureFor("oracle")}},
		"cut signatures":  {[]float64{3, 2}, []signature{readSignature([]byte{0, 1, 2, 9}), readSignature([]byte{0, 9, 60, 1, 2, 3, 4, 5})}},
		"twice one term":  {[]float64{3, 2}, []signature{readSignature([]byte{0, 2, 2, 1, 2, 3, 9, 1, 2, 3, 9}), readSignature([]byte{0, 1, 1, 1, 2, 3, 17})}},
		"all of the same": {[]float64{3, 2, 1}, []signature{signatureFor("a pool"), signatureFor("a pool"), signatureFor("a pool")}},
	} {
		for i, a := range support(one.scores, one.signatures) {
			if math.IsNaN(a) || math.IsInf(a, 0) || a < 0 {
				t.Errorf("%s: support %d is %v", name, i, a)
			}
		}
	}
}

func TestSimilarities(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("vault share inflation donation attacker deposit asset balance rounding first ", 3)
	alike := new(termTable).similarities([]signature{
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
}

func TestLeastOfMost(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		row  []float64
		room int
		want float64
	}{
		{[]float64{1}, 3, 1},
		{[]float64{0.5, 0.1, 0.9}, 3, 0.1},
		{[]float64{0.5, 0.1, 0.9, 0.3}, 3, 0.3},
		{[]float64{0.1, 0.3, 0.5, 0.9}, 2, 0.5},
		{[]float64{0.9, 0.5, 0.3, 0.1}, 2, 0.5},
		{[]float64{0, 0, 0, 0}, 2, 0},
	} {
		if got := leastOfMost(test.row, make([]float64, 0, test.room)); got != test.want {
			t.Errorf("the least of the %d most of %v is %v, want %v", test.room, test.row, got, test.want)
		}
	}
}

// Pages by offset over the edge of what supports each other show each result once and in falling score.
func TestPagesOverTheSupportedWindow(t *testing.T) {
	t.Parallel()
	topics := []string{"chainlink heartbeat", "uniswap pool tick", "bridge guardian set", "vault share donation"}
	var documents []submissionDocument
	for i := range 90 {
		documents = append(documents, observed(fmt.Sprintf("stale price %s number%d", topics[i%len(topics)], i), topics[i%len(topics)]+" seen again"))
	}
	client := searchStore(t, documents...)
	read := func(limit int) (ids []string) {
		last := math.Inf(1)
		for offset := 0; offset < 100; offset += limit {
			for _, one := range find(t, client, lore.SearchQuery{Text: "stale price chainlink", Limit: limit, Offset: offset}).Results {
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
	// Words that nobody knows lead the other way to the same place.
	if misspelt := find(t, client, lore.SearchQuery{Text: "stale price chianlink", Limit: 1}); len(misspelt.Results) != 1 || misspelt.Results[0].Snippet == "" {
		t.Errorf("%v", misspelt.Results)
	}
}

// The score is what the explanation says.
func TestNeighboursAreExplained(t *testing.T) {
	t.Parallel()
	client := searchStore(t,
		observed("oracle price is stale", "heartbeat of chainlink"), observed("oracle price stale again", "heartbeat of chainlink"), observed("oracle of gas", ""))
	result := find(t, client, lore.SearchQuery{Text: "stale oracle price", Explain: true})
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
		t.Error("nobody supports the best result")
	}
}

// As many results of the usual length as are put in order.
func BenchmarkSupport(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	signatures, scores := make([]signature, closerWindow), make([]float64, closerWindow)
	for i := range signatures {
		var text strings.Builder
		for range 250 {
			fmt.Fprintf(&text, "word%c%c%c ", 'a'+random.IntN(26), 'a'+min(random.IntN(26), random.IntN(26)), 'a'+random.IntN(4))
		}
		signatures[i], scores[i] = signatureFor(text.String()), 20-float64(i)/10
	}
	for b.Loop() {
		support(scores, signatures)
	}
}
