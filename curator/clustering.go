package curator

import "slices"

// clustering is an average-linkage clustering. Groups are named by their least member.
type clustering struct {
	of        []int          // the group of each member
	left      []int          // groups that aren't merged into another, in order
	size      []float64      // of a group
	agreement [][]float64    // of two groups: the sum over pairs of members
	forbidden []map[int]bool // of a group: those that it must not merge with
	best      []int          // of a group: the one that it agrees with most, or -1
}

// newClustering begins with every member on its own. agreement is the same both ways round.
func newClustering(members int, agreement func(i, j int) float64) *clustering {
	c := &clustering{agreement: make([][]float64, members), forbidden: make([]map[int]bool, members), best: make([]int, members)}
	for i := range members {
		c.of, c.left, c.size = append(c.of, i), append(c.left, i), append(c.size, 1)
		c.agreement[i], c.forbidden[i] = make([]float64, members), map[int]bool{}
		for j := range i {
			c.agreement[i][j] = agreement(i, j)
			c.agreement[j][i] = c.agreement[i][j]
		}
	}
	for i := range members {
		c.findBest(i)
	}
	return c
}

// mean is the mean agreement of two groups.
func (c *clustering) mean(a, b int) float64 { return c.agreement[a][b] / (c.size[a] * c.size[b]) }

// findBest finds the group that one agrees with most; of equals, the least.
func (c *clustering) findBest(group int) {
	c.best[group] = -1
	for _, other := range c.left {
		if other != group {
			c.offer(group, other)
		}
	}
}

// offer makes another group a group's best, where it agrees more than the best so far.
func (c *clustering) offer(group, other int) {
	if c.forbidden[group][other] {
		return
	}
	if best := c.best[group]; best >= 0 {
		if known, mean := c.mean(group, best), c.mean(group, other); mean < known || mean == known && other > best {
			return
		}
	}
	c.best[group] = other
}

// forbid keeps the groups of two members apart.
func (c *clustering) forbid(a, b int) {
	a, b = c.of[a], c.of[b]
	c.forbidden[a][b], c.forbidden[b][a] = true, true
	c.findBest(a)
	c.findBest(b)
}

// join merges the groups of two members, unless they are to be kept apart.
func (c *clustering) join(a, b int) {
	if a, b = c.of[a], c.of[b]; a != b && !c.forbidden[a][b] {
		c.merge(a, b)
	}
}

// mergeBest merges the two groups that agree most, if that is floor at least, and reports whether there were any.
func (c *clustering) mergeBest(floor float64) bool {
	chosen := -1
	for _, group := range c.left {
		if best := c.best[group]; best >= 0 && c.mean(group, best) >= floor {
			if chosen < 0 || c.mean(group, best) > c.mean(chosen, c.best[chosen]) {
				chosen = group
			}
		}
	}
	if chosen >= 0 {
		c.merge(chosen, c.best[chosen])
	}
	return chosen >= 0
}

// merge moves the members of the greater group into the other.
func (c *clustering) merge(a, b int) {
	into, from := min(a, b), max(a, b)
	c.left = slices.DeleteFunc(c.left, func(group int) bool { return group == from })
	for _, other := range c.left {
		c.agreement[into][other] += c.agreement[from][other]
		c.agreement[other][into] = c.agreement[into][other]
	}
	c.size[into] += c.size[from]
	for other := range c.forbidden[from] {
		c.forbidden[into][other], c.forbidden[other][into] = true, true
	}
	for i, group := range c.of {
		if group == from {
			c.of[i] = into
		}
	}
	c.findBest(into)
	for _, other := range c.left {
		switch {
		case other == into:
		case c.best[other] == from || c.best[other] == into: // it may agree less with what they became
			c.findBest(other)
		default:
			c.offer(other, into)
		}
	}
}

// groups returns the members of each group, in order.
func (c *clustering) groups() [][]int {
	members := map[int][]int{}
	for i, group := range c.of {
		members[group] = append(members[group], i)
	}
	groups := make([][]int, len(c.left))
	for i, group := range c.left {
		groups[i] = members[group]
	}
	return groups
}
