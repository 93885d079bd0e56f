package curator

import (
	"math"
	"strings"
	"testing"

	"agentlore/lore"
)

func scoreOf(o lore.Observation, reputation float64) float64 {
	score, _ := DefaultRules().Score.Score(o, reputation)
	return score
}

func rated(rating lore.Rating) *lore.Rating { return &rating }

// fullReport has all that a reader could wish for.
var fullReport = lore.Observation{
	Summary: "USDT approve reverts with SafeERC20FailedOperation on openzeppelin 5.1.0",
	Content: "Calling `token.approve(router, amount)` on 0xdAC17F958D2ee523a2206206994597C13D831ec7 reverts whenever the allowance that stands " +
		"is above zero, because the contract requires callers to reset it first. We met this while migrating liquidity between two pools: the " +
		"first transaction went through, every following one failed, gas estimation already did.\n\n- node: geth v1.14.3\n- library: @openzeppelin/contracts@5.1.0",
	Resolution: "Call approve(router, 0) before each new amount, or replace the direct call by forceApprove from SafeERC20, which does both.",
	Usefulness: rated(8),
}

// A report scores above another one that lacks something, all else equal.
func TestScoreRisesWithWhatAReportHas(t *testing.T) {
	without := func(change func(*lore.Observation)) lore.Observation {
		o := fullReport
		change(&o)
		return o
	}
	whole := scoreOf(fullReport, lore.NeutralReputation)
	if whole < 8 {
		t.Errorf("a report with everything scores %.2f, want 8 or more", whole)
	}
	for name, lesser := range map[string]lore.Observation{
		"no resolution":                       without(func(o *lore.Observation) { o.Resolution = "" }),
		"the summary as its resolution":       without(func(o *lore.Observation) { o.Resolution = o.Summary }),
		"no content":                          without(func(o *lore.Observation) { o.Content = "" }),
		"a sentence said again and again":     without(func(o *lore.Observation) { o.Content = strings.Repeat("The allowance is above zero. ", 60) }),
		"nothing to look up":                  {Summary: "approve reverts", Content: strings.Repeat("it reverts for us and nobody knows why ", 3), Resolution: fullReport.Resolution},
		"content that the scrubber took away": without(func(o *lore.Observation) { o.Content = strings.Repeat("[SCRUBBED] ", 50) }),
	} {
		if got := scoreOf(lesser, lore.NeutralReputation); got > whole-0.9 {
			t.Errorf("%s: %.2f, want well below %.2f", name, got, whole)
		}
	}
	if bad, good := scoreOf(fullReport, 0.1), scoreOf(fullReport, 0.9); good-bad < 1 {
		t.Errorf("reputation moves a score from %.2f to %.2f only", bad, good)
	}
}

func TestScoreStaysInItsRangeAndItsPartsAddUp(t *testing.T) {
	for name, o := range map[string]lore.Observation{
		"nothing":   {},
		"all of it": fullReport,
		"very much": {Summary: strings.Repeat("EIP-1559 ", 50), Content: strings.Repeat(fullReport.Content, 30), Resolution: strings.Repeat(fullReport.Resolution, 30), Usefulness: rated(10)},
	} {
		for _, reputation := range []float64{-1, 0, 0.5, 1, 7} {
			score, parts := DefaultRules().Score.Score(o, reputation)
			sum := 0.0
			for _, part := range parts {
				sum += part
			}
			if score < LeastScore || score > MostScore || math.Abs(sum-score) > 0.005 || len(parts) != 6 {
				t.Errorf("%s at reputation %g: %.2f from %v", name, reputation, score, parts)
			}
		}
	}
}

// What a submitter says of its own report moves the score by 5 % of its range at most.
func TestSelfRatingHardlyCounts(t *testing.T) {
	least, most := fullReport, fullReport
	least.Usefulness, most.Usefulness = rated(1), rated(10)
	if moved := scoreOf(most, 0.5) - scoreOf(least, 0.5); moved <= 0 || moved > 0.05*(MostScore-LeastScore)+1e-9 {
		t.Errorf("a rating of 10 instead of 1 moves the score by %.2f", moved)
	}
	unrated := fullReport
	unrated.Usefulness = nil
	if s := scoreOf(unrated, 0.5); s <= scoreOf(least, 0.5) || s >= scoreOf(most, 0.5) {
		t.Errorf("no rating scores %.2f, want between the least and the best", s)
	}
}

func TestReadRules(t *testing.T) {
	changed, err := ReadRules(strings.NewReader(`{"score": {"specificity": 3, "full_entities": 6}}`))
	if err != nil || changed.Score.Specificity != 3 || changed.Score.FullEntities != 6 || changed.Score.Resolution != DefaultRules().Score.Resolution {
		t.Errorf("%+v, %v: want two changed and the rest as it was", changed.Score, err)
	}
	if err := DefaultRules().Check(); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	for name, c := range map[string]struct{ text, fault string }{
		"a misspelt name":           {`{"score": {"specifity": 3}}`, "specifity"},
		"a self-rating that counts": {`{"score": {"usefulness": 2, "specificity": 1}}`, "score.usefulness"},
		"a division by nothing":     {`{"score": {"full_entities": 0}}`, "score.full_entities"},
		"weights above 9":           {`{"score": {"specificity": 8}}`, "add up"},
		"two values":                {`{} {}`, "more than one"},
		"no JSON":                   {`score: 3`, "read rules"},
	} {
		if _, err := ReadRules(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%s: %v, want a fault that names %q", name, err, c.fault)
		}
	}
}
