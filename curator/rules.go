// Package curator turns raw reports into patterns and knowledge by rules that anyone can read: it chooses categories, tells
// which reports speak of the same thing and decides what is promoted. It speaks in lore's types and does no I/O; what it needs
// of storage it names as small interfaces of its own. docs/design.md gives the rules and their reasons.
package curator

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Rules are all weights and thresholds of curation, in one place. DefaultRules gives each with its reason;
// docs/design.md explains the most important. An operator changes single ones by a JSON file of the same form (AGENTLORE_CURATION_RULES):
// what the file doesn't name stays as it is.
type Rules struct {
	// Score says what makes a report worth reading.
	Score ScoreRules `json:"score"`
	// Safety says when agentlore itself warns of a report.
	Safety SafetyRules `json:"safety"`
	// Promotion says when reports are a pattern and when they become knowledge.
	Promotion PromotionRules `json:"promotion"`
}

// DefaultRules returns the rules that hold unless an operator says otherwise.
func DefaultRules() Rules {
	return Rules{Score: defaultScoreRules(), Safety: defaultSafetyRules(), Promotion: defaultPromotionRules()}
}

// ReadRules returns the default rules with what a JSON file changes. It names every fault at once: a member that doesn't
// exist is one, since a misspelt threshold would otherwise be a silent default.
func ReadRules(file io.Reader) (Rules, error) {
	rules := DefaultRules()
	decoder := json.NewDecoder(file)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&rules); err != nil {
		return Rules{}, fmt.Errorf("read rules: %w", err)
	}
	if decoder.More() {
		return Rules{}, errors.New("read rules: there is more than one JSON value")
	}
	return rules, rules.Check()
}

// Check returns every fault of the rules at once, or nil.
func (r Rules) Check() error {
	return errors.Join(r.Score.check(), r.Safety.check(), r.Promotion.check())
}

// inRange returns a fault unless a value lies between two bounds, both of them allowed.
func inRange(name string, value, least, most float64) error {
	if value >= least && value <= most { // also false for NaN
		return nil
	}
	return fmt.Errorf("rules: %s must be %g to %g", name, least, most)
}
