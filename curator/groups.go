package curator

import (
	"cmp"
	"slices"
)

const (
	// agreementFloor is the least mean agreement between two groups that are merged.
	agreementFloor = 0.78
	// largestPart is how many reports that agree with each other, directly or not, are grouped as they are. Grouping is
	// quadratic in a part; what gathers more is a template or boilerplate, of which only the most alike are looked at.
	largestPart = 1000
	// alikeFloor is the agreement from which reports of a larger part are of one group.
	alikeFloor = 0.95
)

// Pair is two reports without an order.
type Pair struct{ A, B string }

// Grouper divides reports into patterns. Two reports agree as far as they are linked to the same reports (the cosine of
// their links), and groups merge from the most agreeing on while they agree by agreementFloor on average: so neither one strong link
// nor a chain of them makes a pattern. The result depends on the links alone, not on the order of anything.
//
// Two groups merge only where at least one report of each agrees by agreementFloor. Reports are therefore divided into parts by pairs
// that agree that much (or are joined), and what lies in other parts can't matter. A part is as large as a pattern or a few.
type Grouper struct {
	graph         *LinkGraph
	joined, apart map[int32][]int32
	done          map[int32]bool // reports whose part was found
}

// NewGrouper returns a grouper. same are pairs that are of one pattern whatever the links say: an operator's merge; equal
// fingerprints are the same. apart are pairs that must not be: an operator's split. They win over links, and over same.
func NewGrouper(graph *LinkGraph, same, apart []Pair) *Grouper {
	g := &Grouper{graph: graph, joined: map[int32][]int32{}, apart: map[int32][]int32{}, done: map[int32]bool{}}
	for to, pairs := range map[*map[int32][]int32][]Pair{&g.joined: same, &g.apart: apart} {
		for _, pair := range pairs {
			a, knownA := graph.number[pair.A]
			b, knownB := graph.number[pair.B]
			if knownA && knownB {
				(*to)[a], (*to)[b] = append((*to)[a], b), append((*to)[b], a)
			}
		}
	}
	return g
}

// Groups returns the groups of all parts that hold one of the seeds; a part that was returned before is left out. Groups
// and their members are in order of id. After links have changed, the seeds must hold the reports whose links changed and
// all that were of one group with one of them before: no other group can be another then.
func (g *Grouper) Groups(seeds []string) [][]string {
	var groups [][]string
	for _, id := range seeds {
		seed := g.graph.Number(id)
		if g.done[seed] {
			continue
		}
		part := g.part(seed)
		for _, group := range g.divide(part) {
			ids := make([]string, len(group))
			for i, place := range group {
				ids[i] = g.graph.nodes[part[place]].id
			}
			groups = append(groups, ids)
		}
	}
	slices.SortFunc(groups, func(a, b []string) int { return cmp.Compare(a[0], b[0]) })
	return groups
}

// Done reports whether the group of a report was returned.
func (g *Grouper) Done(id string) bool { return g.done[g.graph.Number(id)] }

// part returns the reports that one agrees or is joined with, directly or not, in order of id.
func (g *Grouper) part(seed int32) []int32 {
	part := []int32{seed}
	g.done[seed] = true
	for i := 0; i < len(part); i++ {
		for _, others := range [][]int32{g.graph.agreeing(part[i], g.done), g.joinedTo(part[i])} {
			for _, other := range others {
				if !g.done[other] {
					g.done[other] = true
					part = append(part, other)
				}
			}
		}
	}
	slices.SortFunc(part, func(a, b int32) int { return cmp.Compare(g.graph.nodes[a].id, g.graph.nodes[b].id) })
	return part
}

// joinedTo returns the reports that a report is of one pattern with whatever their links say.
func (g *Grouper) joinedTo(report int32) []int32 {
	equal := g.graph.equal[g.graph.nodes[report].fingerprint] // none for an empty one
	return slices.Concat(g.joined[report], equal)
}

// divide returns the groups of a part, as places in it.
func (g *Grouper) divide(part []int32) [][]int {
	place := make(map[int32]int, len(part))
	for i, report := range part {
		place[report] = i
	}
	places := func(i int, of []int32) (others []int) {
		for _, report := range of {
			if other, there := place[report]; there && other != i {
				others = append(others, other)
			}
		}
		slices.Sort(others)
		return slices.Compact(others)
	}
	if len(part) > largestPart {
		return g.divideLarge(part, places)
	}
	c := newClustering(len(part), func(i, j int) float64 { return g.graph.agreement(part[i], part[j]) })
	for i, report := range part {
		for _, other := range places(i, g.apart[report]) {
			c.forbid(i, other)
		}
	}
	for i, report := range part {
		for _, other := range places(i, g.joinedTo(report)) {
			c.join(i, other)
		}
	}
	for c.mergeBest(agreementFloor) {
	}
	return c.groups()
}

// divideLarge divides a part that is too large for a clustering: reports are of one group where they agree almost wholly or are
// joined, directly or not. Most of its groups have so many reports that they are kept out of promotion anyway. An
// operator's splits can't be held here.
func (g *Grouper) divideLarge(part []int32, places func(int, []int32) []int) [][]int {
	var groups [][]int
	seen := make([]bool, len(part))
	for first := range part {
		if seen[first] {
			continue
		}
		group := []int{first}
		seen[first] = true
		for k := 0; k < len(group); k++ {
			report := part[group[k]]
			alike := slices.DeleteFunc(g.graph.agreeing(report, nil), func(other int32) bool { return g.graph.agreement(report, other) < alikeFloor })
			for _, other := range places(group[k], append(alike, g.joinedTo(report)...)) {
				if !seen[other] {
					seen[other] = true
					group = append(group, other)
				}
			}
		}
		slices.Sort(group)
		groups = append(groups, group)
	}
	return groups
}

// agreement is how far two reports are linked to the same reports, 0 to 1: the cosine of their edges.
func (g *LinkGraph) agreement(a, b int32) float64 {
	x, y, products := g.nodes[a].edges, g.nodes[b].edges, uint64(0)
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i].to < y[j].to:
			i++
		case x[i].to > y[j].to:
			j++
		default:
			products += uint64(x[i].steps) * uint64(y[j].steps)
			i++
			j++
		}
	}
	return float64(products) / (g.nodes[a].norm * g.nodes[b].norm)
}

// agreeing returns the reports that agree with a report by agreementFloor, itself and those that are known left out.
func (g *LinkGraph) agreeing(report int32, known map[int32]bool) []int32 {
	var touched, found []int32
	complete := true // no report around has so many links that it may lack the one by which another is found
	for _, e := range g.nodes[report].edges {
		around := g.nodes[e.to].edges
		complete = complete && len(around) <= mostLinks
		for _, back := range around {
			if g.weights[back.to] == 0 {
				touched = append(touched, back.to)
			}
			g.weights[back.to] += float64(e.steps) * float64(back.steps)
		}
	}
	for _, other := range touched {
		// What the edges tell from this side is most of the agreement, and all of it where they are complete.
		least := agreementFloor * (1 - 1e-6) * g.nodes[report].norm * linkSteps
		if complete {
			least = agreementFloor * (1 - 1e-6) * g.nodes[report].norm * g.nodes[other].norm
		}
		if other != report && g.weights[other] >= least && !known[other] && g.agreement(report, other) >= agreementFloor {
			found = append(found, other)
		}
		g.weights[other] = 0
	}
	return found
}
