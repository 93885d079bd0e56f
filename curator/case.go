package curator

import (
	"cmp"
	"slices"
	"time"

	"agentlore/lore"
)

// Case is everything that is known of one thing: the reports that are of it (one, or a pattern's), what others say after
// they used it, what speaks against it.
type Case struct {
	Reports []lore.Report
	// Outcomes are of the reports and of the case's unit; those of other items are ignored.
	Outcomes []lore.Outcome
	// Flags are on the reports, the pattern and the unit; lapsed ones and those of other items are ignored.
	Flags []lore.SafetyFlag
	// Decisions are about the reports, the pattern and the unit; of each, the latest standing counts.
	Decisions []lore.Decision
	// Principal tells who stands behind a source.
	Principal func(sourceID string) Principal
	// Unit is the case's knowledge unit as it is stored, or nil. Its times of promotion and storage are kept.
	Unit *lore.KnowledgeUnit
	// Pattern is the case's pattern as it is stored, or nil. Its time of detection is kept.
	Pattern *lore.Pattern
	Now     time.Time
	// TakenBack are reports that count for nothing: who said them had stolen the token.
	TakenBack map[string]bool
}

// UnitID returns the id of the knowledge unit of a case that begins with a submission.
func UnitID(first string) string { return lore.DerivedID("knowledge unit", first) }

// PatternID returns the id of the pattern that begins with a submission.
func PatternID(first string) string { return lore.DerivedID("pattern", first) }

// First returns the report that a case begins with: the earliest, of equals the one of least id. It names the case, so a
// pattern keeps its id while reports come and while others are split from it.
func First(reports []lore.Report) lore.Report {
	return slices.MinFunc(reports, func(a, b lore.Report) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}

// standing returns the latest verdict on each item, where it still says something.
func (c Case) standing() map[string]lore.Verdict {
	latest := map[string]lore.Decision{}
	for _, decision := range c.Decisions {
		if decision.Verdict.Matter() != lore.VerdictApprove.Matter() {
			continue
		}
		if known, there := latest[decision.Subject.ID]; !there || later(decision.At, decision.ID, known.At, known.ID) {
			latest[decision.Subject.ID] = decision
		}
	}
	verdicts := map[string]lore.Verdict{}
	for id, decision := range latest {
		verdicts[id] = decision.Verdict
	}
	return verdicts
}

// later orders what happened at the same moment by id.
func later(a time.Time, aID string, b time.Time, bID string) bool {
	return cmp.Or(a.Compare(b), cmp.Compare(aID, bID)) > 0
}

// warnings returns the items that a confirmed flag warns of and those that an open one blocks.
func (c Case) warnings(r PromotionRules) (confirmed, blocked map[string]bool) {
	confirmed, blocked = map[string]bool{}, map[string]bool{}
	accusers := map[string]map[string]bool{}
	for _, flag := range c.Flags {
		id := flag.Target.ID
		switch {
		case flag.Status == lore.FlagConfirmed:
			confirmed[id], blocked[id] = true, true
		case flag.Status != lore.FlagOpen:
		case flag.RaisedBy == lore.RaisedByAgentlore:
			blocked[id] = true
		case c.Now.Sub(flag.CreatedAt) < r.FlagLapses() && c.Principal(flag.RaisedBy).Standing():
			if accusers[id] == nil {
				accusers[id] = map[string]bool{}
			}
			accusers[id][c.Principal(flag.RaisedBy).OwnerKey] = true
			blocked[id] = blocked[id] || len(accusers[id]) >= r.BlockingOwners
		}
	}
	return confirmed, blocked
}

// warningsOn returns what the flags on items say, which readers are shown.
func (j *judgement) warningsOn(items ...string) []lore.ItemWarning {
	var flags []lore.SafetyFlag
	for _, flag := range j.Flags {
		if slices.Contains(items, flag.Target.ID) {
			flags = append(flags, flag)
		}
	}
	return lore.WarningsOf(flags, j.Now.Add(-j.rules.FlagLapses()))
}

// latestOutcomes returns each owner's latest outcome on the given items, all of them together, by owner: items are ids with the
// source of each. An outcome doesn't count where its principal is related to the source of the very item, or counts for
// nothing. Where principals of one owner say different things, the one with the oldest standing counts.
func (c Case) latestOutcomes(items map[string]string) map[string]lore.Outcome {
	latest := map[string]lore.Outcome{} // by principal
	for _, outcome := range c.Outcomes {
		author, about := items[outcome.Target.ID]
		by := c.Principal(outcome.SourceID)
		if !about || !by.counts() {
			continue
		}
		if author != "" && related(c.Principal(author), by) {
			continue
		}
		if known, there := latest[by.ID]; !there || later(outcome.At, outcome.ID, known.At, known.ID) {
			latest[by.ID] = outcome
		}
	}
	byOwner := map[string]lore.Outcome{}
	for _, outcome := range latest {
		by := c.Principal(outcome.SourceID)
		if known, there := byOwner[by.OwnerKey]; !there || outranks(by, c.Principal(known.SourceID)) {
			byOwner[by.OwnerKey] = outcome
		}
	}
	return byOwner
}

// outranks reports whether the first of two principals of one owner counts: the one with standing, of two the one that has it for
// longer; of equals the one of the lesser id.
func outranks(one, other Principal) bool {
	if one.Standing() != other.Standing() {
		return one.Standing()
	}
	if one.Standing() && !one.StandingSince.Equal(other.StandingSince) {
		return one.StandingSince.Before(other.StandingSince)
	}
	return one.ID < other.ID
}

// count returns how many owners with standing say what in their latest outcomes. Those of others are kept and count for nothing until
// they have standing: else anybody could make a count up, and could find out by it whether a guessed owner is right.
func (c Case) count(outcomes map[string]lore.Outcome) (counts lore.Outcomes) {
	for _, outcome := range outcomes {
		if !c.Principal(outcome.SourceID).Standing() {
			continue
		}
		switch outcome.Result {
		case lore.ResultWorked:
			counts.Worked++
		case lore.ResultFailed:
			counts.Failed++
		case lore.ResultUnsafe:
			counts.Unsafe++
		}
	}
	return counts
}

// Reputation returns the reputation of a source, 0..1, where the case is all that is said of its submissions: what owners with standing
// other than its own said last of all of them together, and the safety flags on them that an operator confirmed.
func (c Case) Reputation(source string) float64 {
	items := map[string]string{}
	for _, outcome := range c.Outcomes {
		items[outcome.Target.ID] = source
	}
	counts, confirmed := c.count(c.latestOutcomes(items)), 0
	for _, flag := range c.Flags {
		if flag.Status == lore.FlagConfirmed {
			confirmed++
		}
	}
	return Reputation(counts.Worked, counts.Failed, counts.Unsafe, confirmed)
}
