package curator

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// What decides on patterns. Each was chosen on the labelled contests of docs/patterns-evaluation.md, which shows what
// neighbouring values give.
const (
	// MaxCandidates is how many reports a new one is compared with first, best by keywords.
	MaxCandidates = 50
	// LinkFloor is the probability from which a compared pair is worth keeping as a link. Weaker ones only add noise.
	LinkFloor = 0.2
	// NeighbourFloor is the probability from which the neighbours of a neighbour are compared too. Without that, a pattern
	// with more reports than there are candidates falls apart.
	NeighbourFloor = 0.3
	// AgreementFloor is the least mean agreement between two groups that are merged.
	AgreementFloor = 0.75
)

// Link is a compared pair of reports and the probability (0 to 1) that they are of one thing.
type Link struct {
	A, B        string
	Probability float64
}

// Pair is two reports without an order.
type Pair struct{ A, B string }

// ordered returns the pair with the lesser id first.
func (p Pair) ordered() Pair { return Pair{min(p.A, p.B), max(p.A, p.B)} }

// Uncompared returns the pairs that share a neighbour, with both at NeighbourFloor or above, and have no link yet, in order.
// Links below LinkFloor count as compared, so give them all; compare what comes back and add it to the links.
func Uncompared(links []Link) []Pair {
	neighbours, known := map[string][]string{}, map[Pair]bool{}
	for _, link := range links {
		known[Pair{link.A, link.B}.ordered()] = true
		if link.Probability >= NeighbourFloor {
			neighbours[link.A] = append(neighbours[link.A], link.B)
			neighbours[link.B] = append(neighbours[link.B], link.A)
		}
	}
	var missing []Pair
	for _, around := range neighbours {
		for i, a := range around {
			for _, b := range around[i+1:] {
				pair := Pair{a, b}.ordered()
				if a != b && !known[pair] {
					known[pair] = true
					missing = append(missing, pair)
				}
			}
		}
	}
	slices.SortFunc(missing, func(x, y Pair) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) })
	return missing
}

// Groups divides reports into patterns. Two reports agree as far as they are linked to the same reports (the cosine of
// their links, each being linked to itself by 1), and groups merge from the most agreeing on while they agree by
// AgreementFloor on average: so neither one strong link nor a chain of them makes a pattern.
//
// same are pairs that are of one pattern whatever the links say: equal fingerprints, an operator's merge. apart are pairs
// that must not be, an operator's split; they win over links, and over same.
//
// The result depends on the set of reports and links only, not on their order, and is the same for every connected part
// alone as for all together: an incremental pass gives Groups what is linked to its new reports, directly or not. Every
// report is in exactly one group; groups and their members are in order of id.
func Groups(reports []string, links []Link, same, apart []Pair) [][]string {
	var groups [][]string
	for _, part := range connected(reports, links, same) {
		g := newGrouping(part.reports, part.links)
		for _, pair := range apart {
			g.forbid(pair)
		}
		for _, pair := range part.same {
			g.join(pair)
		}
		for g.mergeBest() {
		}
		groups = append(groups, g.result()...)
	}
	slices.SortFunc(groups, func(a, b []string) int { return cmp.Compare(a[0], b[0]) })
	return groups
}

// part is reports that are linked with each other, directly or not, and with no others.
type part struct {
	reports []string
	links   []Link
	same    []Pair
}

// connected divides reports into parts. Its pairs of same are in order.
func connected(reports []string, links []Link, same []Pair) []*part {
	parent := make(map[string]string, len(reports))
	for _, id := range reports {
		parent[id] = id
	}
	root := func(id string) string {
		for parent[id] != id {
			parent[id] = parent[parent[id]]
			id = parent[id]
		}
		return id
	}
	known := func(a, b string) bool {
		_, hasA := parent[a]
		_, hasB := parent[b]
		return hasA && hasB
	}
	for _, link := range links {
		if link.Probability >= LinkFloor && known(link.A, link.B) {
			parent[root(link.A)] = root(link.B)
		}
	}
	for _, pair := range same {
		if known(pair.A, pair.B) {
			parent[root(pair.A)] = root(pair.B)
		}
	}
	parts := map[string]*part{}
	for id := range parent {
		if parts[root(id)] == nil {
			parts[root(id)] = &part{}
		}
		parts[root(id)].reports = append(parts[root(id)].reports, id)
	}
	for _, link := range links {
		if link.Probability >= LinkFloor && known(link.A, link.B) {
			parts[root(link.A)].links = append(parts[root(link.A)].links, link)
		}
	}
	for _, pair := range same {
		if known(pair.A, pair.B) {
			parts[root(pair.A)].same = append(parts[root(pair.A)].same, pair.ordered())
		}
	}
	for _, p := range parts {
		slices.SortFunc(p.same, func(x, y Pair) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) })
	}
	return slices.Collect(maps.Values(parts))
}

// grouping is the state of an average-linkage clustering. Groups are named by their least report's number.
type grouping struct {
	ids       []string
	number    map[string]int
	group     []int             // of a report: the group that it belongs to
	size      []float64         // of a group; 0: merged into another
	agreement []map[int]float64 // of a group with others: the sum over pairs of members
	forbidden []map[int]bool    // of a group: those that it must not merge with
	best      []int             // of a group: the one that it agrees with most, or -1
	bestMean  []float64
}

func newGrouping(reports []string, links []Link) *grouping {
	ids := slices.Compact(slices.Sorted(slices.Values(reports)))
	g := &grouping{ids: ids, number: make(map[string]int, len(ids)), group: make([]int, len(ids)), size: make([]float64, len(ids)),
		agreement: make([]map[int]float64, len(ids)), forbidden: make([]map[int]bool, len(ids)), best: make([]int, len(ids)), bestMean: make([]float64, len(ids))}
	for i, id := range ids {
		g.number[id], g.group[i], g.size[i] = i, i, 1
		g.agreement[i], g.forbidden[i] = map[int]float64{}, map[int]bool{}
	}
	rows, lengths := g.rows(links)
	for i := range rows {
		g.agree(rows, lengths, i)
	}
	for i := range ids {
		g.findBest(i)
	}
	return g
}

// entry is one link of a report.
type entry struct {
	to    int
	value float64
}

// rows returns each report's links by number, itself among them, and their lengths as vectors. Of several links of one
// pair the strongest counts.
func (g *grouping) rows(links []Link) ([][]entry, []float64) {
	strongest := map[[2]int]float64{}
	for _, link := range links {
		a, knownA := g.number[link.A]
		b, knownB := g.number[link.B]
		if knownA && knownB && a != b && link.Probability >= LinkFloor {
			pair := [2]int{min(a, b), max(a, b)}
			strongest[pair] = max(strongest[pair], link.Probability)
		}
	}
	rows := make([][]entry, len(g.ids))
	for i := range rows {
		rows[i] = []entry{{i, 1}}
	}
	for pair, value := range strongest {
		rows[pair[0]] = append(rows[pair[0]], entry{pair[1], value})
		rows[pair[1]] = append(rows[pair[1]], entry{pair[0], value})
	}
	lengths := make([]float64, len(rows))
	for i, row := range rows {
		// In order, because a sum of floats depends on it.
		slices.SortFunc(row, func(x, y entry) int { return cmp.Compare(x.to, y.to) })
		squares := 0.0
		for _, e := range row {
			squares += e.value * e.value
		}
		lengths[i] = math.Sqrt(squares)
	}
	return rows, lengths
}

// agree sets a report's agreement with those of higher number. Links are the same both ways round, so the rows of the
// reports that it is linked to hold all that share one of them.
func (g *grouping) agree(rows [][]entry, lengths []float64, i int) {
	for _, e := range rows[i] {
		for _, back := range rows[e.to] {
			if back.to > i {
				g.agreement[i][back.to] += e.value * back.value
			}
		}
	}
	for j, sum := range g.agreement[i] {
		if j > i {
			g.agreement[i][j] = sum / (lengths[i] * lengths[j])
			g.agreement[j][i] = g.agreement[i][j]
		}
	}
}

func (g *grouping) forbid(pair Pair) {
	a, knownA := g.number[pair.A]
	b, knownB := g.number[pair.B]
	if knownA && knownB && a != b {
		g.forbidden[a][b], g.forbidden[b][a] = true, true
		g.findBest(a)
		g.findBest(b)
	}
}

func (g *grouping) join(pair Pair) {
	a, knownA := g.number[pair.A]
	b, knownB := g.number[pair.B]
	if knownA && knownB && g.group[a] != g.group[b] && !g.forbidden[g.group[a]][g.group[b]] {
		g.merge(g.group[a], g.group[b])
	}
}

// findBest finds the group that one agrees with most; of equals, the one of least number.
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
	for i := range g.ids {
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

// merge moves the group of higher number into the other.
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

func (g *grouping) result() [][]string {
	members := map[int][]string{}
	for i, group := range g.group {
		members[group] = append(members[group], g.ids[i])
	}
	groups := make([][]string, 0, len(members))
	for i := range g.ids {
		if g.group[i] == i {
			groups = append(groups, members[i])
		}
	}
	return groups
}
