package curator

import (
	"slices"
	"time"

	"agentlore/lore"
)

// Principal is who stands behind a source, as the rules see it.
type Principal struct {
	ID string
	// OwnerKey and Network stand for the owner's text and the network that the principal gave. They can only lower a count. An empty
	// network is that of an import, which never registered.
	OwnerKey string
	Network  string
	// StandingSince is since when the principal has standing; zero: it has none. An operator gives it by a vouch or an invite, and it
	// can be earned (PromotionRules.Earned).
	StandingSince time.Time
	// Given: an operator gave the standing. What such principals confirm earns others standing.
	Given bool
	// Imported: the source came with an operator's import and never had a token. What it says is handed out.
	Imported bool
	// Shadowed: it has no standing, and gave the owner of one that has. It counts for nothing.
	Shadowed bool
	// Banned: the operator banned it, or the source that was asked for. It counts for nothing.
	Banned bool
}

// Standing reports whether the principal counts for what speaks as the service.
func (p Principal) Standing() bool { return !p.StandingSince.IsZero() && !p.Banned }

// Source returns where the principal's standing comes from.
func (p Principal) Source() lore.Standing {
	switch {
	case !p.Standing():
		return lore.StandingNone
	case p.Given:
		return lore.StandingGiven
	}
	return lore.StandingEarned
}

// counts reports whether the principal counts at all.
func (p Principal) counts() bool { return !p.Banned && !p.Shadowed }

// related reports whether two principals are one, or gave one owner: then neither confirms the other. A principal that merely typed the owner
// of one with standing is not related to it, and so takes no say from it.
func related(one, other Principal) bool {
	return one.ID == other.ID || one.OwnerKey == other.OwnerKey && !one.Shadowed && !other.Shadowed
}

// independent returns how many of principals are independent of one another, as votes are.
func independent(principals map[string]Principal) (standing, newcomers int) {
	var all []reporter
	for _, p := range principals {
		all = append(all, reporter{by: p})
	}
	found := countVotes(all)
	return len(found.standing), len(found.newcomers)
}

// ActsOf returns how many outcomes and flags of a principal count in a week.
func (r PromotionRules) ActsOf(p Principal) int {
	if p.Given {
		return r.GivenActs
	}
	return r.EarnedActs
}

// WeekOf returns when the week of a time began: Monday, midnight UTC.
func WeekOf(at time.Time) time.Time {
	at = at.UTC().Truncate(24 * time.Hour)
	return at.AddDate(0, 0, -(int(at.Weekday())+6)%7)
}

// Earned reports whether a principal has earned standing by itself: it is known for long enough, and gave enough different fixes that others,
// whose standing was given, confirmed.
func (r PromotionRules) Earned(since time.Time, fixes int, now time.Time) bool {
	return !since.IsZero() && now.Sub(since) >= r.StandingAfter() && fixes >= r.StandingFixes
}

// confirmed reports whether a report earns its author standing: it gave its fix first, and enough others whose standing was given confirmed
// that in these words. Being the first to report a problem earns nothing: else copying every new error would.
func (j *judgement) confirmed(report lore.Report) bool {
	f := j.of(report)
	if f == nil || f.key == "" || f.harmful() || j.echoes[report.ID] || f.reports[0].ID != report.ID || j.repeats(report) {
		return false
	}
	owners := map[string]bool{}
	confirm := func(by Principal) {
		if by.Given && by.Standing() && !related(by, f.author) {
			owners[by.OwnerKey] = true
		}
	}
	for _, outcome := range f.outcomes {
		if outcome.Result == lore.ResultWorked {
			confirm(j.Principal(outcome.SourceID))
		}
	}
	for _, other := range f.reports {
		if by := j.Principal(other.SourceID); f.outcomes[by.OwnerKey].ID == "" { // its outcome counts before its report
			confirm(by)
		}
	}
	return len(owners) >= j.rules.ConfirmingOwners
}

// repeats reports whether somebody else gave a report's fix before it, also one whose word counts for nothing since: who copied the fix of
// an author that is banned now, is not its author.
func (j *judgement) repeats(report lore.Report) bool {
	author := j.Principal(report.SourceID)
	return slices.ContainsFunc(j.Reports, func(other lore.Report) bool {
		return other.FixKey == report.FixKey && other.CreatedAt.Before(report.CreatedAt) && !related(j.Principal(other.SourceID), author)
	})
}
