package curator

import (
	"cmp"
	"math"
	"slices"
)

// What decides on links; `go run ./scripts/patterns evaluate` shows what other values give.
const (
	// LinkFloor is the probability from which a compared pair is worth keeping as a link. Weaker ones only add noise.
	LinkFloor = 0.2
	// neighbourFloor is the probability from which the neighbours of a neighbour are compared too. Without that, a pattern
	// with more reports than there are candidates falls apart.
	neighbourFloor = 0.3
	// mostNeighbours is how many neighbours of a report are compared with each other, the nearest: pairs are their square.
	mostNeighbours = 64
	// mostLinks is how many links a report keeps, the strongest: more than a pattern may have reports before it over-correlates.
	mostLinks = 256
)

// linkSteps is how finely a probability is kept: as a whole number, so that sums are the same in any order.
const linkSteps = math.MaxUint16

// edge is a link of a report to another one, or to itself: each report is linked to itself with the probability 1.
type edge struct {
	to      int32
	steps   uint16 // the probability
	derived bool   // the two were compared because of a common neighbour
}

// node is a report in the graph.
type node struct {
	id, fingerprint string
	telling         []uint32
	edges           []edge // in order of to
	norm            float64
	pass            int64 // the last one that changed it
	judged, with    int32 // number of the judgement that was made of its group, and how many reports that had; 0: none
	unsaved         bool
	fresh           bool // compared in this pass: its links lead to further comparisons
}

// LinkGraph holds all compared reports: their links, their fingerprints, and the telling terms by which candidates are found. A
// report takes about a kilobyte. Reports have numbers here, which hold as long as the graph lives. It is for one goroutine.
type LinkGraph struct {
	pass   int64
	judged int32 // number of the last judgement
	nodes  []node
	number map[string]int32
	equal  map[string][]int32 // reports by fingerprint

	postings []uint64       // a telling term in the upper half, a report's number in the lower; in order
	unposted map[int32]bool // reports whose telling terms changed since
	weights  []float64      // scratch, by number; all 0 between calls
}

// NewLinkGraph returns an empty graph.
func NewLinkGraph() *LinkGraph {
	return &LinkGraph{number: map[string]int32{}, equal: map[string][]int32{}, unposted: map[int32]bool{}}
}

// Begin begins a pass: what changes from now on is of it.
func (g *LinkGraph) Begin(pass int64) {
	g.pass = pass
	for i := range g.nodes {
		g.nodes[i].fresh = false
	}
}

// Number returns the number of a report, a new one where it has none.
func (g *LinkGraph) Number(id string) int32 {
	number, known := g.number[id]
	if !known {
		number = int32(len(g.nodes))
		g.number[id] = number
		g.nodes = append(g.nodes, node{id: id, edges: []edge{{to: number, steps: linkSteps}}, norm: linkSteps})
		g.weights = append(g.weights, 0)
	}
	return number
}

// ID returns the id of a report.
func (g *LinkGraph) ID(number int32) string { return g.nodes[number].id }

// Add adds a report that is compared in this pass, be it new or of other words than before, and returns its number.
func (g *LinkGraph) Add(id, fingerprint string, telling []uint32) int32 {
	number := g.Number(id)
	if n := g.nodes[number]; len(n.edges) > 1 && (fingerprint == "" || n.fingerprint != fingerprint) {
		g.Remove([]string{id}) // its links are those of other words
	}
	g.describe(number, fingerprint, telling)
	n := &g.nodes[number]
	n.fresh, n.unsaved, n.pass, n.judged = true, true, g.pass, 0
	return number
}

// IsOf reports whether a report was compared with the words of a fingerprint.
func (g *LinkGraph) IsOf(id, fingerprint string) bool {
	number, known := g.number[id]
	return known && g.nodes[number].fingerprint == fingerprint
}

func (g *LinkGraph) describe(number int32, fingerprint string, telling []uint32) {
	n := &g.nodes[number]
	if n.fingerprint != "" {
		g.equal[n.fingerprint] = slices.DeleteFunc(g.equal[n.fingerprint], func(other int32) bool { return other == number })
	}
	if fingerprint != "" {
		g.equal[fingerprint] = append(g.equal[fingerprint], number)
	}
	n.fingerprint, n.telling, g.unposted[number] = fingerprint, telling, true
}

// find returns where the edge to a report is, or would be.
func (n *node) find(to int32) (at int, there bool) {
	return slices.BinarySearchFunc(n.edges, to, func(e edge, to int32) int { return cmp.Compare(e.to, to) })
}

// Linked reports whether two reports have a link.
func (g *LinkGraph) Linked(a, b int32) bool {
	_, there := g.nodes[a].find(b)
	if !there { // one of too many links may have dropped it
		_, there = g.nodes[b].find(a)
	}
	return there
}

// Link links two reports, or gives their link another probability; one below LinkFloor is no link. Derived says that they were
// compared because of a common neighbour.
func (g *LinkGraph) Link(a, b int32, probability float64, derived bool) {
	if probability < LinkFloor {
		return
	}
	steps := uint16(math.Round(probability * linkSteps))
	g.set(a, edge{b, steps, derived})
	g.set(b, edge{a, steps, derived})
}

func (g *LinkGraph) set(number int32, e edge) {
	n := &g.nodes[number]
	at, there := n.find(e.to)
	switch {
	case there && (n.edges[at] == e || e.derived && !n.edges[at].derived):
		return
	case there:
		n.edges[at] = e
	default:
		if len(n.edges) > mostLinks {
			weakest := slices.MaxFunc(n.edges, g.byStrength)
			if g.byStrength(e, weakest) > 0 {
				return
			}
			n.edges = slices.DeleteFunc(n.edges, func(known edge) bool { return known == weakest })
			at, _ = n.find(e.to)
		}
		n.edges = slices.Insert(n.edges, at, e)
	}
	g.touch(n)
}

// touch notes that a report's edges have changed.
func (g *LinkGraph) touch(n *node) {
	n.weigh()
	n.unsaved, n.pass = true, g.pass
}

func (n *node) weigh() {
	squares := uint64(0)
	for _, e := range n.edges {
		squares += uint64(e.steps) * uint64(e.steps)
	}
	n.norm = math.Sqrt(float64(squares))
}

// byStrength orders edges, the strongest first, of equals the one to the lesser id.
func (g *LinkGraph) byStrength(a, b edge) int {
	return cmp.Or(cmp.Compare(b.steps, a.steps), cmp.Compare(g.nodes[a.to].id, g.nodes[b.to].id))
}

// Remove takes reports that are no more out of the graph. Those that were linked to one have changed.
func (g *LinkGraph) Remove(ids []string) {
	gone := map[int32]bool{}
	for _, id := range ids {
		if number, known := g.number[id]; known {
			gone[number] = true
			for _, equal := range g.equal[g.nodes[number].fingerprint] {
				g.nodes[equal].pass, g.nodes[equal].judged = g.pass, 0
			}
			g.describe(number, "", nil)
			g.nodes[number] = node{id: id, edges: []edge{{to: number, steps: linkSteps}}, norm: linkSteps}
		}
	}
	for i := range g.nodes {
		n := &g.nodes[i]
		before := len(n.edges)
		n.edges = slices.DeleteFunc(n.edges, func(e edge) bool { return gone[e.to] && e.to != int32(i) })
		if len(n.edges) < before {
			g.touch(n)
			n.judged = 0
		}
	}
}

// Touch makes the groups of reports be looked at in this pass, though their links are what they were.
func (g *LinkGraph) Touch(ids []string) {
	for _, id := range ids {
		if number, known := g.number[id]; known {
			g.touch(&g.nodes[number])
			g.nodes[number].judged = 0
		}
	}
}

// ChangedIn returns the reports that a pass changed, in order of id.
func (g *LinkGraph) ChangedIn(pass int64) (changed []int32) {
	for i := range g.nodes {
		if g.nodes[i].pass == pass {
			changed = append(changed, int32(i))
		}
	}
	slices.SortFunc(changed, func(a, b int32) int { return cmp.Compare(g.nodes[a].id, g.nodes[b].id) })
	return changed
}

// IsChanged reports whether a pass changed a report's links.
func (g *LinkGraph) IsChanged(id string, pass int64) bool {
	number, known := g.number[id]
	return known && g.nodes[number].pass == pass
}

// Judge notes that a group of reports is judged as it is.
func (g *LinkGraph) Judge(group []string) {
	g.judged++
	for _, id := range group {
		n := &g.nodes[g.Number(id)]
		n.judged, n.with = g.judged, int32(len(group))
	}
}

// Unjudge forgets all judgements: what came of them may not be stored.
func (g *LinkGraph) Unjudge() {
	for i := range g.nodes {
		g.nodes[i].judged = 0
	}
}

// IsCurated reports whether a group's reports were all compared in earlier passes. If they were one pattern then, nothing of that has changed
// by links.
func (g *LinkGraph) IsCurated(group []string) bool {
	return !slices.ContainsFunc(group, func(id string) bool { return g.nodes[g.Number(id)].fresh })
}

// IsJudged reports whether each of a group's reports was judged last in just this group. A worker that has
// just started doesn't know.
func (g *LinkGraph) IsJudged(group []string) bool {
	first := g.nodes[g.Number(group[0])]
	return first.judged > 0 && int(first.with) == len(group) && !slices.ContainsFunc(group, func(id string) bool {
		return g.nodes[g.Number(id)].judged != first.judged
	})
}

// Uncompared returns the pairs among a report's nearest neighbours that have no link and of which at least one was found in this
// pass. Only links that words found lead on: what is compared then depends on the reports alone, not on the order of their coming.
func (g *LinkGraph) Uncompared(report int32) [][2]int32 {
	n := &g.nodes[report]
	var near []edge
	for _, e := range n.edges {
		if e.to != report && !e.derived && float64(e.steps)/linkSteps >= neighbourFloor {
			near = append(near, e)
		}
	}
	slices.SortFunc(near, g.byStrength)
	near = near[:min(mostNeighbours, len(near))]
	var pairs [][2]int32
	for i, a := range near {
		for _, b := range near[i+1:] {
			if (n.fresh || g.nodes[a.to].fresh || g.nodes[b.to].fresh) && !g.Linked(a.to, b.to) {
				pairs = append(pairs, [2]int32{min(a.to, b.to), max(a.to, b.to)})
			}
		}
	}
	return pairs
}
