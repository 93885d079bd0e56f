package curator

import (
	"cmp"
	"slices"
)

const (
	// tellingTerms is how many terms a report is found by: those that are rare among all reports and frequent in this one.
	tellingTerms = 40
	// maxCandidates is how many reports a new one is compared with first.
	maxCandidates = 50
)

// tellingTerm is a term and what it weighs in a report.
type tellingTerm struct {
	id     uint32
	weight float64
}

// telling returns the terms by which a report is found, weightiest first.
func (v *Vector) telling() []tellingTerm {
	found := make([]tellingTerm, 0, len(v.terms))
	for i, t := range v.terms {
		found = append(found, tellingTerm{t.id, weight(float64(v.rarity[i]), t.all)})
	}
	slices.SortFunc(found, func(a, b tellingTerm) int { return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.id, b.id)) })
	return found[:min(tellingTerms, len(found))]
}

// Telling returns the ids of the terms by which a report is found.
func (v *Vector) Telling() []uint32 {
	found := v.telling()
	ids := make([]uint32, len(found)) // kept for long: no larger than needed
	for i, t := range found {
		ids[i] = t.id
	}
	return ids
}

// Candidates returns the reports that share the most and weightiest of a report's telling terms, best first, of equals the one of
// lesser id, at most fifty. The report itself is left out.
func (g *LinkGraph) Candidates(report int32, v *Vector) []int32 {
	g.post()
	var touched []int32
	for _, t := range v.telling() {
		from, _ := slices.BinarySearch(g.postings, uint64(t.id)<<32)
		for _, posting := range g.postings[from:] {
			if uint32(posting>>32) != t.id {
				break
			}
			other := int32(uint32(posting))
			if g.weights[other] == 0 {
				touched = append(touched, other)
			}
			g.weights[other] += t.weight
		}
	}
	better := func(a, b int32) int {
		if g.weights[a] != g.weights[b] {
			return cmp.Compare(g.weights[b], g.weights[a])
		}
		return cmp.Compare(g.nodes[a].id, g.nodes[b].id)
	}
	best := make([]int32, 0, maxCandidates+1) // in order: hardly any of thousands gets in, and then for a place near the end
	for _, other := range touched {
		if other == report || len(best) == maxCandidates && better(other, best[maxCandidates-1]) > 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, other, better)
		best = slices.Insert(best, at, other)
		best = best[:min(maxCandidates, len(best))]
	}
	for _, other := range touched {
		g.weights[other] = 0
	}
	return best
}

// post makes reports findable whose telling terms have changed.
func (g *LinkGraph) post() {
	if len(g.unposted) == 0 {
		return
	}
	g.postings = slices.DeleteFunc(g.postings, func(posting uint64) bool { return g.unposted[int32(uint32(posting))] })
	g.postings = slices.Grow(g.postings, len(g.unposted)*tellingTerms)
	for number := range g.unposted {
		for _, id := range g.nodes[number].telling {
			g.postings = append(g.postings, uint64(id)<<32|uint64(number))
		}
	}
	slices.Sort(g.postings)
	clear(g.unposted)
}
