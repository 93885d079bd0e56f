package curator

import (
	"cmp"
	"maps"
	"slices"

	"agentlore/lore"
)

// largestPart is how many reports that agree with each other, directly or not, are grouped as they are. Grouping is
// quadratic in a part; what gathers more is a template or boilerplate, of which only the most alike are looked at.
const largestPart = 1000

// LinkReader reads what grouping needs to know. What it returns must not change while a Grouper lives.
type LinkReader interface {
	// Links returns the links of reports; those of a report that has none may be left out.
	Links(ids []string) (map[string]lore.Links, error)
	// Joined returns pairs of these reports with any others that are of one pattern whatever their links say: equal
	// fingerprints, an operator's merge.
	Joined(ids []string) ([]Pair, error)
	// Apart returns pairs of these reports that must not be of one pattern: an operator's split.
	Apart(ids []string) ([]Pair, error)
}

// Grouper divides reports into patterns, as Groups does, but only as far as given reports reach.
//
// It relies on this: two groups merge only where they agree by AgreementFloor on average, so at least one report of each
// does. Reports are therefore divided into parts by pairs that agree that much (or are joined), and what lies in other parts
// can't matter. A part is as large as a pattern or a few, where reports that are merely linked, directly or not, may be
// half of the corpus.
type Grouper struct {
	reader LinkReader
	graph  *LinkGraph
	edges  map[int32][]int32
	joined map[int32][]int32
	done   map[int32]bool // reports whose part was found
}

// NewGrouper returns a grouper that reads the links which the graph doesn't know, and sets them there.
func NewGrouper(reader LinkReader, graph *LinkGraph) *Grouper {
	return &Grouper{reader: reader, graph: graph, edges: map[int32][]int32{}, joined: map[int32][]int32{}, done: map[int32]bool{}}
}

// Groups returns the groups of all parts that hold one of the seeds; a part that was returned before is left out. Groups
// and their members are in order of id. After links have changed, the seeds must hold the reports whose links changed and
// all that were of one group with one of them before: no other group can be another then.
func (g *Grouper) Groups(seeds []string) ([][]string, error) {
	var start []int32
	for _, id := range slices.Compact(slices.Sorted(slices.Values(seeds))) {
		if number := g.graph.numberOf(id); !g.done[number] {
			start = append(start, number)
		}
	}
	if err := g.explore(start); err != nil {
		return nil, err
	}
	var groups [][]string
	for _, seed := range start {
		if g.done[seed] {
			continue
		}
		found, err := g.groupPart(g.partOf(seed))
		if err != nil {
			return nil, err
		}
		groups = append(groups, found...)
	}
	slices.SortFunc(groups, func(a, b []string) int { return cmp.Compare(a[0], b[0]) })
	return groups, nil
}

// explore reads all that the reports reach: whom they agree with, whom those agree with, and so on.
func (g *Grouper) explore(frontier []int32) error {
	for len(frontier) > 0 {
		if err := g.readRows(frontier); err != nil {
			return err
		}
		var around []int32
		for _, report := range frontier {
			for _, e := range g.graph.rows[report] {
				around = append(around, e.to())
			}
		}
		if err := g.readRows(around); err != nil {
			return err
		}
		reached, err := g.findEdges(frontier)
		if err != nil {
			return err
		}
		frontier = reached
	}
	return nil
}

// findEdges finds whom the reports agree with or are joined with, and returns those of them whose own edges aren't known.
func (g *Grouper) findEdges(reports []int32) ([]int32, error) {
	possible := make([][]int32, len(reports))
	var unread []int32
	for i, report := range reports {
		possible[i] = g.graph.near(report, AgreementFloor)
		unread = append(unread, possible[i]...)
	}
	if err := g.readRows(unread); err != nil {
		return nil, err
	}
	var names []string
	for _, report := range reports {
		names = append(names, g.graph.ids[report])
	}
	pairs, err := g.reader.Joined(names)
	if err != nil {
		return nil, err
	}
	reached := map[int32]bool{}
	for i, report := range reports {
		g.edges[report] = []int32{}
		g.graph.agreements(report, possible[i], func(k int, agreement float64) {
			if other := possible[i][k]; agreement >= AgreementFloor {
				g.edges[report] = append(g.edges[report], other)
				reached[other] = true
			}
		})
	}
	for _, pair := range pairs {
		a, b := g.graph.numberOf(pair.A), g.graph.numberOf(pair.B)
		g.joined[a], g.joined[b] = append(g.joined[a], b), append(g.joined[b], a)
		reached[a], reached[b] = true, true
	}
	var next []int32
	for report := range reached {
		if g.edges[report] == nil {
			next = append(next, report)
		}
	}
	slices.Sort(next)
	return next, nil
}

// readRows reads the links of reports that aren't known yet.
func (g *Grouper) readRows(reports []int32) error {
	var ids []string
	for _, report := range reports {
		if g.graph.rows[report] == nil {
			ids = append(ids, g.graph.ids[report])
		}
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	links, err := g.reader.Links(ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		row := links[id]
		row.ID = id
		g.graph.Set(row)
	}
	return nil
}

// partOf returns the reports that one agrees or is joined with, directly or not, in order of id.
func (g *Grouper) partOf(seed int32) []int32 {
	part, waiting := []int32{}, []int32{seed}
	g.done[seed] = true
	for len(waiting) > 0 {
		report := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		part = append(part, report)
		for _, others := range [][]int32{g.edges[report], g.joined[report]} {
			for _, other := range others {
				if !g.done[other] {
					g.done[other] = true
					waiting = append(waiting, other)
				}
			}
		}
	}
	g.sortByID(part)
	return part
}

func (g *Grouper) sortByID(reports []int32) {
	slices.SortFunc(reports, func(a, b int32) int { return cmp.Compare(g.graph.ids[a], g.graph.ids[b]) })
}

// groupPart groups a part.
func (g *Grouper) groupPart(part []int32) ([][]string, error) {
	if len(part) == 1 {
		return [][]string{{g.graph.ids[part[0]]}}, nil
	}
	if len(part) > largestPart {
		var groups [][]string
		for _, members := range g.alike(part) {
			groups = append(groups, g.names(members))
		}
		return groups, nil
	}
	place := make(map[int32]int, len(part))
	for i, report := range part {
		place[report] = i
	}
	agreement := make([]float64, len(part)*len(part))
	for i, report := range part {
		g.graph.agreements(report, part[i+1:], func(k int, found float64) {
			j := i + 1 + k
			agreement[i*len(part)+j], agreement[j*len(part)+i] = found, found
		})
	}
	grouping := newGrouping(len(part), agreement)
	apart, err := g.reader.Apart(g.names(part))
	if err != nil {
		return nil, err
	}
	for _, pair := range apart {
		a, inA := place[g.graph.numberOf(pair.A)]
		b, inB := place[g.graph.numberOf(pair.B)]
		if inA && inB {
			grouping.forbid(a, b)
		}
	}
	for i, report := range part {
		for _, other := range g.sortedJoined(report) {
			grouping.join(i, place[other])
		}
	}
	for grouping.mergeBest() {
	}
	var groups [][]string
	for _, members := range grouping.result() {
		numbers := make([]int32, len(members))
		for i, member := range members {
			numbers[i] = part[member]
		}
		groups = append(groups, g.names(numbers))
	}
	return groups, nil
}

// sortedJoined returns whom a report is joined with, in order of id.
func (g *Grouper) sortedJoined(report int32) []int32 {
	joined := slices.Clone(g.joined[report])
	g.sortByID(joined)
	return joined
}

// alikeFloor is the agreement from which reports of a part that is too large are of one group.
const alikeFloor = 0.95

// alike divides a part that is too large to be grouped: reports are of one group where they agree almost wholly or are
// joined, directly or not. Most of its groups have so many reports that they are kept out of promotion anyway. An
// operator's splits can't be held here.
func (g *Grouper) alike(part []int32) [][]int32 {
	parent := make(map[int32]int32, len(part))
	for _, report := range part {
		parent[report] = report
	}
	root := func(report int32) int32 {
		for parent[report] != report {
			parent[report] = parent[parent[report]]
			report = parent[report]
		}
		return report
	}
	for _, report := range part {
		for _, other := range g.joined[report] {
			parent[root(report)] = root(other)
		}
		g.graph.agreements(report, g.edges[report], func(k int, agreement float64) {
			if agreement >= alikeFloor {
				parent[root(report)] = root(g.edges[report][k])
			}
		})
	}
	groups := map[int32][]int32{}
	for _, report := range part { // in order of id, so members are too
		groups[root(report)] = append(groups[root(report)], report)
	}
	return slices.SortedFunc(maps.Values(groups), func(a, b []int32) int { return cmp.Compare(g.graph.ids[a[0]], g.graph.ids[b[0]]) })
}

func (g *Grouper) names(reports []int32) []string {
	ids := make([]string, len(reports))
	for i, report := range reports {
		ids[i] = g.graph.ids[report]
	}
	return ids
}
