package worker

import (
	"maps"
	"slices"

	"agentlore/curator"
	"agentlore/lore"
)

// erased is what was erased since the last pass settled.
type erased struct {
	reports []string // that are there no more
	around  []string // that were linked to one of them or named with one
}

// readErased reads what was erased since the last pass settled. A report that is there again, since its source said the same again, is
// a new one and none of them.
func (p *pass) readErased() (erased, error) {
	since := p.progress.SettledAt
	if !since.IsZero() {
		since = since.Add(-visibleAfter)
	}
	decisions, err := p.Store.ErasedSince(p.ctx, since)
	if err != nil || len(decisions) == 0 {
		return erased{}, err
	}
	p.accounts, p.decided = accountMemory{}, decided{} // their sources may have contributed less, or be gone
	p.accounts.trim()
	gone, around := map[string]bool{}, map[string]bool{}
	for _, decision := range decisions {
		if decision.Subject.Collection == lore.Submissions {
			gone[decision.Subject.ID] = true
		}
		for _, id := range decision.Others {
			around[id] = true
		}
	}
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(gone)), profilePage) {
		again, err := p.Store.Reports(p.ctx, ids)
		if err != nil {
			return erased{}, err
		}
		maps.DeleteFunc(gone, func(id string, _ bool) bool { _, there := again[id]; return there })
	}
	return erased{slices.Sorted(maps.Keys(gone)), slices.Sorted(maps.Keys(around))}, nil
}

// markErased takes erased reports out of the links of others, whose groups are divided anew without them.
func (p *pass) markErased() error {
	found, err := p.readErased()
	if err != nil || len(found.reports) == 0 || p.progress.Everything { // a pass over everything doesn't meet them
		return err
	}
	gone := map[string]bool{}
	for _, id := range found.reports {
		gone[id] = true
	}
	for ids := range slices.Chunk(found.reports, linksPage) { // a pass under way may have linked them after all
		stored, err := p.Store.Links(p.ctx, ids)
		if err != nil {
			return err
		}
		for _, row := range stored {
			for _, neighbour := range row.Neighbours {
				found.around = append(found.around, neighbour.ID)
			}
		}
	}
	around := slices.DeleteFunc(distinct(found.around), func(id string) bool { return gone[id] })
	p.groups.forget(around)
	for ids := range slices.Chunk(around, profilePage) {
		if err := p.unlinkErased(ids, gone); err != nil {
			return err
		}
	}
	return nil
}

// unlinkErased is markErased for some of the reports around.
func (p *pass) unlinkErased(ids []string, gone map[string]bool) error {
	there, err := p.Store.Links(p.ctx, ids) // what isn't a report, or no more, has none
	if err != nil {
		return err
	}
	rows, err := p.rows(slices.Collect(maps.Keys(there)))
	if err != nil {
		return err
	}
	var changed []string
	for id, row := range rows {
		before := len(row.Neighbours)
		row.Neighbours = slices.DeleteFunc(row.Neighbours, func(n lore.Neighbour) bool { return gone[n.ID] })
		if len(row.Neighbours) < before {
			changed = append(changed, id)
		}
	}
	return p.writeRows(rows, distinct(changed))
}

// settleErased deletes what this pass or the one before wrote of reports that it had read before they were erased, and returns what is to
// be judged anew without them: nothing of an erased report is left when the pass that began after its erasure has ended.
func (p *pass) settleErased() ([]string, error) {
	found, err := p.readErased()
	if err != nil || len(found.reports) == 0 {
		return found.around, err
	}
	made := make([]string, 0, 2*len(found.reports))
	for _, id := range found.reports {
		made = append(made, curator.PatternID(id), curator.UnitID(id))
	}
	left, err := p.Store.DropErased(p.ctx, found.reports, made)
	if err != nil {
		return nil, err
	}
	if err := p.Store.Refresh(p.ctx); err != nil {
		return nil, err
	}
	return distinct(slices.Concat(found.around, left, made)), nil
}
