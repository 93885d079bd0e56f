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
	// Outcomes are of the reports and of the case's unit, and those that found a fix unsafe that a report gives too, wherever it stands.
	Outcomes []lore.Outcome
	// Flags are on the reports, the pattern and the unit, and confirmed ones on a fix that a report gives too, wherever it stands.
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
	// Known reports whether the library or the catalog has a package, an address or a host of a URL; nil: neither has any.
	Known func(name string) bool
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

// decided returns the latest decision on each item, where it still says something.
func (c Case) decided() map[string]lore.Decision {
	latest := map[string]lore.Decision{}
	for _, decision := range c.Decisions {
		if decision.Verdict.Matter() != lore.VerdictApprove.Matter() {
			continue
		}
		if known, there := latest[decision.Subject.ID]; !there || later(decision.At, decision.ID, known.At, known.ID) {
			latest[decision.Subject.ID] = decision
		}
	}
	return latest
}

// later orders what happened at the same moment by id.
func later(a time.Time, aID string, b time.Time, bID string) bool {
	return cmp.Or(a.Compare(b), cmp.Compare(aID, bID)) > 0
}

// harmfulReasons are the reasons of flags that say that following an item does harm, or that it says what isn't so. Something stale, a duplicate or a leak
// by mistake doesn't.
var harmfulReasons = []lore.FlagReason{lore.FlagInjection, lore.FlagMaliciousAddress, lore.FlagSpam, lore.FlagIncorrect}

// Harmful reports whether a flag of this reason costs its author standing when an operator confirms it, and ends the fix that it is on.
func Harmful(reason lore.FlagReason) bool { return slices.Contains(harmfulReasons, reason) }

// flagsNow returns the flags that are on the words that items have now. items are the words of each, and when they changed last.
func (c Case) flagsNow(items map[string]wording) (now []lore.SafetyFlag) {
	for _, flag := range c.Flags {
		item, there := items[flag.Target.ID]
		words := lore.Words{Revision: flag.Revision}
		if there && (words.AreOf(item.words, flag.CreatedAt, item.revisedAt) || slices.Contains(item.redactedFrom, flag.Revision)) {
			now = append(now, flag)
		}
	}
	return now
}

// wording is what an item says, when that changed last (nil: never), and the revisions that it had before it was redacted.
type wording struct {
	words        lore.Words
	revisedAt    *time.Time
	redactedFrom []string
}

// warnings returns the items that a confirmed flag warns of and those that an open one blocks, of flags on their present words.
func (c Case) warnings(r PromotionRules, flags []lore.SafetyFlag) (confirmed, blocked map[string]bool) {
	confirmed, blocked = map[string]bool{}, map[string]bool{}
	accusers := map[string]map[string]bool{}
	for _, flag := range flags {
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

// warningsOn returns what the flags on items say, which readers are shown. Flags of sources without standing are one line, and none on an
// item that has evidence.
func (j *judgement) warningsOn(evident bool, items ...string) []lore.ItemWarning {
	var flags []lore.SafetyFlag
	for _, flag := range j.flags {
		if slices.Contains(items, flag.Target.ID) {
			flags = append(flags, flag)
		}
	}
	return j.rules.Warnings(flags, j.Principal, evident, j.Now)
}

// Warnings returns what flags say of an item, evident where it has evidence.
func (r PromotionRules) Warnings(flags []lore.SafetyFlag, principal func(string) Principal, evident bool, now time.Time) []lore.ItemWarning {
	var weighty []lore.SafetyFlag
	newcomers := map[string]Principal{}
	lapsed := now.Add(-r.FlagLapses())
	for _, flag := range flags {
		by := Principal{StandingSince: now}
		if flag.RaisedBy != lore.RaisedByAgentlore {
			by = principal(flag.RaisedBy)
		}
		switch {
		case flag.Status != lore.FlagOpen || by.Standing():
			weighty = append(weighty, flag)
		case by.counts() && !flag.CreatedAt.Before(lapsed) && flag.Reason != lore.FlagLeak:
			newcomers[by.ID] = by
		}
	}
	warnings := lore.WarningsOf(weighty, lapsed)
	if _, owners := independent(newcomers); owners > 0 && !evident && len(warnings) == 0 {
		warnings = append(warnings, lore.NewcomersWarning(owners))
	}
	return warnings
}

// latestOutcomes returns each owner's latest of outcomes, by owner. One on an item of the speaker's own owner doesn't count, nor does
// one whose principal counts for nothing. Where principals of one owner say different things, the one with the oldest standing counts.
func (j *judgement) latestOutcomes(outcomes []lore.Outcome) map[string]lore.Outcome {
	return j.latestBut(outcomes, func(outcome lore.Outcome, by Principal) bool {
		report, there := j.byID[outcome.Target.ID]
		return there && related(j.Principal(report.SourceID), by)
	})
}

// latestBut is latestOutcomes for outcomes that an own says are of the speaker's own items.
func (c Case) latestBut(outcomes []lore.Outcome, own func(lore.Outcome, Principal) bool) map[string]lore.Outcome {
	latest, byOwner := map[string]lore.Outcome{}, map[string]lore.Outcome{} // the first by principal
	for _, outcome := range outcomes {
		by := c.Principal(outcome.SourceID)
		if !by.counts() || own(outcome, by) {
			continue
		}
		if known, there := latest[by.ID]; !there || later(outcome.At, outcome.ID, known.At, known.ID) {
			latest[by.ID] = outcome
		}
	}
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
	author, confirmed := c.Principal(source), 0
	counts := c.count(c.latestBut(c.Outcomes, func(_ lore.Outcome, by Principal) bool { return related(author, by) }))
	for _, flag := range c.Flags {
		if flag.Status == lore.FlagConfirmed {
			confirmed++
		}
	}
	return Reputation(counts.Worked, counts.Failed, counts.Unsafe, confirmed)
}
