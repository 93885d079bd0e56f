package worker

import (
	"maps"
	"slices"

	"agentlore/curator"
	"agentlore/lore"
)

const (
	// neighbourPage is how many reports' neighbours are looked at at a time.
	neighbourPage = 200
	// mostNeighbours is how many neighbours of a report are compared with each other, the nearest: pairs are their square.
	mostNeighbours = 64
)

// neighbours compares reports that share a neighbour which this pass linked to one of them. Only links that keywords
// found lead on: what is compared then depends on the reports alone, not on the order of their coming.
func (p *pass) neighbours() error {
	if p.progress.InMemory {
		return nil // done with comparing
	}
	if err := p.loadFrequencies(); err != nil {
		return err
	}
	p.tell(phaseNeighbours, 0, 0)
	if p.brief {
		return p.briefNeighbours()
	}
	for done := int64(0); ; {
		page, err := p.Store.ChangedLinks(p.ctx, p.progress.Pass, p.progress.Cursor, neighbourPage)
		if err != nil {
			return err
		}
		if len(page) == 0 {
			return nil
		}
		if err := p.neighbourPage(page); err != nil {
			return err
		}
		p.progress.Cursor = page[len(page)-1]
		if err := p.save(); err != nil {
			return err
		}
		done += int64(len(page))
		p.tell(phaseNeighbours, done, 0)
		if len(page) < neighbourPage {
			return nil
		}
	}
}

// briefNeighbours is neighbours for a brief pass, which has all that it changed in memory and stores it now.
func (p *pass) briefNeighbours() error {
	for page := range slices.Chunk(slices.Sorted(maps.Keys(p.held)), neighbourPage) {
		if err := p.neighbourPage(page); err != nil {
			return err
		}
	}
	return p.writeHeld()
}

func (p *pass) neighbourPage(page []string) error {
	own, err := p.rows(page)
	if err != nil {
		return err
	}
	var pairs []curator.Pair
	var ids []string
	for _, id := range page {
		for _, pair := range p.around(own[id]) {
			if !p.seen.has(pair) {
				pairs = append(pairs, pair)
				ids = append(ids, pair.A, pair.B)
			}
		}
	}
	rows, err := p.rows(ids)
	if err != nil {
		return err
	}
	linked := map[string]map[string]bool{}
	for id, row := range rows {
		linked[id] = make(map[string]bool, len(row.Neighbours))
		for _, n := range row.Neighbours {
			linked[id][n.ID] = true
		}
	}
	pairs = slices.DeleteFunc(pairs, func(pair curator.Pair) bool { return linked[pair.A][pair.B] || linked[pair.B][pair.A] })
	found, err := p.judge(pairs)
	if err != nil {
		return err
	}
	var changed []string
	for _, c := range found {
		changed = append(changed, p.link(rows, c.pair, c.probability, true)...)
	}
	return p.writeRows(rows, distinct(changed))
}

// around returns the pairs of a report's nearest neighbours of which at least one is new in this pass.
func (p *pass) around(row *lore.Links) []curator.Pair {
	near := slices.DeleteFunc(row.Neighbours, func(n lore.Neighbour) bool {
		return n.Derived || n.Probability < curator.NeighbourFloor
	})
	slices.SortFunc(near, byStrength)
	near = near[:min(mostNeighbours, len(near))]
	var pairs []curator.Pair
	for i, a := range near {
		for _, b := range near[i+1:] {
			if a.Pass == p.progress.Pass || b.Pass == p.progress.Pass {
				pairs = append(pairs, curator.Pair{A: min(a.ID, b.ID), B: max(a.ID, b.ID)})
			}
		}
	}
	return pairs
}
