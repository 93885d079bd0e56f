package worker

import (
	"encoding/json"
	"slices"

	"agentlore/curator"
	"agentlore/lore"
)

// noFingerprint marks reports that say too little for a fingerprint as looked at.
const noFingerprint = curator.FingerprintVersion + ":none"

// changes is what comes of ruling, in the order in which it is to be written. Reports whose links the pass changed are
// written last, those on other pages as well: until they are, a worker that goes on after a kill finds by them what they were grouped
// with before.
type changes struct{ first, others, last []lore.Change }

// writePage is how many changes one request holds: small, so that submits come in between.
const writePage = 100

// write carries changes out: of those that must not wait for each other, several at the same time.
func (p *pass) write(c changes) error {
	for _, some := range [][]lore.Change{c.first, c.others, c.last} {
		pages := slices.Collect(slices.Chunk(some, writePage))
		err := together(p.requests(), len(pages), func(i int) error {
			written, err := p.Store.Write(p.ctx, pages[i])
			p.count(func(s *Stats) { s.Written += int64(written) })
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// rule judges groups and returns what is to be written of it. held are reports that were read a moment ago.
func (p *pass) rule(groups [][]string, held map[string]lore.Report) (changes, error) {
	known, err := p.readCases(groups, held)
	if err != nil {
		return changes{}, err
	}
	var ruled changes
	taken := map[string]bool{} // ids of the units and patterns that groups have now
	rulings := make([]curator.Ruling, 0, len(groups))
	reports := make([][]lore.Report, 0, len(groups))
	for _, group := range groups {
		members := p.members(group, known)
		if len(members) == 0 {
			continue
		}
		for _, report := range members {
			if stored := known.reports[report.ID]; stored.Fingerprint == "" || p.progress.Everything { // newer rules may know signs that older ones didn't
				ruled.first = append(ruled.first, p.raise(stored, known)...)
			}
		}
		c := p.caseOf(known, members)
		ruling := p.Rules.Promotion.Judge(c)
		if ruling.Pattern != nil {
			taken[ruling.Pattern.ID] = true
		}
		taken[curator.UnitID(curator.First(members).ID)] = true
		rulings, reports = append(rulings, ruling), append(reports, members)
		p.groups.remember(group)
	}
	for i, ruling := range rulings {
		ruled.first = append(ruled.first, p.madeOf(ruling, reports[i], known, taken)...)
		for _, report := range reports[i] {
			change, differs := changeOf(known.reports[report.ID], report, ruling.Standings[report.ID])
			if contributes(change) {
				p.accounts.changed(report.SourceID)
			}
			switch {
			case !differs:
			case p.relinked[report.ID]:
				ruled.last = append(ruled.last, change)
			default:
				ruled.others = append(ruled.others, change)
			}
		}
	}
	return ruled, nil
}

// raise returns the flags that a report deserves and doesn't have, whatever became of those that it has. They are known from now
// on, so that nothing is made of the report's words in this very pass.
func (p *pass) raise(report lore.Report, known *cases) []lore.Change {
	var changes []lore.Change
	target := lore.Target{Collection: lore.Submissions, ID: report.ID}
	for _, finding := range p.Rules.Safety.Inspect(observation(report), p.Malicious) {
		flag := finding.Flag(target, p.now)
		if slices.ContainsFunc(known.flags[report.ID], func(f lore.SafetyFlag) bool { return f.ID == flag.ID }) {
			continue
		}
		known.flags[report.ID] = append(known.flags[report.ID], flag)
		changes = append(changes, lore.Change{Target: lore.Target{Collection: lore.SafetyFlags, ID: flag.ID}, Set: fields(flag), Once: true})
	}
	return changes
}

// madeOf returns the changes of patterns and units that a ruling asks for: what it makes, and what was made of the same
// reports before and is no more.
func (p *pass) madeOf(ruling curator.Ruling, members []lore.Report, known *cases, taken map[string]bool) []lore.Change {
	var changes []lore.Change
	if ruling.Pattern != nil {
		set := fields(ruling.Pattern)
		set["fingerprints"] = fingerprintsOf(members)
		changes = append(changes, made(lore.Patterns, ruling.Pattern.ID, set))
	}
	if ruling.Unit != nil {
		set := fields(ruling.Unit)
		changes = append(changes, made(lore.KnowledgeUnits, ruling.Unit.ID, set))
	}
	old := map[string]bool{}
	for _, member := range members {
		for _, id := range []string{member.PatternID, curator.PatternID(member.ID)} {
			if _, there := known.patterns[id]; there && !taken[id] && !old[id] {
				old[id] = true
				changes = append(changes, lore.Change{Target: lore.Target{Collection: lore.Patterns, ID: id}, Delete: true})
			}
		}
		for _, id := range []string{member.KnowledgeUnitID, curator.UnitID(member.ID)} {
			unit, there := known.units[id]
			if !there || taken[id] || old[id] || unit.Status == lore.UnitSuperseded && ruling.Unit == nil {
				continue
			}
			old[id] = true
			change := lore.Change{Target: lore.Target{Collection: lore.KnowledgeUnits, ID: id}}
			if ruling.Unit != nil && ruling.Unit.Status == lore.UnitActive {
				change.Set, change.Drop = map[string]any{"status": lore.UnitSuperseded, "superseded_by": ruling.Unit.ID}, []string{"missing"}
			} else {
				change.Set, change.Drop = map[string]any{"status": lore.UnitWithdrawn}, []string{"superseded_by"}
				if missing := ruling.Standings[curator.First(members).ID].Missing; len(missing) > 0 { // what keeps its reports from being knowledge
					change.Set["missing"] = missing
				} else {
					change.Drop = append(change.Drop, "missing")
				}
			}
			changes = append(changes, change)
		}
	}
	return changes
}

// optional are the fields of patterns and units that are left out where they are empty.
var optional = []string{"resolution", "content", "missing", "over_correlating", "score_parts", "pattern_id", "superseded_by", "last_confirmed_at", "warnings"}

// made returns the change that makes an item what it is to be.
func made(collection lore.Collection, id string, set map[string]any) lore.Change {
	change := lore.Change{Target: lore.Target{Collection: collection, ID: id}, Set: set, Make: true}
	for _, field := range optional {
		if _, there := set[field]; !there {
			change.Drop = append(change.Drop, field)
		}
	}
	return change
}

// fingerprintsOf returns the fingerprints of reports, a few at most: equal ones of a large pattern are one.
func fingerprintsOf(members []lore.Report) []string {
	var found []string
	for _, member := range members {
		if member.Fingerprint != noFingerprint {
			found = append(found, member.Fingerprint)
		}
	}
	found = distinct(found)
	return found[:min(lore.MaxEvidenceIDs, len(found))]
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
