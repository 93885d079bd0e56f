package curator

import (
	"math"

	"agentlore/lore"
)

// LinkGraph is what is known of which reports are linked. A report's row is its links and, with 1, itself: two reports
// agree as far as their rows point the same way.
//
// It outlives a Grouper: who holds the curator's lease keeps it from pass to pass, and reads only what it doesn't hold. Reports are
// numbers in it and rows hold no pointers, so that Go's collector passes over the links: three millions of 100,000 reports take
// 24 MiB.
type LinkGraph struct {
	since   int64 // the pass that all older ones count as
	ids     []string
	number  map[string]int32
	rows    [][]rowEntry // of a report; nil: not known
	lengths []float64    // of rows, in steps
	entries int          // of all rows
	equal   fingerprintIndex

	shared  []uint64 // of a report, by number, while near looks at its surroundings; all 0 otherwise
	spread  []uint32 // one row, by number, while agreements compares others with it; all 0 otherwise
	touched []int32  // what isn't 0 in shared
}

// rowEntry is one link of a report: to which report (27 bits), how many passes after the graph's first it was made (20), whether it is
// derived, and its probability in the steps in which it is stored (16). As whole numbers, sums of probabilities are the same in any
// order, as sums of floats are not.
type rowEntry uint64

const (
	stepBits, derivedBit, passShift, toShift = 16, 1 << 16, 17, 37
	// mostPasses is how many passes after its first a graph can tell apart.
	mostPasses = 1<<(toShift-passShift) - 1
	// mostGraphReports is how many reports a graph can hold.
	mostGraphReports = 1 << (64 - toShift)
)

func (e rowEntry) to() int32     { return int32(e >> toShift) }
func (e rowEntry) steps() uint64 { return uint64(e) & (1<<stepBits - 1) }

// NewLinkGraph returns a graph that knows nothing. Links of passes before since are taken for that one's: what matters of a link's
// pass is whether it is the pass under way, and whether it is older than the last rebuild.
func NewLinkGraph(since int64) *LinkGraph {
	return &LinkGraph{since: since, number: map[string]int32{}, equal: fingerprintIndex{first: map[string]int32{}, complete: map[string]bool{}}}
}

// What a report and a link take in memory, bytes, about.
const (
	graphReportBytes = 280 // id and fingerprint, places in maps, a row's header
	graphLinkBytes   = 9
)

// Size is about how many bytes the graph takes.
func (g *LinkGraph) Size() int { return len(g.ids)*graphReportBytes + g.entries*graphLinkBytes }

// Holds reports whether the graph can take links of a pass, and of as many reports more as it has.
func (g *LinkGraph) Holds(pass int64) bool {
	return pass-g.since <= mostPasses && len(g.ids) <= mostGraphReports/2
}

// numberOf returns the number that stands for a report here.
func (g *LinkGraph) numberOf(id string) int32 {
	number, known := g.number[id]
	if !known {
		number = int32(len(g.ids))
		g.number[id] = number
		g.ids, g.rows, g.lengths = append(g.ids, id), append(g.rows, nil), append(g.lengths, 0)
		g.shared, g.spread = append(g.shared, 0), append(g.spread, 0)
		g.equal.grow()
	}
	return number
}

// Known reports whether a report's links are known.
func (g *LinkGraph) Known(id string) bool {
	number, there := g.number[id]
	return there && g.rows[number] != nil
}

// Set sets a report's links. Those below LinkFloor are left out.
func (g *LinkGraph) Set(links lore.Links) {
	number := g.numberOf(links.ID)
	row := make([]rowEntry, 0, len(links.Neighbours)+1)
	row = append(row, rowEntry(number)<<toShift|lore.LinkSteps)
	for _, n := range links.Neighbours {
		if n.Probability < LinkFloor || n.ID == links.ID {
			continue
		}
		e := rowEntry(g.numberOf(n.ID))<<toShift | rowEntry(max(0, n.Pass-g.since))<<passShift | rowEntry(math.Round(n.Probability*lore.LinkSteps))
		if n.Derived {
			e |= derivedBit
		}
		row = append(row, e)
	}
	squares := uint64(0)
	for _, e := range row {
		squares += e.steps() * e.steps()
	}
	g.entries += len(row) - len(g.rows[number])
	g.rows[number], g.lengths[number] = row, math.Sqrt(float64(squares))
	g.equal.set(number, links.Fingerprint)
}

// Links returns a report's links in the order in which they were set, as precise as they are stored. They must be known.
func (g *LinkGraph) Links(id string) lore.Links {
	number := g.number[id]
	row := g.rows[number][1:]
	links := lore.Links{ID: g.ids[number], Fingerprint: g.equal.of[number], Neighbours: make([]lore.Neighbour, len(row))}
	for i, e := range row {
		links.Neighbours[i] = lore.Neighbour{
			ID: g.ids[e.to()], Probability: float64(e.steps()) / lore.LinkSteps, Derived: e&derivedBit != 0, Pass: g.since + int64(e>>passShift&mostPasses),
		}
	}
	return links
}

// agreements calls found with the cosine of a report's row and that of each of the others, by its place among them. It is the same
// both ways round and whatever their numbers. All rows must have been set.
func (g *LinkGraph) agreements(report int32, others []int32, found func(place int, agreement float64)) {
	for _, e := range g.rows[report] {
		g.spread[e.to()] = uint32(e.steps())
	}
	for place, other := range others {
		products := uint64(0)
		for _, e := range g.rows[other] {
			products += e.steps() * uint64(g.spread[e.to()])
		}
		found(place, float64(products)/(g.lengths[report]*g.lengths[other]))
	}
	for _, e := range g.rows[report] {
		g.spread[e.to()] = 0
	}
}

// near returns the reports that may agree with a report by floor, itself left out, as far as the rows around it tell: those
// whose shared links are that many of its own. The other's length is at least 1, its link to itself, so most need not be read to
// know that they don't agree; of those that were, the length tells more, as long as no row around is full and may lack a link.
// Rows of the report and of those it is linked to must have been set.
func (g *LinkGraph) near(report int32, floor float64) []int32 {
	full := false
	for _, e := range g.rows[report] {
		full = full || len(g.rows[e.to()]) > MostLinks
		for _, back := range g.rows[e.to()] {
			other := back.to()
			if g.shared[other] == 0 {
				g.touched = append(g.touched, other)
			}
			g.shared[other] += e.steps() * back.steps()
		}
	}
	var found []int32
	least := floor * (1 - 1e-6) * g.lengths[report] * lore.LinkSteps
	for _, other := range g.touched {
		shared := float64(g.shared[other])
		if other != report && shared >= least && (full || g.rows[other] == nil || shared >= floor*(1-1e-6)*g.lengths[report]*g.lengths[other]) {
			found = append(found, other)
		}
		g.shared[other] = 0
	}
	g.touched = g.touched[:0]
	return found
}
