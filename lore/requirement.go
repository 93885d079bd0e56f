package lore

// Requirement is something that an item lacks for the next tier.
type Requirement string

// What an item can lack. docs/curation.md says when.
const (
	// RequireOwners: more owners who report the same or that it worked.
	RequireOwners Requirement = "owners"
	// RequireStanding: more of them must have standing (docs/curation.md).
	RequireStanding Requirement = "standing"
	// RequireResolution: somebody must say what to do.
	RequireResolution Requirement = "resolution"
	// RequireConfidence: too many owners with standing report that it failed or does harm, or too few that it worked.
	RequireConfidence Requirement = "confidence"
	// RequireApproval: it is of a category in which an owner with standing must report that it worked, or an operator approve.
	RequireApproval Requirement = "approval"
	// RequireUnflagged: a safety flag that blocks must be dismissed.
	RequireUnflagged Requirement = "unflagged"
	// RequireFewerReports: its pattern gathers so many reports that it says little.
	RequireFewerReports Requirement = "fewer_reports"
)

// ScoreParts says what a score is made of, by name. They add up to the score.
type ScoreParts map[string]float64
