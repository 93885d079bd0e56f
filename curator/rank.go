package curator

import (
	"maps"
	"math"
	"slices"
	"time"

	"agentlore/lore"
)

const (
	// evidenceHalfLife is after how long a vote counts half in the order by evidence: what was last confirmed years ago is rarely as true
	// as it was.
	evidenceHalfLife = 365 * 24 * time.Hour
	// trendHalfLife is the same for what is being reported now.
	trendHalfLife = 14 * 24 * time.Hour
	// newcomerVote is what the vote of an owner without standing counts: registration is free.
	newcomerVote = 0.25
)

// votes are the times at which independent owners last confirmed something. Owners with standing are counted by their names. Newcomers
// are counted by owners or by networks, whichever gives fewer; imported sources have no network.
type votes struct{ standing, newcomers map[string]time.Time }

// countVotes returns what principals said as votes of independent owners.
func countVotes(said []reporter) votes {
	found, networks, imported := votes{map[string]time.Time{}, map[string]time.Time{}}, map[string]time.Time{}, map[string]time.Time{}
	for _, one := range said {
		latest := func(of map[string]time.Time, key string) {
			if known, there := of[key]; !there || one.at.After(known) {
				of[key] = one.at
			}
		}
		switch by := one.by; {
		case by.Standing():
			latest(found.standing, by.OwnerKey)
		case !by.counts():
		case by.Network == "":
			latest(imported, by.OwnerKey)
		default:
			latest(found.newcomers, by.OwnerKey)
			latest(networks, by.Network)
		}
	}
	for owner := range imported {
		delete(found.newcomers, owner)
	}
	if len(networks) < len(found.newcomers) {
		found.newcomers = networks
	}
	maps.Copy(found.newcomers, imported)
	return found
}

// countVotes returns the votes for the case: the reports that count, and the last outcomes that are worked.
func (j *judgement) countVotes() votes {
	var said []reporter
	for _, report := range j.counted {
		said = append(said, reporter{j.Principal(report.SourceID), report.PublishedAt()})
	}
	for _, outcome := range j.latest {
		if outcome.Result == lore.ResultWorked {
			said = append(said, reporter{j.Principal(outcome.SourceID), outcome.At})
		}
	}
	return countVotes(said)
}

// trusted are the votes that count for a unit, which speaks as the service.
func (v votes) trusted() votes { return votes{standing: v.standing} }

// decayed returns the binary logarithm of the number of votes, each halved for every half-life since it was cast. It is counted as of
// 1970, so that it only changes with a new vote: what is stored stays in order as time goes by. No vote: 0.
func (v votes) decayed(halfLife time.Duration) float64 {
	age := func(at time.Time) float64 { return float64(at.UnixMilli()) / float64(halfLife.Milliseconds()) }
	latest, sum := 0.0, 0.0
	for _, at := range slices.Concat(slices.Collect(maps.Values(v.standing)), slices.Collect(maps.Values(v.newcomers))) {
		latest = max(latest, age(at))
	}
	for _, at := range v.standing {
		sum += math.Exp2(age(at) - latest)
	}
	for _, at := range v.newcomers {
		sum += newcomerVote * math.Exp2(age(at)-latest)
	}
	if sum == 0 {
		return 0
	}
	return max(0, latest+math.Log2(sum))
}

// rank returns where votes put something in lists, evidence for as much as confidence says; nil without a vote, or where so many report the
// case that it says little.
func (j *judgement) rank(cast votes, confidence float64) *lore.Rank {
	if j.overCorrelating() || len(cast.standing)+len(cast.newcomers) == 0 {
		return nil
	}
	return &lore.Rank{
		Evidence: thousandths(max(0, cast.decayed(evidenceHalfLife)+math.Log2(confidence))),
		Trending: thousandths(cast.decayed(trendHalfLife)),
	}
}

// establishedAt returns when the report came by which enough independent principals had reported the case, or nil.
func (j *judgement) establishedAt() *time.Time {
	reporting := map[string]Principal{}
	inOrder := func(a, b lore.Report) int { return a.PublishedAt().Compare(b.PublishedAt()) }
	for _, report := range slices.SortedFunc(slices.Values(j.counted), inOrder) {
		by := j.Principal(report.SourceID)
		if _, known := reporting[by.ID]; known || !by.counts() {
			continue
		}
		reporting[by.ID] = by
		if standing, newcomers := independent(reporting); standing+newcomers >= j.rules.EstablishedOwners {
			at := report.PublishedAt().UTC()
			return &at
		}
	}
	return nil
}

func thousandths(value float64) float64 { return math.Round(value*1000) / 1000 }
