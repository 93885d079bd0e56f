package worker

import (
	"cmp"
	"slices"

	"agentlore/curator"
	"agentlore/lore"
)

// cases is what a number of groups are judged by.
type cases struct {
	reports   map[string]lore.Report
	patterns  map[string]lore.Pattern
	units     map[string]lore.KnowledgeUnit
	outcomes  map[string][]lore.Outcome
	flags     map[string][]lore.SafetyFlag
	decisions map[string][]lore.Decision
	sources   map[string]lore.Source
}

// readCases reads all that groups are judged by.
func (p *pass) readCases(groups [][]string, held map[string]lore.Report) (*cases, error) {
	var ids, unread []string
	for _, group := range groups {
		ids = append(ids, group...)
	}
	known := &cases{outcomes: map[string][]lore.Outcome{}, flags: map[string][]lore.SafetyFlag{}, decisions: map[string][]lore.Decision{}}
	for _, id := range ids {
		if _, there := held[id]; !there {
			unread = append(unread, id)
		}
	}
	var err error
	if known.reports, err = p.Store.Reports(p.ctx, unread); err != nil {
		return nil, err
	}
	for _, id := range ids {
		if report, there := held[id]; there {
			known.reports[id] = report
		}
	}
	var patterns, units, sources []string
	for _, report := range known.reports {
		patterns, units = append(patterns, curator.PatternID(report.ID)), append(units, curator.UnitID(report.ID))
		if report.PatternID != "" {
			patterns = append(patterns, report.PatternID)
		}
		if report.KnowledgeUnitID != "" {
			units = append(units, report.KnowledgeUnitID)
		}
		sources = append(sources, report.SourceID)
	}
	if known.patterns, err = p.Store.Patterns(p.ctx, distinct(patterns)); err != nil {
		return nil, err
	}
	if known.units, err = p.Store.Units(p.ctx, distinct(units)); err != nil {
		return nil, err
	}
	if known.sources, err = p.Store.Sources(p.ctx, distinct(sources)); err != nil {
		return nil, err
	}
	items := slices.Concat(ids, distinct(patterns), distinct(units))
	if err := p.readStatements(known, items); err != nil {
		return nil, err
	}
	return known, p.readAccounts(append(known.speakers(), sources...))
}

// speakers returns the sources that said something of items.
func (k *cases) speakers() (sources []string) {
	for _, outcomes := range k.outcomes {
		for _, outcome := range outcomes {
			sources = append(sources, outcome.SourceID)
		}
	}
	for _, flags := range k.flags {
		for _, flag := range flags {
			if flag.RaisedBy != lore.RaisedByAgentlore {
				sources = append(sources, flag.RaisedBy)
			}
		}
	}
	return sources
}

func (p *pass) readStatements(known *cases, items []string) error {
	outcomes, err := p.Store.OutcomesOf(p.ctx, items)
	if err != nil {
		return err
	}
	for _, outcome := range outcomes {
		known.outcomes[outcome.Target.ID] = append(known.outcomes[outcome.Target.ID], outcome)
	}
	flags, err := p.Store.FlagsOn(p.ctx, items)
	if err != nil {
		return err
	}
	for _, flag := range flags {
		known.flags[flag.Target.ID] = append(known.flags[flag.Target.ID], flag)
	}
	decisions, err := p.Store.DecisionsOf(p.ctx, items)
	if err != nil {
		return err
	}
	for _, decision := range decisions {
		known.decisions[decision.Subject.ID] = append(known.decisions[decision.Subject.ID], decision)
	}
	return nil
}

func distinct(ids []string) []string { return slices.Compact(slices.Sorted(slices.Values(ids))) }

// members returns a group's reports, scored; those that are gone are left out.
func (p *pass) members(group []string, known *cases) []lore.Report {
	var members []lore.Report
	for _, id := range group {
		report, there := known.reports[id]
		if !there {
			continue
		}
		reputation := lore.NeutralReputation
		if source, there := known.sources[report.SourceID]; there {
			reputation = source.Reputation
		}
		said := observation(report)
		report.Score, report.ScoreParts = p.Rules.Score.Score(said, reputation)
		report.Fingerprint = cmp.Or(curator.Fingerprint(said), noFingerprint)
		members = append(members, report)
	}
	return members
}

// caseOf returns the case of a group, without what is taken back.
func (p *pass) caseOf(k *cases, members []lore.Report) curator.Case {
	c := curator.Case{Reports: members, Principal: p.principal, Now: p.now, TakenBack: map[string]bool{}}
	for _, report := range members {
		if p.standing.isTakenBack(report.SourceID, report.CreatedAt) {
			c.TakenBack[report.ID] = true
		}
	}
	first := curator.First(members).ID
	items := []string{curator.PatternID(first), curator.UnitID(first)}
	if pattern, there := k.patterns[items[0]]; there {
		c.Pattern = &pattern
	}
	if unit, there := k.units[items[1]]; there {
		c.Unit = &unit
	}
	for _, report := range members {
		items = append(items, report.ID)
	}
	for _, id := range items {
		for _, outcome := range k.outcomes[id] {
			if !p.standing.isTakenBack(outcome.SourceID, outcome.At) {
				c.Outcomes = append(c.Outcomes, outcome)
			}
		}
		for _, flag := range k.flags[id] {
			if !p.standing.isTakenBack(flag.RaisedBy, flag.CreatedAt) || flag.Status != lore.FlagOpen {
				c.Flags = append(c.Flags, flag)
			}
		}
		c.Decisions = append(c.Decisions, k.decisions[id]...)
	}
	return c
}

// said returns all that sources say of a number of items, as one case.
func (k *cases) said() (c curator.Case) {
	for _, outcomes := range k.outcomes {
		c.Outcomes = append(c.Outcomes, outcomes...)
	}
	for _, flags := range k.flags {
		c.Flags = append(c.Flags, flags...)
	}
	return c
}
