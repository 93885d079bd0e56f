package worker

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"agentlore/curator"
	"agentlore/lore"
)

// settlePage is how many cases are judged at a time.
const settlePage = 200

// mostRounds bounds how often a pass settles what its own rulings change: who counts as qualified by them changes other
// rulings. Each round reaches one step further; two are enough but for chains made on purpose, which later passes go on with.
const mostRounds = 8

// settle judges anew what others have spoken of since the last pass, and what owners reported or spoke of who count as
// qualified since then, or no more.
func (p *pass) settle() error {
	if err := p.readOwners(); err != nil {
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
	for range mostRounds {
		before, pending, err := p.storedOwners()
		if err != nil {
			return err
		}
		changed := distinct(append(p.changedOwners(before), pending...))
		if len(changed)+len(items) == 0 {
			return nil
		}
		if err := p.settleWith(items, changed); err != nil {
			return err
		}
		if err := p.saveOwners(p.weights(), nil); err != nil {
			return err
		}
		if err := p.Store.Refresh(p.ctx); err != nil {
			return err
		}
		if err := p.readOwners(); err != nil {
			return err
		}
		items = nil
	}
	return nil
}

// settleWith judges the cases of items and those that owners have a part in.
func (p *pass) settleWith(items, owners []string) error {
	if len(owners) > 0 {
		patterns, err := p.Store.PatternsOfOwners(p.ctx, owners)
		if err != nil {
			return err
		}
		spoken, err := p.Store.SpokenOfBy(p.ctx, owners)
		if err != nil {
			return err
		}
		items = slices.Concat(items, patterns, spoken)
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
	alone := map[string]bool{}
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
	for id := range alone {
		groups = append(groups, []string{id})
	}
	slices.SortFunc(groups, func(a, b []string) int { return slices.Compare(a, b) })
	return p.rule(groups, nil, reports)
}

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

// owner returns what is known of an owner.
func (p *pass) owner(key string) curator.Owner { return p.owners[key] }

// readOwners reads what is known of owners now: those who contributed or are vouched for; all others don't count.
func (p *pass) readOwners() error {
	accepted, err := p.Store.AcceptedOwners(p.ctx)
	if err != nil {
		return err
	}
	since, err := p.Store.OwnersKnownSince(p.ctx)
	if err != nil {
		return err
	}
	p.owners = make(map[string]curator.Owner, len(accepted))
	for key, patterns := range accepted {
		p.owners[key] = curator.Owner{KnownSince: since[key], Accepted: patterns}
	}
	return p.readVouches()
}

// readVouches adds whom the operator vouches for.
func (p *pass) readVouches() error {
	decisions, err := p.Store.DecisionsWith(p.ctx, lore.VerdictVouch, lore.VerdictUnvouch)
	if err != nil {
		return err
	}
	latest := map[string]lore.Verdict{}
	for _, decision := range decisions { // oldest first
		latest[decision.Subject.ID] = decision.Verdict
	}
	owners, err := p.Store.OwnersOfSources(p.ctx, slices.Sorted(maps.Keys(latest)))
	if err != nil {
		return err
	}
	for source, verdict := range latest {
		if key := owners[source]; verdict == lore.VerdictVouch && key != "" {
			owner := p.owners[key]
			owner.VouchedFor = true
			p.owners[key] = owner
		}
	}
	return nil
}

// weight says how an owner counts: not at all (""), everywhere ("*"), or everywhere but in one pattern (its id).
func (p *pass) weight(owner curator.Owner, now time.Time) string {
	switch {
	case owner.VouchedFor:
		return "*"
	case len(owner.Accepted) == 0 || owner.KnownSince.IsZero() || now.Sub(owner.KnownSince) < p.Rules.Promotion.QualifiedAfter():
		return ""
	case len(owner.Accepted) == 1 && owner.Accepted[0] != "":
		return owner.Accepted[0]
	}
	return "*"
}

// weights returns how owners count, without those who don't.
func (p *pass) weights() map[string]string {
	weights := map[string]string{}
	for key, owner := range p.owners {
		if weight := p.weight(owner, p.now); weight != "" {
			weights[key] = weight
		}
	}
	return weights
}

// ownersState is what is stored of how owners counted when cases were judged last, and of those who counted in another way
// while a group phase that may have been killed went on.
type ownersState struct {
	Weights map[string]string `json:"weights"`
	Pending []string          `json:"pending,omitempty"`
}

// storedOwners reads how owners counted when cases were judged last.
func (p *pass) storedOwners() (weights map[string]string, pending []string, err error) {
	_, data, err := p.Store.LoadState(p.ctx, stateOwners)
	if err != nil || len(data) == 0 {
		return map[string]string{}, nil, err
	}
	var stored ownersState
	unpacked, err := gzip.NewReader(bytes.NewReader(data))
	if err == nil {
		err = json.NewDecoder(unpacked).Decode(&stored)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("owners: %w", err)
	}
	return stored.Weights, stored.Pending, nil
}

// saveOwners stores how owners count.
func (p *pass) saveOwners(weights map[string]string, pending []string) error {
	var packed bytes.Buffer
	packer := gzip.NewWriter(&packed)
	if err := json.NewEncoder(packer).Encode(ownersState{weights, pending}); err != nil {
		return err
	}
	if err := packer.Close(); err != nil {
		return err
	}
	return p.Store.SaveState(p.ctx, stateOwners, map[string]any{"owners": len(weights)}, packed.Bytes())
}

// notePending remembers owners who count in another way than when other cases were judged: settle looks at theirs even if
// they count as before by then.
func (p *pass) notePending() error {
	before, pending, err := p.storedOwners()
	if err != nil {
		return err
	}
	if changed := p.changedOwners(before); len(changed) > 0 {
		return p.saveOwners(before, distinct(append(changed, pending...)))
	}
	return nil
}

// changedOwners returns the owners who count in another way than before.
func (p *pass) changedOwners(before map[string]string) []string {
	now := p.weights()
	var changed []string
	for key, weight := range now {
		if before[key] != weight {
			changed = append(changed, key)
		}
	}
	for key := range before {
		if now[key] == "" {
			changed = append(changed, key)
		}
	}
	slices.Sort(changed)
	return changed
}
