package worker

import (
	"maps"
	"slices"

	"agentlore/curator"
	"agentlore/lore"
)

// settleReputations computes the reputation of the sources of items anew and returns all submissions of those that got
// another one: their scores change with it.
func (p *pass) settleReputations(items []string) ([]string, error) {
	reports, err := p.Store.Reports(p.ctx, items)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, report := range reports {
		ids = append(ids, report.SourceID)
	}
	sources, err := p.Store.Sources(p.ctx, distinct(ids))
	if err != nil {
		return nil, err
	}
	var changes []lore.Change
	var scored []string
	for _, id := range slices.Sorted(maps.Keys(sources)) {
		submissions, err := p.Store.ReportsOfSources(p.ctx, []string{id})
		if err != nil {
			return nil, err
		}
		known := &cases{outcomes: map[string][]lore.Outcome{}, flags: map[string][]lore.SafetyFlag{}, decisions: map[string][]lore.Decision{}}
		if err := p.readStatements(known, submissions); err != nil {
			return nil, err
		}
		if err := p.readAccounts(append(known.speakers(), id)); err != nil {
			return nil, err
		}
		reputation := curator.ReputationOf(id, known.said(), p.principal)
		if reputation != sources[id].Reputation {
			changes = append(changes, lore.Change{Target: lore.Target{Collection: lore.Sources, ID: id}, Set: map[string]any{"reputation": reputation}})
			scored = append(scored, submissions...)
		}
	}
	written, err := p.Store.Write(p.ctx, changes)
	p.count(func(s *Stats) { s.Written += int64(written) })
	return scored, err
}
