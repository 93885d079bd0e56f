package worker

import (
	"cmp"
	"maps"
	"slices"

	"agentlore/curator"
	"agentlore/lore"
)

// settlePage is how many cases are judged at a time.
const settlePage = 200

// mostRounds bounds how often a pass settles what its own rulings change: who has standing by them changes other
// rulings. Each round reaches one step further; two are enough but for chains made on purpose, which later passes go on with.
const mostRounds = 8

// settle judges anew what others have spoken of since the last pass, and what principals reported or spoke of whose
// standing has changed.
func (p *pass) settle() error {
	without, err := p.settleErased()
	if err != nil {
		return err
	}
	if err := p.readStanding(); err != nil {
		return err
	}
	since := p.progress.SettledAt
	if !since.IsZero() {
		since = since.Add(-visibleAfter)
	}
	items, err := p.Store.ChangedItems(p.ctx, since, p.now, p.Rules.Promotion.FlagLapses())
	if err != nil {
		return err
	}
	items = append(items, without...)
	for range mostRounds {
		before, pending, err := p.storedStanding()
		if err != nil {
			return err
		}
		changed := distinct(append(p.changedPrincipals(before), pending...))
		if len(changed)+len(items) == 0 {
			return nil
		}
		if err := p.settleWith(items, changed); err != nil {
			return err
		}
		if len(changed) > 0 {
			if err := p.saveStanding(p.marks(), nil); err != nil {
				return err
			}
		}
		if err := p.Store.Refresh(p.ctx); err != nil {
			return err
		}
		if err := p.readStanding(); err != nil {
			return err
		}
		items = nil
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
	p.tell(phaseSettle, 0, int64(len(items)))
	scored, err := p.settleReputations(items)
	if err != nil {
		return err
	}
	items = distinct(append(items, scored...))
	for done := 0; done < len(items); done += settlePage {
		if err := p.settleItems(items[done:min(len(items), done+settlePage)]); err != nil {
			return err
		}
		p.tell(phaseSettle, int64(done), int64(len(items)))
	}
	return nil
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
	alone := map[string]bool{}      // or of a group that too few count in to be a pattern
	for id, report := range reports {
		if report.PatternID != "" {
			patterns = append(patterns, report.PatternID)
		} else {
			alone[id] = true
		}
	}
	members, err := p.Store.MembersOf(p.ctx, distinct(patterns))
	if err != nil {
		return err
	}
	groups := slices.Collect(maps.Values(members))
	if len(alone) > 0 {
		found, err := curator.NewGrouper(&linkReader{p}, p.graph).Groups(slices.Collect(maps.Keys(alone)))
		if err != nil {
			return err
		}
		for _, group := range found {
			if slices.ContainsFunc(group, func(id string) bool { return alone[id] }) {
				groups = append(groups, group)
			}
		}
	}
	slices.SortFunc(groups, func(a, b []string) int { return slices.Compare(a, b) })
	ruled, err := p.rule(groups, reports)
	if err != nil {
		return err
	}
	warned, err := p.warnOfAssets(items)
	if err != nil {
		return err
	}
	ruled.others = append(ruled.others, warned...)
	return p.write(ruled)
}

// warnOfAssets returns the changes that show what flags say against assets, of which nothing else is judged.
func (p *pass) warnOfAssets(items []string) ([]lore.Change, error) {
	flags, err := p.Store.FlagsOn(p.ctx, items)
	if err != nil {
		return nil, err
	}
	onAssets := map[string][]lore.SafetyFlag{}
	for _, flag := range flags {
		if flag.Target.Collection == lore.Assets {
			onAssets[flag.Target.ID] = append(onAssets[flag.Target.ID], flag)
		}
	}
	var changes []lore.Change
	for _, id := range slices.Sorted(maps.Keys(onAssets)) {
		change := lore.Change{Target: lore.Target{Collection: lore.Assets, ID: id}}
		if warnings := lore.WarningsOf(onAssets[id], p.now.Add(-p.Rules.Promotion.FlagLapses())); len(warnings) > 0 {
			change.Set = map[string]any{"warnings": jsonWarnings(warnings)}
		} else {
			change.Drop = []string{"warnings"}
		}
		changes = append(changes, change)
	}
	return changes, nil
}
