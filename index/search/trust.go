package search

import (
	"math"
	"time"
)

// What trust adds at most, each as a factor above 1. Their product stays below trustMax. They are set by hand and not
// learned, for no labelled data has tiers: each alone can lift a result over one that fits a little better, and all
// together over none that fits twice as well. Where trust says nothing of which result answers, these cost nDCG@10 0.0005,
// and twice as much trust 0.007.
const (
	confidenceTrust = 0.125 // of a knowledge unit with confidence 1
	outcomeTrust    = 0.125 // when all of very many reports say that it worked
	ageTrust        = 0.15  // of what was stored or confirmed right now
	trustMax        = 2.0
)

// tierTrust is the factor of each tier, from 0, which means none. Tier 2 adds nothing: newcomers can give it to each other, and what
// they say must move no result.
var tierTrust = [...]float64{1, 1, 1, 1.15, 1.25}

// trust is how far a result is trusted: factors of 1 and above.
type trust struct{ tier, confidence, outcomes, age float64 }

// trustOf returns a result's trust.
func trustOf(document *searchDocument, now time.Time) trust {
	t := trust{tierTrust[max(0, min(int(document.Tier), len(tierTrust)-1))], 1, 1, 1}
	if document.Confidence != nil {
		t.confidence = 1 + confidenceTrust**document.Confidence
	}
	if reports := document.Outcomes; reports != nil {
		worked := float64(reports.Worked)
		t.outcomes = 1 + outcomeTrust*worked/(worked+float64(reports.Failed)+2*float64(reports.Unsafe)+2)
	}
	if !document.CreatedAt.IsZero() {
		seen := document.CreatedAt
		if confirmed := document.LastConfirmedAt; confirmed != nil && confirmed.After(seen) {
			seen = *confirmed
		}
		age := max(0, now.Sub(seen))
		t.age = 1 + ageTrust*math.Exp2(-float64(age)/float64(document.Category.HalfLife()))
	}
	return t
}

// factor returns the product, at most trustMax. It is multiplied in one order: to the last bit the same for equal items,
// so that pages by offset, each a search of its own, agree on their order.
func (t trust) factor() float64 { return math.Min(trustMax, t.tier*t.confidence*t.outcomes*t.age) }

// parts returns the factors by their names in explanations.
func (t trust) parts() map[string]float64 {
	return map[string]float64{"tier": t.tier, "confidence": t.confidence, "outcomes": t.outcomes, "age": t.age}
}
