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
	owners, err := p.Store.OwnersOfSources(p.ctx, distinct(ids))
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
		known := &cases{outcomes: map[string][]lore.Outcome{}, flags: map[string][]lore.RaisedFlag{}, decisions: map[string][]lore.Decision{}}
		if err := p.readVoices(known, submissions); err != nil {
			return nil, err
		}
		reputation := p.reputation(owners[id], known)
		if reputation != sources[id].Reputation {
			changes = append(changes, lore.Change{Target: lore.Target{Collection: lore.Sources, ID: id}, Set: map[string]any{"reputation": reputation}})
			scored = append(scored, submissions...)
		}
	}
	written, err := p.Store.Write(p.ctx, changes)
	p.count(func(s *Stats) { s.Written += int64(written) })
	return scored, err
}

// reputation returns a source's, from what qualified owners other than its own said last of its submissions.
func (p *pass) reputation(own string, known *cases) float64 {
	last := map[string]lore.Outcome{}
	for _, outcomes := range known.outcomes {
		for _, outcome := range outcomes {
			held, there := last[outcome.OwnerKey]
			if outcome.OwnerKey != own && (!there || outcome.At.After(held.At) || outcome.At.Equal(held.At) && outcome.ID > held.ID) {
				last[outcome.OwnerKey] = outcome
			}
		}
	}
	var worked, failed, unsafe, confirmed int
	for owner, outcome := range last {
		if !p.Rules.Promotion.Qualified(p.owner(owner), "", p.now) {
			continue
		}
		switch outcome.Result {
		case lore.ResultWorked:
			worked++
		case lore.ResultFailed:
			failed++
		case lore.ResultUnsafe:
			unsafe++
		}
	}
	for _, flags := range known.flags {
		for _, flag := range flags {
			if flag.Status == lore.FlagConfirmed {
				confirmed++
			}
		}
	}
	return curator.Reputation(worked, failed, unsafe, confirmed)
}
