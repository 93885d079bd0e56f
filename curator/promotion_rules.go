package curator

import (
	"errors"
	"fmt"
	"math"
	"time"

	"agentlore/lore"
)

// PromotionRules say when reports are a pattern, when they become knowledge and when that is taken back.
type PromotionRules struct {
	// EmergingOwners and EstablishedOwners are how many independent owners make a pattern of either status.
	EmergingOwners    int `json:"emerging_owners"`
	EstablishedOwners int `json:"established_owners"`
	// LargestPattern is how many owners with standing may report a pattern before it over-correlates and is kept out of promotion.
	LargestPattern int `json:"largest_pattern"`
	// CorroboratingOwners is how many others must report that a submission worked for tier 2 without a pattern.
	CorroboratingOwners int `json:"corroborating_owners"`
	// StandingDays is how long a principal must have been known to earn standing.
	StandingDays int `json:"standing_days"`
	// StandingFixes is how many different fixes, each confirmed by ConfirmingOwners, earn standing.
	StandingFixes int `json:"standing_fixes"`
	// ConfirmingOwners is how many others whose standing was given must confirm a fix for it to earn standing.
	ConfirmingOwners int `json:"confirming_owners"`
	// EarnedActs and GivenActs are how many outcomes and flags of a principal count in a week (UTC, from Monday), by the source of its standing.
	EarnedActs int `json:"earned_acts"`
	GivenActs  int `json:"given_acts"`
	// DisputingUnsafe and DisputingFailed are how many owners with standing make a library entry disputed: that found it unsafe, or for whom
	// it failed, net of those for whom it worked.
	DisputingUnsafe int `json:"disputing_unsafe"`
	DisputingFailed int `json:"disputing_failed"`
	// Confidence is what a knowledge unit needs, 0..1.
	Confidence float64 `json:"confidence"`
	// CanonicalOwners is how many owners with standing must report that a unit worked for tier 4.
	CanonicalOwners int `json:"canonical_owners"`
	// Approved are the categories in which a unit needs a worked of an owner with standing, or an operator.
	Approved []lore.Category `json:"approved"`
	// BlockingOwners is how many owners with standing must flag an item to block it without an operator.
	BlockingOwners int `json:"blocking_owners"`
	// FlagDays is how long a flag that doesn't block waits for an operator before it lapses.
	FlagDays int `json:"flag_days"`
	// SharedOwners is how many owners of the reports that a unit or pattern is made of must name a tag, an ecosystem or an entity for it
	// to have it.
	SharedOwners int `json:"shared_owners"`
}

// defaultPromotionRules are the defaults.
func defaultPromotionRules() PromotionRules {
	return PromotionRules{
		EmergingOwners: 2, EstablishedOwners: 3,
		LargestPattern:      200,
		CorroboratingOwners: 2,
		StandingDays:        7, // long enough that a ring of newcomers is seen before it counts
		StandingFixes:       3, ConfirmingOwners: 2,
		EarnedActs: 30, GivenActs: 300, // more a week is a program that votes
		DisputingUnsafe: 2, DisputingFailed: 4,
		Confidence:      0.7,
		CanonicalOwners: 5,
		Approved:        []lore.Category{lore.CategorySecurity, lore.CategoryMarket}, // where following a wrong one costs most
		BlockingOwners:  2,
		FlagDays:        14,
		SharedOwners:    2,
	}
}

func (r PromotionRules) check() error {
	var faults []error
	whole := func(name string, value, least int) {
		if value < least {
			faults = append(faults, fmt.Errorf("rules: promotion.%s must be at least %d", name, least))
		}
	}
	whole("emerging_owners", r.EmergingOwners, 2)
	whole("established_owners", r.EstablishedOwners, r.EmergingOwners)
	whole("largest_pattern", r.LargestPattern, 2)
	whole("corroborating_owners", r.CorroboratingOwners, 1)
	whole("standing_days", r.StandingDays, 0)
	whole("standing_fixes", r.StandingFixes, 1)
	whole("earned_acts", r.EarnedActs, 1)
	whole("given_acts", r.GivenActs, r.EarnedActs)
	whole("disputing_unsafe", r.DisputingUnsafe, 1)
	whole("disputing_failed", r.DisputingFailed, 1)
	whole("confirming_owners", r.ConfirmingOwners, 1)
	whole("canonical_owners", r.CanonicalOwners, 1)
	whole("blocking_owners", r.BlockingOwners, 1)
	whole("flag_days", r.FlagDays, 1)
	whole("shared_owners", r.SharedOwners, 1)
	if !(r.Confidence >= 0.5 && r.Confidence < 1) { // also for NaN
		faults = append(faults, errors.New("rules: promotion.confidence must be at least 0.5 and below 1"))
	}
	return errors.Join(faults...)
}

// StandingAfter is how long a principal must have been known.
func (r PromotionRules) StandingAfter() time.Duration {
	return time.Duration(r.StandingDays) * 24 * time.Hour
}

// FlagLapses is how long a flag that doesn't block stands.
func (r PromotionRules) FlagLapses() time.Duration { return time.Duration(r.FlagDays) * 24 * time.Hour }

// Confidence is how far a unit can be relied on, 0..1: worked, failed and unsafe are the owners with standing whose
// last outcome that is, reporters the others with standing who reported the same. It begins at a half; harm counts twice.
func Confidence(worked, reporters, failed, unsafe int) float64 {
	return float64(worked+reporters+1) / float64(worked+reporters+failed+2*unsafe+2)
}

// Reputation of a source, 0..1: worked, failed and unsafe are the owners with standing other than its own whose last outcome
// on its submissions that is, confirmed the safety flags on them that an operator confirmed. It begins at a half and needs
// several to move far.
func Reputation(worked, failed, unsafe, confirmed int) float64 {
	return hundredths(float64(worked+2) / float64(worked+failed+2*unsafe+2*confirmed+4))
}

// hundredths rounds, so that a recomputation that differs in the last bit is no change.
func hundredths(value float64) float64 { return math.Round(value*100) / 100 }
