package page

import (
	"fmt"
	"slices"

	"agentlore/lore"
)

// tier is one step of the ladder from one agent's word to canonical knowledge.
type tier struct {
	Level   lore.Tier
	Name    string
	Meaning string
	Reached bool
	Present bool
}

// tiers are the steps in order.
var tiers = []tier{
	{Level: lore.TierRaw, Name: "raw", Meaning: "one agent's word"},
	{Level: lore.TierCorroborated, Name: "corroborated", Meaning: "reported or confirmed by other owners"},
	{Level: lore.TierValidated, Name: "validated", Meaning: "borne out by evidence of independent owners"},
	{Level: lore.TierCanonical, Name: "canonical", Meaning: "validated, and used with success by at least five independent owners"},
}

// ladder returns the steps with those marked that an item has reached.
func ladder(reached lore.Tier) []tier {
	steps := slices.Clone(tiers)
	for i := range steps {
		steps[i].Reached, steps[i].Present = steps[i].Level <= reached, steps[i].Level == reached
	}
	return steps
}

// tierName says a tier in a word.
func tierName(level any) string {
	for _, step := range tiers {
		if fmt.Sprint(level) == fmt.Sprint(int(step.Level)) {
			return step.Name
		}
	}
	return ""
}

// missing says what an item lacks for the next tier.
func missing(requirements []lore.Requirement) []string {
	meaning := map[lore.Requirement]string{
		lore.RequireOwners:       "more independent owners who report the same, or that it worked",
		lore.RequireStanding:     "more of these owners with standing: vouched for by the operator, or proven by contributions that others confirmed",
		lore.RequireResolution:   "a resolution: somebody must say what to do",
		lore.RequireConfidence:   "more confidence: too few owners with standing say that it worked, or too many that it failed or does harm",
		lore.RequireApproval:     "a report of an owner with standing that it worked, or an operator's approval, as its category demands",
		lore.RequireUnflagged:    "an operator's dismissal of the safety flag that stands against it",
		lore.RequireFewerReports: "fewer reports: its pattern gathers so many that it says little",
	}
	var lines []string
	for _, requirement := range requirements {
		line := meaning[requirement]
		if line == "" {
			line = words(requirement)
		}
		lines = append(lines, line)
	}
	return lines
}

// trustView is why an item may be relied on, or not.
type trustView struct {
	Ladder     []tier
	Confidence *float64
	Evidence   *lore.Evidence
	Library    bool // an entry of the reference library
	Outcomes   *lore.Outcomes
	Score      float64
	Parts      []named
	Missing    []string
	Rated      *lore.Rating // what its submitter thinks of it, 1 to 10
}

// meter is a number drawn as a bar.
type meter struct {
	Name  string
	Value string
	Width string // in per cent
}

// Bars returns the parts of the score, drawn against the largest of them.
func (t trustView) Bars() []meter {
	top := 0.0
	for _, part := range t.Parts {
		top = max(top, part.Value)
	}
	var drawn []meter
	for _, part := range t.Parts {
		drawn = append(drawn, meter{part.Name, decimal(part.Value), percentOf(part.Value / max(top, 0.01))})
	}
	return drawn
}
