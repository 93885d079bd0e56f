package curator

import "slices"

// clustering is an average-linkage clustering. Groups are named by their least member.
type clustering struct {
	of        []int          // the group of each member
	left      []int          // groups that aren't merged into another, in order
	size      []float64      // of a group
	agreement [][]float64    // of two groups: the sum over pairs of members
	forbidden []map[int]bool // of a group: those that it must not merge with
}

// newClustering begins with every member on its own. agreement is the same both ways round.
func newClustering(members int, agreement func(i, j int) float64) *clustering {
	c := &clustering{agreement: make([][]float64, members), forbidden: make([]map[int]bool, members)}
	for i := range members {
		c.of, c.left, c.size = append(c.of, i), append(c.left, i), append(c.size, 1)
		c.agreement[i], c.forbidden[i] = make([]float64, members), map[int]bool{}
		for j := range i {
			c.agreement[i][j] = agreement(i, j)
			c.agreement[j][i] = c.agreement[i][j]
		}
	}
	return c
}

// forbid keeps the groups of two members apart.
func (c *clustering) forbid(a, b int) {
	a, b = c.of[a], c.of[b]
	c.forbidden[a][b], c.forbidden[b][a] = true, true
}

// join merges the groups of two members, unless they are to be kept apart.
func (c *clustering) join(a, b int) {
	if a, b = c.of[a], c.of[b]; a != b && !c.forbidden[a][b] {
		c.merge(min(a, b), max(a, b))
	}
}

// mergeBest merges the two groups whose mean agreement is greatest, of equals the least, if it is floor at least, and reports whether
// there were any. Looking at all pairs each time takes a second or two for the largest part.
func (c *clustering) mergeBest(floor float64) bool {
	into, from, best := 0, 0, 0.0
	for i, a := range c.left {
		with, size := c.agreement[a], c.size[a]
		for _, b := range c.left[i+1:] {
			mean := with[b] / (size * c.size[b])
			if mean >= floor && mean > best && !c.forbidden[a][b] {
				into, from, best = a, b, mean
			}
		}
	}
	if best > 0 {
		c.merge(into, from)
	}
	return best > 0
}

// merge moves the members of a group into another.
func (c *clustering) merge(into, from int) {
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
