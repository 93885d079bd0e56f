package worker

import (
	"strconv"
	"time"

	"agentlore/lore"
)

// happened returns the change that stores an event, once.
func (p *pass) happened(event lore.Event, of ...string) lore.Change {
	event.ID = lore.DerivedID(append([]string{"event", string(event.Kind), event.Target.ID, event.From, event.To}, of...)...)
	return lore.Change{Target: lore.Target{Collection: lore.Events, ID: event.ID}, Set: fields(event), Once: true}
}

// changedFromTo returns the events of an item whose tier or status this pass changes; of a new one, its status.
func (p *pass) changedFromTo(event lore.Event, first time.Time, status, wasStatus string, tier, wasTier lore.Tier) (events []lore.Change) {
	pass := strconv.FormatInt(p.progress.Pass, 10) // a pass that goes on after a kill says it once
	event.CreatedAt = p.now
	event = event.After(first)
	if status != wasStatus {
		event.Kind, event.From, event.To = lore.EventStatus, wasStatus, status
		events = append(events, p.happened(event, pass))
	}
	if tier != wasTier && wasTier != 0 {
		event.Kind, event.From, event.To = lore.EventTier, strconv.Itoa(int(wasTier)), strconv.Itoa(int(tier))
		events = append(events, p.happened(event, pass))
	}
	return events
}

func (p *pass) patternEvents(now, was lore.Pattern) []lore.Change {
	return p.changedFromTo(lore.Event{
		Target: lore.Target{Collection: lore.Patterns, ID: now.ID}, PatternID: now.ID, Category: now.Category, Ecosystem: now.Ecosystem,
	}, now.FirstSeenAt, string(now.Status), string(was.Status), now.Tier, was.Tier)
}

func (p *pass) unitEvents(now, was lore.KnowledgeUnit) []lore.Change {
	return p.changedFromTo(lore.Event{
		Target: lore.Target{Collection: lore.KnowledgeUnits, ID: now.ID}, PatternID: now.PatternID, Category: now.Category, Ecosystem: now.Ecosystem,
	}, now.FirstSeenAt, string(now.Status), string(was.Status), now.Tier, was.Tier)
}

// promotions returns the events of units that became knowledge before there were events. What happened to them and to patterns since then
// was not kept.
func (p *pass) promotions(units map[string]lore.KnowledgeUnit) (events []lore.Change) {
	if !p.progress.TellPromotions {
		return nil
	}
	for _, unit := range units {
		if unit.Reference != nil || !unit.PromotedAt.Before(p.progress.BeganAt) {
			continue
		}
		event := lore.Event{
			Kind: lore.EventStatus, To: string(lore.UnitActive), Target: lore.Target{Collection: lore.KnowledgeUnits, ID: unit.ID},
			PatternID: unit.PatternID, Category: unit.Category, Ecosystem: unit.Ecosystem, CreatedAt: unit.PromotedAt,
		}
		events = append(events, p.happened(event.After(unit.FirstSeenAt)))
	}
	return events
}

// outcomeEvents returns the events of outcomes on items that are there.
func (p *pass) outcomeEvents(said statements, reports map[string]lore.Report, units map[string]lore.KnowledgeUnit) (events []lore.Change, err error) {
	var told []lore.Event
	var sources []string
	for id, outcomes := range said.outcomes {
		report, isReport := reports[id]
		unit, isUnit := units[id]
		if !isReport && !isUnit {
			continue
		}
		for _, outcome := range outcomes {
			if outcome.At.Before(p.since()) {
				continue
			}
			event := lore.Event{
				Kind: lore.EventOutcome, To: string(outcome.Result), Target: outcome.Target, SourceID: outcome.SourceID, CreatedAt: outcome.At,
			}
			if isReport {
				event.PatternID, event.Category, event.AuthorID = report.PatternID, report.Category, report.SourceID
				if event = event.After(report.PublishedAt()); report.Ecosystem != "" {
					event.Ecosystem = []string{report.Ecosystem}
				}
			} else {
				event.PatternID, event.Category, event.Ecosystem = unit.PatternID, unit.Category, unit.Ecosystem
				event = event.After(unit.FirstSeenAt)
			}
			told, sources = append(told, event), append(sources, outcome.SourceID, report.SourceID)
		}
	}
	names, err := p.Store.Sources(p.ctx, some(sources))
	if err == nil {
		err = p.readAccounts(sources)
	}
	if err != nil {
		return nil, err
	}
	named := func(source string) string { // events are exported, and anybody may call themselves anything
		if p.principal(source).StandingSince.IsZero() {
			return ""
		}
		return names[source].Name
	}
	for _, event := range told {
		if _, there := names[event.SourceID]; there { // else it is erased
			event.SourceName, event.AuthorName = named(event.SourceID), named(event.AuthorID)
			events = append(events, p.happened(event, event.SourceID, event.CreatedAt.String()))
		}
	}
	return events, nil
}
