package curator

import (
	"maps"
	"math"
	"slices"
	"time"

	"agentlore/lore"
)

const (
	// evidenceHalfLife is how long a voice takes to count half in the order by evidence: what nobody confirmed for years is rarely as
	// true as it was.
	evidenceHalfLife = 365 * 24 * time.Hour
	// trendHalfLife is the same for what is being reported now.
	trendHalfLife = 14 * 24 * time.Hour
	// newcomerVoice is what an owner without standing counts: registration is free.
	newcomerVoice = 0.25
)

// voices are when each independent owner last spoke for a case, by owner.
type voices struct{ standing, newcomers map[string]time.Time }

// voices hears the reports that count and, after them, the last outcomes: worked speaks for the case, anything else doesn't.
// Newcomers are as many as they have owners or networks, whichever is less, as in independent.
func (j *judgement) voices() voices {
	heard, networks, imported := voices{map[string]time.Time{}, map[string]time.Time{}}, map[string]time.Time{}, map[string]time.Time{}
	note := func(by Principal, at time.Time) {
		latest := func(of map[string]time.Time, key string) {
			if at.After(of[key]) {
				of[key] = at
			}
		}
		switch {
		case by.Standing():
			latest(heard.standing, by.OwnerKey)
		case !by.counts():
		case by.Network == "":
			latest(imported, by.OwnerKey)
		default:
			latest(heard.newcomers, by.OwnerKey)
			latest(networks, by.Network)
		}
	}
	for _, report := range j.standing {
		note(j.principal(report.SourceID), report.PublishedAt())
	}
	for _, outcome := range j.latest {
		if outcome.Result == lore.ResultWorked {
			note(j.principal(outcome.SourceID), outcome.At)
		}
	}
	for owner := range imported {
		delete(heard.newcomers, owner)
	}
	if len(networks) < len(heard.newcomers) {
		heard.newcomers = networks
	}
	maps.Copy(heard.newcomers, imported)
	return heard
}

// decayed returns the binary logarithm of how many voices there are, each halved for every half-life since it spoke. It is told as of
// 1970, so that it never changes while nobody speaks: what is stored stays in order as time goes by. No voice: 0.
func (v voices) decayed(halfLife time.Duration) float64 {
	age := func(at time.Time) float64 { return float64(at.UnixMilli()) / float64(halfLife.Milliseconds()) }
	latest, sum := 0.0, 0.0
	for _, at := range slices.Concat(slices.Collect(maps.Values(v.standing)), slices.Collect(maps.Values(v.newcomers))) {
		latest = max(latest, age(at))
	}
	for _, at := range v.standing {
		sum += math.Exp2(age(at) - latest)
	}
	for _, at := range v.newcomers {
		sum += newcomerVoice * math.Exp2(age(at)-latest)
	}
	if sum == 0 {
		return 0
	}
	return max(0, latest+math.Log2(sum))
}

// rank returns where the case's pattern stands in lists, or nil: nobody speaks for it, or so many that it says little.
func (j *judgement) rank() *lore.Rank { return j.rankOf(j.voices(), 1) }

// unitRank returns where its unit stands, which speaks as the service: newcomers count for nothing, and evidence for as much as
// confidence says.
func (j *judgement) unitRank(confidence float64) *lore.Rank {
	heard := j.voices()
	clear(heard.newcomers)
	return j.rankOf(heard, confidence)
}

func (j *judgement) rankOf(heard voices, confidence float64) *lore.Rank {
	if j.overCorrelating() || len(heard.standing)+len(heard.newcomers) == 0 {
		return nil
	}
	return &lore.Rank{
		Evidence: thousandths(max(0, heard.decayed(evidenceHalfLife)+math.Log2(confidence))), Trending: thousandths(heard.decayed(trendHalfLife)),
	}
}

// establishedAt returns when the report came by which enough independent principals had reported the case, or nil.
func (j *judgement) establishedAt() *time.Time {
	heard := map[string]Principal{}
	for _, report := range slices.SortedFunc(slices.Values(j.standing), func(a, b lore.Report) int { return a.PublishedAt().Compare(b.PublishedAt()) }) {
		by := j.principal(report.SourceID)
		if _, known := heard[by.ID]; known || !by.counts() {
			continue
		}
		heard[by.ID] = by
		if standing, newcomers := independent(heard); standing+newcomers >= j.rules.EstablishedOwners {
			at := report.PublishedAt().UTC()
			return &at
		}
	}
	return nil
}

func thousandths(value float64) float64 { return math.Round(value*1000) / 1000 }
