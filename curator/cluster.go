package curator

import (
	"cmp"
	"slices"

	"agentlore/lore"
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
	// MostLinks is how many links a report keeps, the strongest: more than a pattern may have reports before it over-correlates.
	MostLinks = 256
	// AgreementFloor is the least mean agreement between two groups that are merged.
	AgreementFloor = 0.77
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
// The result depends on the set of reports and links only, not on their order. Every report is in exactly one group; groups
// and their members are in order of id. A Grouper gives the same for some reports and what they reach.
func Groups(reports []string, links []Link, same, apart []Pair) [][]string {
	groups, err := NewGrouper(newLinkList(reports, links, same, apart), NewLinkGraph(0)).Groups(reports)
	if err != nil {
		panic(err) // a list in memory can't fail
	}
	return groups
}

// linkList reads links from memory.
type linkList struct {
	rows        map[string]lore.Links
	same, apart []Pair
}

func newLinkList(reports []string, links []Link, same, apart []Pair) *linkList {
	l := &linkList{rows: make(map[string]lore.Links, len(reports)), apart: apart}
	for _, id := range reports {
		l.rows[id] = lore.Links{ID: id}
	}
	// Of several links of one pair the strongest counts.
	strongest := map[Pair]float64{}
	for _, link := range links {
		if pair := (Pair{link.A, link.B}).ordered(); l.known(pair) {
			strongest[pair] = max(strongest[pair], link.Probability)
		}
	}
	for pair, probability := range strongest {
		for _, p := range []Pair{pair, {pair.B, pair.A}} {
			row := l.rows[p.A]
			row.Neighbours = append(row.Neighbours, lore.Neighbour{ID: p.B, Probability: probability})
			l.rows[p.A] = row
		}
	}
	for _, pair := range same {
		if l.known(pair) {
			l.same = append(l.same, pair)
		}
	}
	return l
}

// known reports whether both of a pair are among the reports.
func (l *linkList) known(pair Pair) bool {
	_, a := l.rows[pair.A]
	_, b := l.rows[pair.B]
	return a && b && pair.A != pair.B
}

// Links returns the links of all reports: they are in memory.
func (l *linkList) Links(ids []string) (map[string]lore.Links, error) { return l.rows, nil }

// Joined returns the pairs with one of the reports that are of one pattern whatever their links say.
func (l *linkList) Joined(ids []string) ([]Pair, error) { return PairsOf(l.same, ids), nil }

// Apart returns the pairs with one of the reports that must not be of one pattern.
func (l *linkList) Apart(ids []string) ([]Pair, error) { return PairsOf(l.apart, ids), nil }

// PairsOf returns the pairs that have one of the ids.
func PairsOf(pairs []Pair, ids []string) []Pair {
	if len(pairs) == 0 {
		return nil
	}
	wanted := make(map[string]bool, len(ids))
	for _, id := range ids {
		wanted[id] = true
	}
	var found []Pair
	for _, pair := range pairs {
		if wanted[pair.A] || wanted[pair.B] {
			found = append(found, pair)
		}
	}
	return found
}
