package worker

import (
	"slices"

	"agentlore/curator"
	"agentlore/lore"
)

// erased is what was erased since the last pass settled.
type erased struct {
	reports []string // that are there no more
	named   []string // that were named with one by a pattern or unit, and items that an erased outcome was on
}

// readErased reads what was erased since the last pass settled. A report that is there again, since its source said the same again, is
// a new one and none of them.
func (p *pass) readErased() (found erased, err error) {
	decisions, err := p.Store.Decisions(p.ctx, lore.DecisionFilter{Since: p.since(), Verdicts: []lore.Verdict{lore.VerdictErase}})
	if err != nil {
		return found, err
	}
	for _, decision := range decisions {
		if decision.Subject.Collection == lore.Submissions {
			found.reports = append(found.reports, decision.Subject.ID)
		}
		found.named = append(found.named, decision.Others...)
	}
	found.reports, found.named = distinct(found.reports), distinct(found.named)
	again, err := p.Store.Reports(p.ctx, found.reports)
	found.reports = slices.DeleteFunc(found.reports, func(id string) bool { _, there := again[id]; return there })
	return found, err
}

// settleErased deletes what this pass or the one before wrote of reports that it had read before they were erased, and returns what is to
// be judged anew without them: nothing of an erased report is left when the pass that began after its erasure has ended.
func (p *pass) settleErased() ([]string, error) {
	found, err := p.readErased()
	if err != nil || len(found.reports) == 0 {
		return found.named, err
	}
	p.allFamilies = true // of which the erased reports were isn't known any more
	var made []string
	for _, id := range found.reports {
		made = append(made, curator.PatternID(id), curator.UnitID(id))
	}
	left, err := p.Store.DropErased(p.ctx, found.reports, made)
	if err != nil {
		return nil, err
	}
	return distinct(slices.Concat(found.named, left, made)), p.Store.Refresh(p.ctx)
}
