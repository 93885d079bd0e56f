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

// trustScript is trustParts in Elasticsearch's script language. A test holds the two together.
const trustScript = `
double trust = 1;
if (doc['tier'].size() > 0) { trust *= params.tier[(int) doc['tier'].value]; }
if (doc['confidence'].size() > 0) { trust *= 1 + params.confidence * doc['confidence'].value; }
double worked = doc['outcomes.worked'].size() > 0 ? doc['outcomes.worked'].value : 0;
double failed = doc['outcomes.failed'].size() > 0 ? doc['outcomes.failed'].value : 0;
double unsafe = doc['outcomes.unsafe'].size() > 0 ? doc['outcomes.unsafe'].value : 0;
trust *= 1 + params.outcomes * worked / (worked + failed + 2 * unsafe + 2);
if (doc['created_at'].size() > 0) {
  long time = doc['created_at'].value.toInstant().toEpochMilli();
  if (doc['last_confirmed_at'].size() > 0) {
    time = (long) Math.max(time, doc['last_confirmed_at'].value.toInstant().toEpochMilli());
  }
  double halfLife = 365;
  if (doc['category'].size() > 0 && params.half_life.containsKey(doc['category'].value)) {
    halfLife = params.half_life[doc['category'].value];
  }
  trust *= 1 + params.age * Math.pow(2, -Math.max(0, params.now - time) / 86400000.0 / halfLife);
}
return Math.min(params.max, trust);`

// trustParts returns the factors of a result's trust, for explain=true: their product, at most trustMax, is the factor.
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
