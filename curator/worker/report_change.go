package worker

import (
	"maps"
	"slices"
	"time"

	"agentlore/curator"
	"agentlore/lore"
)

// changeOf returns what must change in a stored report, and whether anything must. Nearly all reports that a pass judges stay
// as they are, so fields are compared as they are, and only those that differ are made into what is stored.
func changeOf(stored, scored lore.Report, s curator.Standing) (lore.Change, bool) {
	d := difference{lore.Change{Target: lore.Target{Collection: lore.Submissions, ID: stored.ID}, Set: map[string]any{}}}
	// In order of their names, as Drop is.
	if stored.Confirmed != s.Confirmed {
		d.differs("confirmed", s.Confirmed, func() any { return true })
	}
	d.text("fingerprint", stored.Fingerprint, scored.Fingerprint)
	d.text("knowledge_unit_id", stored.KnowledgeUnitID, s.KnowledgeUnitID)
	if before, after := stored.LastConfirmedAt, s.LastConfirmedAt; !sameTime(before, after) {
		d.differs("last_confirmed_at", after != nil, func() any { return after.UTC().Format(time.RFC3339Nano) })
	}
	if !slices.Equal(stored.Missing, s.Missing) {
		d.differs("missing", len(s.Missing) > 0, func() any { return jsonTexts(s.Missing) })
	}
	if !sameOutcomes(stored.Outcomes, s.Outcomes) {
		d.differs("outcomes", s.Outcomes != nil, func() any { return fields(s.Outcomes) })
	}
	d.text("pattern_id", stored.PatternID, s.PatternID)
	if stored.Score != scored.Score {
		d.differs("score", scored.Score != 0, func() any { return scored.Score })
	}
	if !maps.Equal(stored.ScoreParts, scored.ScoreParts) {
		d.differs("score_parts", len(scored.ScoreParts) > 0, func() any { return jsonNumbers(scored.ScoreParts) })
	}
	d.text("status", stored.Status, s.Status)
	if stored.Tier != s.Tier {
		d.differs("tier", true, func() any { return float64(s.Tier) })
	}
	if !slices.Equal(stored.Warnings, s.Warnings) {
		d.differs("warnings", len(s.Warnings) > 0, func() any { return jsonWarnings(s.Warnings) })
	}
	return d.Change, len(d.Set)+len(d.Drop) > 0
}

// difference is a change that is being put together field by field.
type difference struct{ lore.Change }

// differs adds a field that has another value now, or that goes where it is not there any more.
func (d *difference) differs(field string, there bool, value func() any) {
	if !there {
		d.Drop = append(d.Drop, field)
		return
	}
	d.Set[field] = value()
}

// text adds a field of text if it differs; an empty one is not there.
func (d *difference) text(field, before, after string) {
	if before != after {
		d.differs(field, after != "", func() any { return after })
	}
}

func sameTime(a, b *time.Time) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Equal(*b)
}

func sameOutcomes(a, b *lore.Outcomes) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// jsonTexts, jsonWarnings and jsonNumbers return values in the form in which JSON is read.
func jsonTexts[T ~string](list []T) []any {
	texts := make([]any, len(list))
	for i, text := range list {
		texts[i] = string(text)
	}
	return texts
}

func jsonWarnings(warnings []lore.ItemWarning) []any {
	list := make([]any, len(warnings))
	for i, warning := range warnings {
		list[i] = fields(warning)
	}
	return list
}

func jsonNumbers(values map[string]float64) map[string]any {
	numbers := make(map[string]any, len(values))
	for name, value := range values {
		numbers[name] = value
	}
	return numbers
}
