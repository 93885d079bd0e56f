package curator

import "slices"

// grouping is the state of an average-linkage clustering of one part. Groups are named by their least report's place.
type grouping struct {
	group     []int             // of a report: the group that it belongs to
	size      []float64         // of a group; 0: merged into another
	agreement []map[int]float64 // of a group with others: the sum over pairs of members
	forbidden []map[int]bool    // of a group: those that it must not merge with
	best      []int             // of a group: the one that it agrees with most, or -1
	bestMean  []float64
}

// newGrouping begins with every report on its own. Agreements are those of two reports by their places; what isn't there
// is 0.
func newGrouping(agreement []map[int]float64) *grouping {
	n := len(agreement)
	g := &grouping{group: make([]int, n), size: make([]float64, n), agreement: agreement, forbidden: make([]map[int]bool, n), best: make([]int, n), bestMean: make([]float64, n)}
	for i := range n {
		g.group[i], g.size[i], g.forbidden[i] = i, 1, map[int]bool{}
	}
	for i := range n {
		g.findBest(i)
	}
	return g
}

func (g *grouping) forbid(a, b int) {
	if a != b {
		g.forbidden[a][b], g.forbidden[b][a] = true, true
		g.findBest(a)
		g.findBest(b)
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
	for other, sum := range g.agreement[group] {
		mean := sum / (g.size[group] * g.size[other])
		if g.forbidden[group][other] || mean < AgreementFloor {
			continue
		}
		if mean > g.bestMean[group] || mean == g.bestMean[group] && other < g.best[group] {
			g.best[group], g.bestMean[group] = other, mean
		}
	}
}

// mergeBest merges the two groups that agree most and reports whether there were any.
func (g *grouping) mergeBest() bool {
	chosen := -1
	for i := range g.size {
		if g.size[i] > 0 && g.best[i] >= 0 && (chosen < 0 || g.bestMean[i] > g.bestMean[chosen]) {
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
	for other, sum := range g.agreement[from] {
		delete(g.agreement[other], from)
		if other != into {
			g.agreement[into][other] += sum
			g.agreement[other][into] = g.agreement[into][other]
		}
	}
	for other := range g.forbidden[from] {
		delete(g.forbidden[other], from)
		g.forbidden[into][other], g.forbidden[other][into] = true, true
	}
	g.size[into] += g.size[from]
	g.size[from], g.agreement[from], g.forbidden[from] = 0, nil, nil
	for i, group := range g.group {
		if group == from {
			g.group[i] = into
		}
	}
	g.findBest(into)
	for other := range g.agreement[into] {
		// Only what pointed at one of the two, or now agrees more with what they became, can change.
		mean := g.agreement[into][other] / (g.size[into] * g.size[other])
		if g.best[other] == from || g.best[other] == into || mean >= g.bestMean[other] {
			g.findBest(other)
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
	for _, group := range members {
		groups = append(groups, group)
	}
	slices.SortFunc(groups, func(a, b []int) int { return a[0] - b[0] })
	return groups
}
