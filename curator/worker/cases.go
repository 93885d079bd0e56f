package worker

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"agentlore/curator"
	"agentlore/lore"
)

// noFingerprint marks reports that say too little for a fingerprint as compared.
const noFingerprint = curator.FingerprintVersion + ":none"

// statements are what sources and operators say of items, by item.
type statements struct {
	outcomes  map[string][]lore.Outcome
	flags     map[string][]lore.SafetyFlag
	decisions map[string][]lore.Decision
	// harmed and condemned are the outcomes that found a fix unsafe and the confirmed flags on it, by its key.
	harmed    map[string][]lore.Outcome
	condemned map[string][]lore.SafetyFlag
}

// readStatements reads the outcomes, flags and decisions on items, what is said against fixes wherever they stand, and the accounts of the
// authors.
func (p *pass) readStatements(items, fixKeys []string) (s statements, err error) {
	if len(items) == 0 {
		return s, nil
	}
	outcomes, err := p.Store.OutcomesOf(p.ctx, items)
	if err != nil {
		return s, err
	}
	flags, err := p.Store.FlagsOn(p.ctx, items)
	if err != nil {
		return s, err
	}
	decisions, err := p.Store.Decisions(p.ctx, lore.DecisionFilter{Subjects: items})
	if err != nil {
		return s, err
	}
	harmed, condemned, err := p.Store.HarmTo(p.ctx, some(fixKeys))
	if err != nil {
		return s, err
	}
	s.outcomes = groupBy(outcomes, func(o lore.Outcome) string { return o.Target.ID })
	s.flags = groupBy(flags, func(f lore.SafetyFlag) string { return f.Target.ID })
	s.decisions = groupBy(decisions, func(d lore.Decision) string { return d.Subject.ID })
	s.harmed = groupBy(harmed, func(o lore.Outcome) string { return o.FixKey })
	s.condemned = groupBy(condemned, func(f lore.SafetyFlag) string { return f.FixKey })
	var sources []string
	for _, outcome := range slices.Concat(outcomes, harmed) {
		sources = append(sources, outcome.SourceID)
	}
	for _, flag := range flags {
		if flag.RaisedBy != lore.RaisedByAgentlore {
			sources = append(sources, flag.RaisedBy)
		}
	}
	return s, p.readAccounts(sources)
}

func groupBy[T any](all []T, by func(T) string) map[string][]T {
	groups := map[string][]T{}
	for _, one := range all {
		groups[by(one)] = append(groups[by(one)], one)
	}
	return groups
}

// cases is what a number of groups are judged by.
type cases struct {
	statements
	reports  map[string]lore.Report
	patterns map[string]lore.Pattern
	units    map[string]lore.KnowledgeUnit
	sources  map[string]lore.Source
	// catalogued are the addresses of the fixes that the catalog has.
	catalogued map[string]bool
	asked      map[string][]lore.AsksFor // what each report's fix asks for
	failed     map[string]bool           // reports of which that couldn't be told: their groups can't be judged
}

// known reports whether the library or the catalog has a name.
func (p *pass) known(c *cases) func(name string) bool {
	return func(name string) bool { return c.catalogued[name] || p.library != nil && p.library.Names(name) }
}

// readCases reads all that groups are judged by. known are reports that were read a moment ago.
func (p *pass) readCases(groups [][]string, known map[string]lore.Report) (*cases, error) {
	ids := slices.Concat(groups...)
	unread := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { _, there := known[id]; return there })
	c := &cases{asked: map[string][]lore.AsksFor{}, failed: map[string]bool{}}
	var err error
	if c.reports, err = p.Store.Reports(p.ctx, unread); err != nil {
		return nil, err
	}
	maps.Copy(c.reports, known)
	var patterns, units, sources, fixKeys, addresses []string
	for _, id := range ids {
		report := c.reports[id]
		fixKeys = append(fixKeys, lore.FixKey(report.Resolution))
		if !p.guard(func() { c.asked[id] = curator.AsksFor(report.Resolution) }, submissions([]string{id})...) {
			c.failed[id] = true
		}
		for _, asked := range c.asked[id] {
			addresses = append(addresses, asked.What)
		}
		patterns = append(patterns, curator.PatternID(id), report.PatternID)
		units = append(units, curator.UnitID(id), report.KnowledgeUnitID)
		sources = append(sources, report.SourceID)
	}
	patterns, units, sources = some(patterns), some(units), some(sources)
	if c.patterns, err = p.Store.Patterns(p.ctx, patterns); err != nil {
		return nil, err
	}
	if c.units, err = p.Store.Units(p.ctx, units); err != nil {
		return nil, err
	}
	if c.sources, err = p.Store.Sources(p.ctx, sources); err != nil {
		return nil, err
	}
	if c.statements, err = p.readStatements(slices.Concat(ids, patterns, units), fixKeys); err != nil {
		return nil, err
	}
	if c.catalogued, err = p.Store.Catalogued(p.ctx, some(addresses)); err != nil {
		return nil, err
	}
	return c, p.readAccounts(sources)
}

// some returns the ids that aren't empty, each once.
func some(ids []string) []string {
	return slices.DeleteFunc(distinct(ids), func(id string) bool { return id == "" })
}

// isCompared reports whether a stored fingerprint says that the report's words have been compared with others'.
func isCompared(fingerprint string) bool {
	return strings.HasPrefix(fingerprint, curator.FingerprintVersion+":")
}

// members returns a group's reports with what follows from each by itself; those that are gone are left out.
func (p *pass) members(group []string, c *cases) (members []lore.Report) {
	for _, id := range group {
		report, there := c.reports[id]
		if !there {
			continue
		}
		reputation, computed := p.reputations[report.SourceID]
		if source, there := c.sources[report.SourceID]; there && !computed {
			reputation = source.Reputation
		} else if !computed {
			reputation = lore.NeutralReputation
		}
		said := observation(report)
		report.Score, report.ScoreParts = p.Rules.Score.Score(said, reputation)
		fingerprint := fingerprintOf(report)
		if isCompared(report.Fingerprint) || p.graph != nil && p.graph.IsOf(id, fingerprint) { // else these words came during the pass: the next compares them
			report.Fingerprint = cmp.Or(fingerprint, noFingerprint)
		}
		report.Project, report.AsksFor = curator.Project(report), c.asked[id]
		report.Protocol, report.Severity = lore.ProtocolOf(report.Tags, report.Ref), lore.SeverityOf(report.Tags, report.Ref)
		named, resolved := lore.NamedIn(report.Ecosystem, report.Entities), report.Resolution != ""
		report.Named, report.HasResolution = &named, &resolved
		report.SourceName = c.sources[report.SourceID].Name
		if report.StoredAt.IsZero() && report.Ref == "" { // stored by an older version; when an import was stored isn't known
			report.StoredAt = report.CreatedAt
		}
		members = append(members, report)
	}
	return members
}

// caseOf returns the case of a group, without what is taken back.
func (p *pass) caseOf(c *cases, members []lore.Report) curator.Case {
	one := curator.Case{Reports: members, Principal: p.principal, Now: p.now, TakenBack: map[string]bool{}, Known: p.known(c)}
	first := curator.First(members).ID
	items, fixKeys := []string{curator.PatternID(first), curator.UnitID(first)}, []string{}
	if pattern, there := c.patterns[items[0]]; there {
		one.Pattern = &pattern
	}
	if unit, there := c.units[items[1]]; there {
		one.Unit = &unit
	}
	for _, report := range members {
		items, fixKeys = append(items, report.ID), append(fixKeys, lore.FixKey(report.Resolution))
		if p.standing.isTakenBack(report.SourceID, report.CreatedAt) {
			one.TakenBack[report.ID] = true
		}
	}
	p.addStatements(&one, c.statements, items, some(fixKeys))
	return one
}

// addStatements adds to a case what is said of its items and against its fixes, without what is taken back and what is beyond what counts in
// a week.
func (p *pass) addStatements(one *curator.Case, said statements, items, fixKeys []string) {
	own := map[string]bool{}
	for _, id := range items {
		own[id] = true
		for _, outcome := range said.outcomes[id] {
			p.addOutcome(one, outcome)
		}
		for _, flag := range said.flags[id] {
			if flag.Status != lore.FlagOpen || !p.standing.isTakenBack(flag.RaisedBy, flag.CreatedAt) && !p.standing.isBeyond(p.principalID(flag.RaisedBy), flag.CreatedAt) {
				one.Flags = append(one.Flags, flag)
			}
		}
		one.Decisions = append(one.Decisions, said.decisions[id]...)
	}
	for _, key := range fixKeys {
		for _, outcome := range said.harmed[key] {
			if !own[outcome.Target.ID] {
				p.addOutcome(one, outcome)
			}
		}
		for _, flag := range said.condemned[key] {
			if !own[flag.Target.ID] {
				one.Flags = append(one.Flags, flag)
			}
		}
	}
}

// addOutcome adds an outcome to a case, unless it is beyond what counts in a week. In place of one that is taken back stands what the source had
// said before.
func (p *pass) addOutcome(one *curator.Case, outcome lore.Outcome) {
	for i := len(outcome.Before) - 1; i >= 0 && p.standing.isTakenBack(outcome.SourceID, outcome.At); i-- {
		was := outcome.Before[i]
		outcome.Result, outcome.Words, outcome.At = was.Result, was.Words, was.At
	}
	if !p.standing.isTakenBack(outcome.SourceID, outcome.At) && !p.standing.isBeyond(p.principalID(outcome.SourceID), outcome.At) {
		one.Outcomes = append(one.Outcomes, outcome)
	}
}
