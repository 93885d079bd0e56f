package curator

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"agentlore/lore"
)

// The index finds what going through all reports finds: the best by BM25 over the words that weigh most, in order.
func TestKeywordIndex(t *testing.T) {
	t.Parallel()
	var profiles []*Profile
	for i := range 400 {
		text := fmt.Sprintf("Vault%d of kind%d rounds%d down and reverts", i%40, i%7, i%13)
		profiles = append(profiles, NewProfile(lore.Observation{Summary: text, Content: strings.Repeat(fmt.Sprintf("withdraw%d fails. ", i%29), 1+i%5) + fmt.Sprintf("only%d", i)}))
	}
	var f Frequencies
	for _, p := range profiles {
		f.Add(p)
	}
	const without = 17 // its profile isn't there any more
	index := NewKeywordIndex(&f, len(profiles), func(i int) *Profile {
		if i == without {
			return nil
		}
		return profiles[i]
	})
	counts, lengths, mean := make([]map[uint32]int, len(profiles)), make([]float64, len(profiles)), 0.0
	for i, p := range profiles {
		counts[i] = map[uint32]int{}
		if i == without {
			continue
		}
		for _, one := range p.all {
			counts[i][one.id] = one.count
			lengths[i] += float64(one.count)
		}
		for _, one := range p.names {
			counts[i][one.id] = one.count
		}
		mean += lengths[i] / float64(len(profiles))
	}
	lookup := index.NewLookup()
	for i, p := range profiles {
		scores := make([]float64, len(profiles))
		for _, word := range index.weightiest(p) {
			for other := range profiles {
				if n := float64(min(counts[other][word.id], mostCount)); n > 0 {
					scores[other] += float64(word.weight) * n / (n + bm25Saturation*(1-bm25Length+bm25Length*lengths[other]/mean))
				}
			}
		}
		got := lookup.Candidates(i, p, 20)
		var want []int
		for other := range profiles {
			if other != i && scores[other] > 0 {
				want = append(want, other)
			}
		}
		slices.SortFunc(want, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
		if len(got) != min(20, len(want)) || slices.Contains(got, i) || slices.Contains(got, without) {
			t.Fatalf("report %d finds %v", i, got)
		}
		for place, other := range got {
			if math.Abs(scores[other]-scores[want[place]]) > 1e-4*scores[other] { // sums in another precision
				t.Fatalf("report %d: at place %d %d with %.4f, want %d with %.4f", i, place, other, scores[other], want[place], scores[want[place]])
			}
			if place > 0 && scores[got[place-1]] == scores[other] && got[place-1] > other {
				t.Errorf("report %d: of equals %d comes before %d", i, got[place-1], other)
			}
		}
	}
}

// A term that one report alone has finds nothing, and one that a large part of the corpus has isn't looked up.
func TestTermsThatFindNothingAreNotIndexed(t *testing.T) {
	t.Parallel()
	var profiles []*Profile
	var f Frequencies
	for i := range leastCommon + 500 {
		p := NewProfile(lore.Observation{Summary: fmt.Sprintf("everywhere pair%d lonely%d", i/2, i)})
		profiles = append(profiles, p)
		f.Add(p)
	}
	index := NewKeywordIndex(&f, len(profiles), func(i int) *Profile { return profiles[i] })
	lookup, more := index.NewLookup(), 0
	for i, p := range profiles {
		got := lookup.Candidates(i, p, MaxCandidates)
		if !slices.Contains(got, i^1) {
			t.Fatalf("report %d finds %v", i, got)
		}
		more += len(got) - 1
	}
	if more > len(profiles)/10 { // terms that share both their counters with others
		t.Errorf("%d reports found that share nothing but what all say", more)
	}
}
