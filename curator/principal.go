package curator

import (
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
	// Shadowed: it has no standing, and gave the owner of one that has. It counts for nothing.
	Shadowed bool
	// Banned: the operator banned it, or the source that was asked for. It counts for nothing.
	Banned bool
}

// Standing reports whether the principal counts for what speaks as the service.
func (p Principal) Standing() bool { return !p.StandingSince.IsZero() && !p.Banned }

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

// Earned reports whether a principal has earned standing by itself: it is known for long enough, and others with standing confirmed
// contributions of its own, each of another pattern.
func (r PromotionRules) Earned(since time.Time, contributions int, now time.Time) bool {
	return !since.IsZero() && now.Sub(since) >= r.StandingAfter() && contributions >= r.StandingContributions
}

// confirmed reports whether a report is a contribution: enough others with standing said that it worked, or, where it was the first of
// its case, reported the same after it. A repeated report earns nothing by those that repeat it as well: else copying every
// new report would earn standing.
func (j *judgement) confirmed(report lore.Report, outcomes map[string]lore.Outcome) bool {
	author := j.Principal(report.SourceID)
	if j.setAside(report.ID) || j.disowned(report) {
		return false
	}
	owners := map[string]bool{}
	confirm := func(by Principal) {
		if by.Standing() && !related(by, author) {
			owners[by.OwnerKey] = true
		}
	}
	if report.ID == j.opening.ID {
		for _, other := range j.veterans {
			confirm(other.by)
		}
	}
	for _, outcome := range outcomes {
		if outcome.Result == lore.ResultWorked {
			confirm(j.Principal(outcome.SourceID))
		}
	}
	return len(owners) >= j.rules.ConfirmingOwners
}
