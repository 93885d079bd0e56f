package index

import (
	"math"
	"time"
)

// What trust adds at most, each as a factor above 1. Their product stays below trustMax. They are set by hand and not
// learned, for no labelled data has tiers: each alone can lift a result over one that fits a little better, and none
// over one that fits twice as well.
const (
	confidenceTrust = 0.25 // of a knowledge unit with confidence 1
	outcomeTrust    = 0.25 // when all of very many reports say that it worked
	ageTrust        = 0.3  // of what was stored or confirmed right now
	trustMax        = 4.0
)

// tierTrust is the factor of each tier, from 0, which means none.
var tierTrust = [...]float64{1, 1, 1.1, 1.3, 1.5}

// trustParts returns the factors of a result's trust: their product, at most trustMax, is the factor.
func trustParts(document searchDocument, now time.Time) map[string]float64 {
	parts := map[string]float64{
		"tier": tierTrust[max(0, min(int(document.Tier), len(tierTrust)-1))], "confidence": 1, "outcomes": 1, "age": 1,
	}
	if document.Confidence != nil {
		parts["confidence"] = 1 + confidenceTrust**document.Confidence
	}
	if reports := document.Outcomes; reports != nil {
		worked := float64(reports.Worked)
		parts["outcomes"] = 1 + outcomeTrust*worked/(worked+float64(reports.Failed)+2*float64(reports.Unsafe)+2)
	}
	if !document.CreatedAt.IsZero() {
		seen := document.CreatedAt
		if confirmed := document.LastConfirmedAt; confirmed != nil && confirmed.After(seen) {
			seen = *confirmed
		}
		age := max(0, now.Sub(seen))
		parts["age"] = 1 + ageTrust*math.Exp2(-float64(age)/float64(document.Category.HalfLife()))
	}
	return parts
}

// productOf returns the factor that trustParts stand for.
func productOf(parts map[string]float64) float64 {
	product := 1.0
	for _, part := range parts {
		product *= part
	}
	return math.Min(trustMax, product)
}
