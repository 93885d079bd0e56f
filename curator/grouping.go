package curator

import "slices"

// grouping is the state of an average-linkage clustering of one part. Groups are named by their least report's place. What two
// groups agree is kept for all pairs: a part is small, and looking through a row of memory is the quickest way to find the best.
type grouping struct {
	reports   int
	left      []int          // groups that aren't merged into another, in order
	group     []int          // of a report: the group that it belongs to
	size      []float64      // of a group
	agreement []float64      // of two groups, row by row: the sum over pairs of members
	forbidden []map[int]bool // of a group: those that it must not merge with
	best      []int          // of a group: the one that it agrees with most, or -1
	bestMean  []float64
}

// newGrouping begins with every report on its own. Agreements are those of two reports by their places, row by row; what they are
// of a report with itself doesn't matter.
func newGrouping(reports int, agreement []float64) *grouping {
	g := &grouping{
		reports: reports, left: make([]int, reports), group: make([]int, reports), size: make([]float64, reports), agreement: agreement,
		forbidden: make([]map[int]bool, reports), best: make([]int, reports), bestMean: make([]float64, reports),
	}
	for i := range reports {
		g.left[i], g.group[i], g.size[i] = i, i, 1
	}
	for i := range reports {
		g.findBest(i)
	}
	return g
}

// row returns what a group agrees with each.
func (g *grouping) row(group int) []float64 {
	return g.agreement[group*g.reports : (group+1)*g.reports]
}

func (g *grouping) forbid(a, b int) {
	if a == b {
		return
	}
	for _, pair := range [][2]int{{a, b}, {b, a}} {
		if g.forbidden[pair[0]] == nil {
			g.forbidden[pair[0]] = map[int]bool{}
		}
		g.forbidden[pair[0]][pair[1]] = true
		g.findBest(pair[0])
	}
}

func (g *grouping) join(a, b int) {
	if g.group[a] != g.group[b] && !g.forbidden[g.group[a]][g.group[b]] {
		g.merge(g.group[a], g.group[b])
	}
}

// findBest finds the group that one agrees with most; of equals, the one of least place.
func (g *grouping) findBest(group int) {
	g.best[group], g.bestMean[group] = -1, 0
	row, size := g.row(group), g.size[group]
	for _, other := range g.left {
		if other != group {
			g.offer(group, other, row[other]/(size*g.size[other]))
		}
	}
}

// offer makes another group a group's best, where it agrees more than the best so far.
func (g *grouping) offer(group, other int, mean float64) {
	if mean < AgreementFloor || mean < g.bestMean[group] || mean == g.bestMean[group] && other > g.best[group] || g.forbidden[group][other] {
		return
	}
	g.best[group], g.bestMean[group] = other, mean
}

// mergeBest merges the two groups that agree most and reports whether there were any.
func (g *grouping) mergeBest() bool {
	chosen := -1
	for _, i := range g.left {
		if g.best[i] >= 0 && (chosen < 0 || g.bestMean[i] > g.bestMean[chosen]) {
			chosen = i
		}
	}
	if chosen < 0 {
		return false
	}
	g.merge(chosen, g.best[chosen])
	return true
}

// merge moves the group of higher place into the other.
func (g *grouping) merge(a, b int) {
	into, from := min(a, b), max(a, b)
	at, _ := slices.BinarySearch(g.left, from)
	g.left = slices.Delete(g.left, at, at+1)
	rowInto, rowFrom := g.row(into), g.row(from)
	for _, other := range g.left {
		rowInto[other] += rowFrom[other]
		g.row(other)[into] = rowInto[other]
	}
	g.size[into] += g.size[from]
	for other := range g.forbidden[from] {
		delete(g.forbidden[other], from)
		g.forbid(into, other)
	}
	g.forbidden[from] = nil
	for i, group := range g.group {
		if group == from {
			g.group[i] = into
		}
	}
	g.findBest(into)
	for _, other := range g.left {
		switch {
		case other == into:
		case g.best[other] == from || g.best[other] == into:
			g.findBest(other) // it may agree less with what they became
		default:
			g.offer(other, into, rowInto[other]/(g.size[into]*g.size[other]))
		}
	}
}

// result returns the places of each group's reports, in order.
func (g *grouping) result() [][]int {
	members := map[int][]int{}
	for i, group := range g.group {
		members[group] = append(members[group], i)
	}
	groups := make([][]int, 0, len(members))
	for _, group := range g.left {
		groups = append(groups, members[group])
	}
	return groups
}
