package worker

import (
	"cmp"
	"maps"
	"slices"

	"agentlore/curator"
	"agentlore/lore"
)

const (
	// settlePage is how many items' cases are judged at a time.
	settlePage = 200
	// rescoredMost is how many reports a pass scores anew because their source has another reputation: some two seconds' work. A source with
	// more is scored over several passes, so that one outcome on a large import doesn't keep new reports waiting.
	rescoredMost = 1000
	// mostRounds bounds how often a pass judges again what its own judgements changed: standing that is gained or lost changes others. Each
	// round reaches one step further. A few rounds are enough, except for chains made on purpose; later passes continue those.
	mostRounds = 64
)

// settle judges again the items that got an outcome, a flag or a decision since the last pass, and the items that a principal reported or
// judged whose standing has changed. All losses of standing are settled before any gain: otherwise two principals that confirmed each
// other would both keep it.
func (p *pass) settle() error {
	erased, err := p.settleErased()
	if err != nil {
		return err
	}
	if p.since().IsZero() {
		if err := p.dateFlags(); err != nil {
			return err
		}
	}
	items, err := p.Store.ChangedItems(p.ctx, p.since(), p.now, p.Rules.Promotion.FlagLapses())
	if err != nil {
		return err
	}
	items = slices.Concat(items, erased, slices.Sorted(maps.Keys(p.aside.retried)))
	if err := p.settleStanding(items); err != nil {
		return err
	}
	return p.rescore()
}

// rescoredAtMost is how many reports a pass scores anew at most.
func (p *pass) rescoredAtMost() int { return cmp.Or(p.Rescored, rescoredMost) }

// settleStanding judges items again, and then those of principals whose standing has changed, until it changes no more.
func (p *pass) settleStanding(items []string) error {
	earn := false
	for range mostRounds {
		if err := p.readStanding(earn); err != nil {
			return err
		}
		before, err := p.loadStanding()
		if err != nil {
			return err
		}
		changed := distinct(append(p.changedPrincipals(before.Marks), before.Pending...))
		if len(changed)+len(items) == 0 {
			if earn {
				return nil
			}
			earn = true
			continue
		}
		if err := p.settleWith(items, changed); err != nil {
			return err
		}
		if len(changed) > 0 {
			if err := p.saveStanding(standingState{Marks: p.marks()}); err != nil {
				return err
			}
		}
		if err := p.Store.Refresh(p.ctx); err != nil {
			return err
		}
		items, earn = nil, false
	}
	return nil
}

// settleWith judges the cases of items and those that principals, or single sources, have a part in.
func (p *pass) settleWith(items, principals []string) error {
	if len(principals) > 0 {
		sources, err := p.sourcesTouched(principals)
		if err != nil {
			return err
		}
		reports, err := p.Store.ReportsOfSources(p.ctx, sources)
		if err != nil {
			return err
		}
		patterns, err := p.Store.PatternsOf(p.ctx, reports)
		if err != nil {
			return err
		}
		for _, id := range reports { // a pattern is judged as a whole, once
			items = append(items, cmp.Or(patterns[id], id))
		}
		spoken, err := p.Store.SpokenOfBy(p.ctx, sources)
		if err != nil {
			return err
		}
		items = append(items, spoken...)
	}
	items = distinct(items)
	p.tell(phaseSettle, 0, len(items))
	reputations, scored, err := p.newReputations(items)
	if err != nil {
		return err
	}
	items = distinct(append(items, scored...))
	for done := 0; done < len(items); done += settlePage {
		if err := p.settleItems(items[done:min(len(items), done+settlePage)]); err != nil {
			return err
		}
		p.tell(phaseSettle, done, len(items))
	}
	if err := p.save(); err != nil { // which sources are to be scored
		return err
	}
	return p.write(changes{last: reputations}) // last: until they are stored, a worker that goes on after a kill scores by them anew
}

// rescoring is how far the scoring of a source's reports has come.
type rescoring struct {
	After string `json:"after,omitempty"` // the last report that was scored, in falling order of id; empty: none yet
	Again bool   `json:"again,omitempty"` // the reputation changed since it began: the first ones are to be scored once more
}

// rescore scores reports of sources that have another reputation and too many reports for one pass, the newest first. Each source has an
// equal share of what a pass does.
func (p *pass) rescore() error {
	if len(p.progress.Rescore) == 0 {
		return nil
	}
	share := max(1, p.rescoredAtMost()/len(p.progress.Rescore))
	for _, source := range slices.Sorted(maps.Keys(p.progress.Rescore)) {
		reports, err := p.Store.ReportsOfSources(p.ctx, []string{source})
		if err != nil {
			return err
		}
		slices.Sort(reports)
		slices.Reverse(reports)
		at := p.progress.Rescore[source]
		if at.After != "" {
			reports = slices.DeleteFunc(reports, func(id string) bool { return id >= at.After })
		}
		some := reports[:min(share, len(reports))]
		for page := range slices.Chunk(some, settlePage) {
			if err := p.settleItems(page); err != nil {
				return err
			}
		}
		switch {
		case len(some) < len(reports):
			at.After = some[len(some)-1]
			p.progress.Rescore[source] = at
		case at.Again:
			p.progress.Rescore[source] = rescoring{}
		default:
			delete(p.progress.Rescore, source)
		}
	}
	return nil // the end of the phase stores how far it came
}

// newReputations computes the reputations of the sources of items anew. It returns the changes of those that got another one, and all
// their submissions: their scores change with it. Those of a source with too many for one pass wait for rescore.
func (p *pass) newReputations(items []string) (changed []lore.Change, scored []string, err error) {
	reports, err := p.Store.Reports(p.ctx, items)
	if err != nil {
		return nil, nil, err
	}
	var ids []string
	for _, report := range reports {
		ids = append(ids, report.SourceID)
	}
	sources, err := p.Store.Sources(p.ctx, distinct(ids))
	if err != nil {
		return nil, nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(sources)) {
		submissions, err := p.Store.ReportsOfSources(p.ctx, []string{id})
		if err != nil {
			return nil, nil, err
		}
		said, err := p.readStatements(submissions, nil)
		if err != nil {
			return nil, nil, err
		}
		if err := p.readAccounts([]string{id}); err != nil {
			return nil, nil, err
		}
		all := curator.Case{Principal: p.principal}
		p.addStatements(&all, said, submissions, nil)
		if reputation := all.Reputation(id); reputation != sources[id].Reputation {
			p.reputations[id] = reputation
			source := lore.Target{Collection: lore.Sources, ID: id}
			changed = append(changed, lore.Change{Target: source, Set: map[string]any{"reputation": reputation}})
			if len(submissions) > p.rescoredAtMost() {
				at, begun := p.progress.Rescore[id]
				at.Again = begun && at.After != "" // what was scored before this is done once more, after the rest
				p.progress.Rescore[id] = at
			} else {
				scored = append(scored, submissions...)
			}
		}
	}
	return changed, scored, nil
}

// settleItems judges the cases that items belong to.
func (p *pass) settleItems(items []string) error {
	reports, err := p.Store.Reports(p.ctx, items)
	if err != nil {
		return err
	}
	units, err := p.Store.Units(p.ctx, items)
	if err != nil {
		return err
	}
	references, err := p.judgeReferences(units)
	if err != nil {
		return err
	}
	var ofUnits []string
	for _, unit := range units {
		ofUnits = append(ofUnits, unit.Evidence.SubmissionIDs...)
	}
	more, err := p.Store.Reports(p.ctx, distinct(ofUnits))
	if err != nil {
		return err
	}
	maps.Copy(reports, more)
	patterns := slices.Clone(items) // ids are unique over all collections: what is no pattern has no members
	var alone []string              // or of a group in which too few count for a pattern
	for id, report := range reports {
		if report.PatternID != "" {
			patterns = append(patterns, report.PatternID)
		} else {
			alone = append(alone, id)
		}
	}
	members, err := p.Store.MembersOf(p.ctx, distinct(patterns))
	if err != nil {
		return err
	}
	groups := slices.Collect(maps.Values(members))
	if len(alone) > 0 {
		if err := p.loadGraph(); err != nil {
			return err
		}
		for _, group := range curator.NewGrouper(p.graph, p.merged, p.apart).Groups(alone) {
			if slices.ContainsFunc(group, func(id string) bool { return slices.Contains(alone, id) }) {
				groups = append(groups, group)
			}
		}
	}
	slices.SortFunc(groups, func(a, b []string) int { return slices.Compare(a, b) })
	made, err := p.judge(groups, reports)
	if err != nil {
		return err
	}
	warned, err := p.warnOfAssets(items)
	if err != nil {
		return err
	}
	made.others = slices.Concat(made.others, references, warned)
	return p.write(made)
}

// judgeReferences returns what changes of those of the units that are of the reference library.
func (p *pass) judgeReferences(units map[string]lore.KnowledgeUnit) (changed []lore.Change, err error) {
	ids := slices.DeleteFunc(slices.Sorted(maps.Keys(units)), func(id string) bool { return units[id].Reference == nil })
	said, err := p.readStatements(ids, nil)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		unit := units[id]
		one := curator.Case{Unit: &unit, Principal: p.principal, Now: p.now}
		p.addStatements(&one, said, []string{id}, nil)
		change := lore.Change{Target: lore.Target{Collection: lore.KnowledgeUnits, ID: id}}
		judged := p.Rules.Promotion.JudgeReference(one)
		change.Set, change.Drop = difference(fields(unit), fields(judged))
		if len(change.Set)+len(change.Drop) > 0 {
			changed = append(append(changed, p.unitEvents(judged, unit)...), change)
		}
	}
	told, err := p.outcomeEvents(said, nil, units)
	return append(told, changed...), err
}

// warnOfAssets returns the changes that show what flags say against assets, of which nothing else is judged.
func (p *pass) warnOfAssets(items []string) (changed []lore.Change, err error) {
	flags, err := p.Store.FlagsOn(p.ctx, items)
	if err != nil {
		return nil, err
	}
	flags = slices.DeleteFunc(flags, func(f lore.SafetyFlag) bool { return f.Target.Collection != lore.Assets })
	var raisers []string
	for _, flag := range flags {
		raisers = append(raisers, flag.RaisedBy)
	}
	if err := p.readAccounts(raisers); err != nil {
		return nil, err
	}
	for id, onAsset := range groupBy(flags, func(f lore.SafetyFlag) string { return f.Target.ID }) {
		change := lore.Change{Target: lore.Target{Collection: lore.Assets, ID: id}}
		if warnings := p.Rules.Promotion.Warnings(onAsset, p.principal, true, p.now); len(warnings) > 0 {
			change.Set = map[string]any{"warnings": warnings}
		} else {
			change.Drop = []string{"warnings"}
		}
		changed = append(changed, change)
	}
	return changed, nil
}
