package worker

import (
	"maps"
	"slices"
	"time"

	"agentlore/lore"
)

// seen returns the changes of sources of which reports are earlier or later than what is known of them. They are written before the
// reports are marked as curated, so that a kill loses none.
func (p *pass) seen(c *cases, groups [][]lore.Report) (changed []lore.Change) {
	sources := map[string]lore.Source{}
	for _, report := range slices.Concat(groups...) {
		source, there := sources[report.SourceID]
		if !there {
			if source, there = c.sources[report.SourceID]; !there {
				continue
			}
		}
		at := report.PublishedAt().UTC()
		if source.FirstSeenAt == nil || at.Before(*source.FirstSeenAt) {
			source.FirstSeenAt = &at
		}
		if source.LastSeenAt == nil || at.After(*source.LastSeenAt) {
			source.LastSeenAt = &at
		}
		sources[report.SourceID] = source
	}
	for _, id := range slices.Sorted(maps.Keys(sources)) {
		set, _ := difference(fields(c.sources[id]), fields(sources[id]))
		if len(set) > 0 {
			changed = append(changed, lore.Change{Target: lore.Target{Collection: lore.Sources, ID: id}, Set: set})
		}
	}
	return changed
}

// dateFlags says of flags when an operator decided on them, for those of older versions.
func (p *pass) dateFlags() error {
	decisions, err := p.Store.Decisions(p.ctx, lore.DecisionFilter{Verdicts: []lore.Verdict{lore.VerdictConfirm, lore.VerdictDismiss}})
	if err != nil {
		return err
	}
	decided := map[string]time.Time{}
	for _, decision := range decisions { // oldest first
		decided[decision.Subject.ID] = decision.At
	}
	var made changes
	for _, id := range slices.Sorted(maps.Keys(decided)) {
		flag := lore.Target{Collection: lore.SafetyFlags, ID: id}
		made.others = append(made.others, lore.Change{Target: flag, Set: fields(struct {
			DecidedAt time.Time `json:"decided_at"`
		}{decided[id]})})
	}
	return p.write(made)
}
