package curator

import (
	"math"

	"agentlore/lore"
)

// linkGraph is what is known of which reports are linked. A report's row is its links and, with 1, itself: two reports
// agree as far as their rows point the same way.
type linkGraph struct {
	ids     []string
	number  map[string]int32
	rows    [][]rowEntry // in order of report; nil: not read yet
	lengths []float64    // of rows, in steps

	shared  []uint64 // of a report, by number, while near looks at its surroundings; all 0 otherwise
	spread  []uint32 // one row, by number, while agreements compares others with it; all 0 otherwise
	touched []int32  // what isn't 0 in shared
}

// rowEntry is one link of a report. Probabilities are whole numbers here, in the steps in which they are stored: sums of them are
// the same in any order, as sums of floats are not.
type rowEntry struct {
	to    int32
	value uint32 // the link's probability, of lore.LinkSteps
}

func newLinkGraph() *linkGraph { return &linkGraph{number: map[string]int32{}} }

// numberOf returns the number that stands for a report here.
func (g *linkGraph) numberOf(id string) int32 {
	number, known := g.number[id]
	if !known {
		number = int32(len(g.ids))
		g.number[id] = number
		g.ids, g.rows, g.lengths = append(g.ids, id), append(g.rows, nil), append(g.lengths, 0)
		g.shared, g.spread = append(g.shared, 0), append(g.spread, 0)
	}
	return number
}

// setRow sets a report's links.
func (g *linkGraph) setRow(id string, neighbours []lore.Neighbour) {
	number := g.numberOf(id)
	row := make([]rowEntry, 0, len(neighbours)+1)
	row = append(row, rowEntry{number, lore.LinkSteps})
	for _, n := range neighbours {
		if n.Probability >= LinkFloor && n.ID != id {
			row = append(row, rowEntry{g.numberOf(n.ID), uint32(math.Round(n.Probability * lore.LinkSteps))})
		}
	}
	squares := uint64(0)
	for _, e := range row {
		squares += uint64(e.value) * uint64(e.value)
	}
	g.rows[number], g.lengths[number] = row, math.Sqrt(float64(squares))
}

// agreements calls found with the cosine of a report's row and that of each of the others, by its place among them. It is the same
// both ways round and whatever their numbers. All rows must have been set.
func (g *linkGraph) agreements(report int32, others []int32, found func(place int, agreement float64)) {
	for _, e := range g.rows[report] {
		g.spread[e.to] = e.value
	}
	for place, other := range others {
		products := uint64(0)
		for _, e := range g.rows[other] {
			products += uint64(e.value) * uint64(g.spread[e.to])
		}
		found(place, float64(products)/(g.lengths[report]*g.lengths[other]))
	}
	for _, e := range g.rows[report] {
		g.spread[e.to] = 0
	}
}

// near returns the reports that may agree with a report by floor, itself left out, as far as the rows around it tell: those
// whose shared links are that many of its own. The other's length is at least 1, its link to itself, so most need not be read to
// know that they don't agree. Rows of the report and of those it is linked to must have been set.
func (g *linkGraph) near(report int32, floor float64) []int32 {
	for _, e := range g.rows[report] {
		for _, back := range g.rows[e.to] {
			if g.shared[back.to] == 0 {
				g.touched = append(g.touched, back.to)
			}
			g.shared[back.to] += uint64(e.value) * uint64(back.value)
		}
	}
	var found []int32
	least := floor * (1 - 1e-6) * g.lengths[report] * lore.LinkSteps
	for _, other := range g.touched {
		if other != report && float64(g.shared[other]) >= least {
			found = append(found, other)
		}
		g.shared[other] = 0
	}
	g.touched = g.touched[:0]
	return found
}
