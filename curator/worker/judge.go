package worker

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"sync"

	"agentlore/curator"
	"agentlore/lore"
)

// changes is what comes of judging, in the order in which it is to be written. Reports whose links the pass changed are
// written last, those on other pages as well: until they are, a worker that goes on after a kill finds by them what they were grouped
// with before.
type changes struct {
	first, others, last []lore.Change
	// of are the reports of the case that a change comes of, by the id of what it changes.
	of map[string][]string
}

// writePage is how many changes one request holds: small, so that submits come in between.
const writePage = 100

// write carries changes out. Where the store refuses one, its whole case is set aside: reports must not name a pattern that isn't there.
func (p *pass) write(c changes) error {
	var mu sync.Mutex
	refused := map[string]bool{} // reports
	for _, some := range [][]lore.Change{c.first, c.others, c.last} {
		some = slices.DeleteFunc(slices.Clone(some), func(change lore.Change) bool {
			return slices.ContainsFunc(c.of[change.Target.ID], func(id string) bool { return refused[id] })
		})
		pages := slices.Collect(slices.Chunk(some, writePage))
		err := p.inParallel(len(pages), func(i int) error {
			written, refusals, err := p.Store.Write(p.ctx, pages[i])
			p.count(func(s *Stats) { s.Written += int64(written) })
			mu.Lock()
			defer mu.Unlock()
			for _, refusal := range refusals {
				targets := []lore.Target{refusal.Target}
				if reports := c.of[refusal.Target.ID]; len(reports) > 0 {
					targets = submissions(reports)
				}
				for _, target := range targets {
					refused[target.ID] = true
				}
				p.putAside(refusal.Reason, targets...)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// judge judges groups and returns what is to be written of it. known are reports that were read a moment ago.
func (p *pass) judge(groups [][]string, known map[string]lore.Report) (made changes, err error) {
	if len(groups) == 0 {
		return made, nil
	}
	c, err := p.readCases(groups, known)
	if err != nil {
		return made, err
	}
	taken := map[string]bool{} // ids of the units and patterns that groups have now
	var rulings []curator.Ruling
	var members [][]lore.Report
	for _, group := range groups {
		if slices.ContainsFunc(group, func(id string) bool { return c.failed[id] }) {
			p.putAside("judging a report of its group failed", submissions(group)...)
			continue
		}
		var reports []lore.Report
		var ruling curator.Ruling
		judged := p.guard(func() {
			if reports = p.members(group, c); len(reports) > 0 {
				ruling = p.judgeGroup(reports, c, &made)
			}
		}, submissions(group)...)
		if !judged || len(reports) == 0 {
			continue
		}
		p.takeBack(group)
		if ruling.Pattern != nil {
			taken[ruling.Pattern.ID] = true
		}
		taken[curator.UnitID(curator.First(reports).ID)] = true
		rulings, members = append(rulings, ruling), append(members, reports)
		if p.graph != nil {
			p.graph.Judge(group)
		}
	}
	made.first = append(append(made.first, p.seen(c, members)...), p.promotions(c.units)...)
	made.of = map[string][]string{}
	for i, ruling := range rulings {
		var own []lore.Change
		if ruling.Pattern != nil {
			own = append(own, p.patternEvents(*ruling.Pattern, c.patterns[ruling.Pattern.ID])...)
		}
		if ruling.Unit != nil {
			own = append(own, p.unitEvents(*ruling.Unit, c.units[ruling.Unit.ID])...)
		}
		own = append(own, p.madeOf(ruling, members[i], c, taken)...)
		made.first = append(made.first, own...)
		ids := make([]string, len(members[i]))
		for k, report := range members[i] {
			ids[k] = report.ID
			made.of[report.ID] = ids
		}
		for _, change := range own {
			made.of[change.Target.ID] = ids
		}
		for _, report := range members[i] {
			change := lore.Change{Target: lore.Target{Collection: lore.Submissions, ID: report.ID}}
			change.Set, change.Drop = difference(fields(c.reports[report.ID]), fields(ruling.Reports[report.ID]))
			if _, compared := change.Set["fingerprint"]; compared {
				read := c.reports[report.ID].Fingerprint
				change.Read = &read
			}
			changes := len(change.Set)+len(change.Drop) > 0
			if changes || p.progress.Phase == phaseSettle { // that phase changes whose reports count
				p.touched[c.reports[report.ID].FamilyKey], p.touched[report.FamilyKey] = true, true
			}
			switch {
			case !changes:
			case p.graph != nil && p.graph.IsChanged(report.ID, p.progress.Pass):
				made.last = append(made.last, change)
			default:
				made.others = append(made.others, change)
			}
		}
	}
	told, err := p.outcomeEvents(c.statements, c.reports, c.units)
	made.others = append(made.others, told...)
	return made, err
}

// judgeGroup judges the reports of a group, and adds the flags that they deserve to what is to be written.
func (p *pass) judgeGroup(reports []lore.Report, c *cases, made *changes) curator.Ruling {
	for _, report := range reports {
		// Newer rules may know signs that older ones didn't.
		if stored := c.reports[report.ID]; !isCompared(stored.Fingerprint) || p.progress.Everything {
			made.first = append(made.first, p.raise(stored, c)...)
		}
	}
	family := p.assign(reports, c)
	ruling := p.Rules.Promotion.Judge(p.caseOf(c, reports))
	if ruling.Pattern != nil {
		ruling.Pattern.FamilyID = family
	}
	return ruling
}

// raise returns the flags that a report deserves and doesn't have, whatever became of those that it has. They are known from now
// on, so that nothing is made of the report's words in this very pass.
func (p *pass) raise(report lore.Report, c *cases) (raised []lore.Change) {
	target, words := lore.Target{Collection: lore.Submissions, ID: report.ID}, report.Words()
	for _, finding := range p.Rules.Safety.Inspect(observation(report), p.Malicious) {
		flag := finding.Flag(target, words, p.now)
		if slices.ContainsFunc(c.flags[report.ID], func(f lore.SafetyFlag) bool {
			older := f.Revision == "" && f.RaisedBy == flag.RaisedBy && f.Reason == flag.Reason && len(report.EarlierUntil) == 0
			return f.ID == flag.ID || older // one of an older version names no words
		}) {
			continue
		}
		c.flags[report.ID] = append(c.flags[report.ID], flag)
		raised = append(raised, lore.Change{Target: lore.Target{Collection: lore.SafetyFlags, ID: flag.ID}, Set: fields(flag), Once: true})
	}
	return raised
}

// madeOf returns the changes of patterns and units that a ruling asks for: what it makes, and what was made of the same
// reports before and is no more.
func (p *pass) madeOf(ruling curator.Ruling, members []lore.Report, c *cases, taken map[string]bool) (made []lore.Change) {
	if ruling.Pattern != nil {
		stored, there := c.patterns[ruling.Pattern.ID]
		made = append(made, making(lore.Patterns, ruling.Pattern.ID, stored, there, ruling.Pattern)...)
	}
	if ruling.Unit != nil {
		stored, there := c.units[ruling.Unit.ID]
		made = append(made, making(lore.KnowledgeUnits, ruling.Unit.ID, stored, there, ruling.Unit)...)
	}
	old := map[string]bool{}
	for _, member := range members {
		for _, id := range []string{member.PatternID, curator.PatternID(member.ID)} {
			if _, there := c.patterns[id]; there && !taken[id] && !old[id] {
				old[id] = true
				made = append(made, lore.Change{Target: lore.Target{Collection: lore.Patterns, ID: id}, Delete: true})
			}
		}
		for _, id := range []string{member.KnowledgeUnitID, curator.UnitID(member.ID)} {
			unit, there := c.units[id]
			if !there || taken[id] || old[id] || unit.Status == lore.UnitSuperseded && ruling.Unit == nil {
				continue
			}
			old[id] = true
			was, before := unit, fields(unit)
			unit.Missing, unit.SupersededBy = nil, ""
			if ruling.Unit != nil && ruling.Unit.Status == lore.UnitActive {
				unit.Status, unit.SupersededBy = lore.UnitSuperseded, ruling.Unit.ID
			} else {
				unit.Status, unit.Missing = lore.UnitWithdrawn, ruling.Reports[curator.First(members).ID].Missing
			}
			change := lore.Change{Target: lore.Target{Collection: lore.KnowledgeUnits, ID: id}}
			change.Set, change.Drop = difference(before, fields(unit))
			made = append(append(made, p.unitEvents(unit, was)...), change)
		}
	}
	return made
}

// making returns the change that makes a pattern or unit what it is to be, of which something else or nothing is stored. All of it is
// set: it may have been erased since it was read.
func making(collection lore.Collection, id string, stored any, there bool, wanted any) []lore.Change {
	change := lore.Change{Target: lore.Target{Collection: collection, ID: id}, Make: true, Set: fields(wanted)}
	if there {
		set, drop := difference(fields(stored), change.Set)
		if change.Drop = drop; len(set)+len(drop) == 0 {
			return nil
		}
	}
	return []lore.Change{change}
}

// difference returns the fields that have another value afterwards, and those that are there no more.
func difference(before, after map[string]any) (set map[string]any, drop []string) {
	set = map[string]any{}
	for field, value := range after {
		if !reflect.DeepEqual(before[field], value) {
			set[field] = value
		}
	}
	for _, field := range slices.Sorted(maps.Keys(before)) {
		if _, there := after[field]; !there {
			drop = append(drop, field)
		}
	}
	return set, drop
}

// fields returns a value's JSON members.
func fields(value any) map[string]any {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // the domain's types encode
	}
	var set map[string]any
	if err := json.Unmarshal(text, &set); err != nil {
		panic(err)
	}
	return set
}
