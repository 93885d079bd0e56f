package curator

import (
	"cmp"
	"math"
	"slices"

	"agentlore/lore"
)

// linkGraph is what is known of which reports are linked. A report's row is its links and, with 1, itself: two reports
// agree as far as their rows point the same way.
type linkGraph struct {
	ids     []string
	number  map[string]int32
	rows    [][]rowEntry // in order of report; nil: not read yet
	lengths []float64
}

// rowEntry is one link of a report.
type rowEntry struct {
	to    int32
	value float32
}

func newLinkGraph() *linkGraph { return &linkGraph{number: map[string]int32{}} }

// numberOf returns the number that stands for a report here.
func (g *linkGraph) numberOf(id string) int32 {
	number, known := g.number[id]
	if !known {
		number = int32(len(g.ids))
		g.number[id] = number
		g.ids, g.rows, g.lengths = append(g.ids, id), append(g.rows, nil), append(g.lengths, 0)
	}
	return number
}

// setRow sets a report's links.
func (g *linkGraph) setRow(id string, neighbours []lore.Neighbour) {
	number := g.numberOf(id)
	row := make([]rowEntry, 0, len(neighbours)+1)
	row = append(row, rowEntry{number, 1})
	for _, n := range neighbours {
		if n.Probability >= LinkFloor && n.ID != id {
			row = append(row, rowEntry{g.numberOf(n.ID), float32(n.Probability)})
		}
	}
	slices.SortFunc(row, func(x, y rowEntry) int { return cmp.Compare(x.to, y.to) })
	// Sums of floats depend on their order, and numbers are given in order of arrival here: the length is made of sorted values.
	values := make([]float64, len(row))
	for i, e := range row {
		values[i] = float64(e.value) * float64(e.value)
	}
	g.rows[number], g.lengths[number] = row, math.Sqrt(sum(values))
}

// sum adds values in order of size, so that the same values give the same sum.
func sum(values []float64) float64 {
	slices.Sort(values)
	total := 0.0
	for _, value := range values {
		total += value
	}
	return total
}

// agreement returns the cosine of two reports' rows, the same both ways round and whatever their numbers.
func (g *linkGraph) agreement(a, b int32) float64 {
	x, y := g.rows[a], g.rows[b]
	var products []float64
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i].to < y[j].to:
			i++
		case x[i].to > y[j].to:
			j++
		default:
			products = append(products, float64(x[i].value)*float64(y[j].value))
			i++
			j++
		}
	}
	if len(products) == 0 {
		return 0
	}
	return sum(products) / (g.lengths[a] * g.lengths[b])
}

// near returns the reports that a report shares a link with, itself left out, each with what their rows share as far as
// the rows around tell. Rows of the report and of those it is linked to must have been set.
func (g *linkGraph) near(report int32) map[int32]float64 {
	found := map[int32]float64{}
	for _, e := range g.rows[report] {
		for _, back := range g.rows[e.to] {
			if back.to != report {
				found[back.to] += float64(e.value) * float64(back.value)
			}
		}
	}
	return found
}
