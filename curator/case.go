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
	Flags []lore.RaisedFlag
	// Decisions are about the reports, the pattern and the unit; of each, the latest standing counts.
	Decisions []lore.Decision
	// Owners tells of owners beyond the case.
	Owners func(ownerKey string) Owner
	// Unit is the case's knowledge unit as it is stored, or nil. Its times of promotion and storage are kept.
	Unit *lore.KnowledgeUnit
	// Pattern is the case's pattern as it is stored, or nil. Its time of detection is kept.
	Pattern *lore.Pattern
	Now     time.Time
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
func (c Case) warnings(r PromotionRules, pattern string) (confirmed, blocked map[string]bool) {
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
		case c.Now.Sub(flag.CreatedAt) < r.FlagLapses() && r.Qualified(c.Owners(flag.OwnerKey), pattern, c.Now):
			if accusers[id] == nil {
				accusers[id] = map[string]bool{}
			}
			accusers[id][flag.OwnerKey] = true
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
			flags = append(flags, flag.SafetyFlag)
		}
	}
	return lore.WarningsOf(flags, j.Now.Add(-j.rules.FlagLapses()))
}

// lastWords returns each owner's last outcome on the given items, all of them together. An outcome of the owner of the
// very item it is about isn't one.
func (c Case) lastWords(items map[string]string) map[string]lore.Outcome {
	words := map[string]lore.Outcome{}
	for _, outcome := range c.Outcomes {
		author, about := items[outcome.Target.ID]
		if !about || outcome.OwnerKey == author {
			continue
		}
		if known, there := words[outcome.OwnerKey]; !there || later(outcome.At, outcome.ID, known.At, known.ID) {
			words[outcome.OwnerKey] = outcome
		}
	}
	return words
}

// count returns how many owners' last words are what.
func count(words map[string]lore.Outcome, counts func(ownerKey string) bool) lore.Outcomes {
	var outcomes lore.Outcomes
	for owner, word := range words {
		if !counts(owner) {
			continue
		}
		switch word.Result {
		case lore.ResultWorked:
			outcomes.Worked++
		case lore.ResultFailed:
			outcomes.Failed++
		case lore.ResultUnsafe:
			outcomes.Unsafe++
		}
	}
	return outcomes
}
