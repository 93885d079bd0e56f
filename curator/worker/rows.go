package worker

import (
	"cmp"
	"maps"
	"slices"

	"agentlore/curator"
	"agentlore/lore"
)

// rows returns the links of reports, leaving out those of before the last rebuild. Reports without any get an empty row.
func (p *pass) rows(ids []string) (map[string]*lore.Links, error) {
	ids = distinct(ids)
	var unknown []string
	for _, id := range ids {
		if !p.graph.Known(id) {
			unknown = append(unknown, id)
		}
	}
	read, err := p.readLinks(unknown)
	if err != nil {
		return nil, err
	}
	for _, id := range unknown {
		p.graph.Set(read[id])
	}
	rows := make(map[string]*lore.Links, len(ids))
	for _, id := range ids {
		row := p.graph.Links(id)
		rows[id] = &row
	}
	return rows, nil
}

// readLinks reads the stored links of reports, leaving out those of before the last rebuild. Reports without any get an empty row.
func (p *pass) readLinks(ids []string) (map[string]lore.Links, error) {
	links := make(map[string]lore.Links, len(ids))
	if len(ids) == 0 {
		return links, nil
	}
	stored, err := p.Store.Links(p.ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		row := stored[id]
		row.ID = id
		row.Neighbours = p.current(row.Neighbours)
		links[id] = row
	}
	return links, nil
}

// current leaves out links of before the last rebuild.
func (p *pass) current(neighbours []lore.Neighbour) []lore.Neighbour {
	return slices.DeleteFunc(neighbours, func(n lore.Neighbour) bool { return n.Pass < p.progress.Rebuilt })
}

// link adds a link to both rows, or gives it another probability, and returns the ids of the rows that this changed. It is
// new in this pass only where it wasn't there.
func (p *pass) link(rows map[string]*lore.Links, pair curator.Pair, probability float64, derived bool) (changed []string) {
	if p.addLink(rows[pair.A], pair.B, probability, derived) {
		changed = append(changed, pair.A)
	}
	if p.addLink(rows[pair.B], pair.A, probability, derived) {
		changed = append(changed, pair.B)
	}
	return changed
}

func (p *pass) addLink(row *lore.Links, to string, probability float64, derived bool) bool {
	for i, n := range row.Neighbours {
		if n.ID == to {
			if n.Pass == p.progress.Pass && (derived || !n.Derived) {
				return false // words weigh the same throughout a pass
			}
			row.Neighbours[i].Probability = probability
			if n.Derived && !derived { // found by keywords now: its neighbours are to be compared
				row.Neighbours[i].Derived, row.Neighbours[i].Pass = false, p.progress.Pass
			}
			return true
		}
	}
	added := lore.Neighbour{ID: to, Probability: probability, Derived: derived, Pass: p.progress.Pass}
	stronger := 0
	for _, n := range row.Neighbours {
		if byStrength(n, added) < 0 {
			stronger++
		}
	}
	if stronger >= curator.MostLinks {
		return false
	}
	row.Neighbours = append(row.Neighbours, added)
	return true
}

// byStrength orders neighbours, the strongest first.
func byStrength(a, b lore.Neighbour) int {
	return cmp.Or(cmp.Compare(b.Probability, a.Probability), cmp.Compare(a.ID, b.ID))
}

// writeRows stores rows as changed by this pass, the strongest links of each. A brief pass keeps them in memory until it has compared
// neighbours too: nearly all of them change again by that. A kill before that costs a second or two of comparing.
func (p *pass) writeRows(rows map[string]*lore.Links, ids []string) error {
	changed := make([]lore.Links, 0, len(ids))
	for _, id := range ids {
		row := rows[id]
		row.Pass = p.progress.Pass
		slices.SortFunc(row.Neighbours, byStrength)
		row.Neighbours = row.Neighbours[:min(curator.MostLinks, len(row.Neighbours))]
		changed = append(changed, *row)
	}
	if !p.brief {
		return p.writeLinks(changed)
	}
	if p.held == nil {
		p.held = map[string]bool{}
	}
	for _, row := range changed {
		p.graph.Set(row)
		p.held[row.ID] = true
	}
	return nil
}

// writeHeld stores what a brief pass has kept in memory.
func (p *pass) writeHeld() error {
	rows := make([]lore.Links, 0, len(p.held))
	for _, id := range slices.Sorted(maps.Keys(p.held)) {
		row := p.graph.Links(id)
		row.Pass = p.progress.Pass
		rows = append(rows, row)
	}
	p.held = nil
	return p.writeLinks(rows)
}

// writeLinks stores links, and keeps them at hand.
func (p *pass) writeLinks(changed []lore.Links) error {
	pages := slices.Collect(slices.Chunk(changed, linksPage))
	err := together(p.requests(), len(pages), func(i int) error { return p.Store.WriteLinks(p.ctx, pages[i]) })
	if err != nil {
		return err
	}
	for _, row := range changed {
		p.graph.Set(row)
	}
	return nil
}

// compared is a pair of reports and whether it is to be linked.
type compared struct {
	pair        curator.Pair
	probability float64
}

// judge compares pairs, but for those that were compared a while ago, and returns those that are worth a link.
func (p *pass) judge(pairs []curator.Pair) ([]compared, error) {
	pairs = slices.DeleteFunc(pairs, func(pair curator.Pair) bool { return !p.seen.add(pair) })
	var ids []string
	for _, pair := range pairs {
		ids = append(ids, pair.A, pair.B)
	}
	packed, err := p.packedOf(distinct(ids))
	if err != nil {
		return nil, err
	}
	reports := weigher{frequencies: p.frequencies, packed: packed}
	var found []compared
	for _, pair := range pairs {
		a, b := reports.vector(pair.A), reports.vector(pair.B)
		if a == nil || b == nil {
			continue
		}
		if probability := p.Similarity.Probability(a, b); probability >= curator.LinkFloor {
			found = append(found, compared{pair, probability})
		}
	}
	p.count(func(s *Stats) {
		s.Comparisons += int64(len(pairs))
		s.Links += int64(len(found))
	})
	return found, nil
}
