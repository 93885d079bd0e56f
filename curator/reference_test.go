package curator

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentlore/lore"
)

// What becomes of a unit of the reference library by what is said of it.
func TestJudgeReference(t *testing.T) {
	t.Parallel()
	unit := UnitID("reference")
	on := func(result lore.Result, sources ...string) (all []lore.Outcome) {
		for _, source := range sources {
			all = append(all, said(source, unit, result, 1))
		}
		return all
	}
	verdict := func(verdict lore.Verdict) []lore.Decision { return []lore.Decision{decided(unit, verdict, 1)} }
	of := func(words lore.Words, all []lore.Outcome) []lore.Outcome {
		for i := range all {
			all[i].Words = words
		}
		return all
	}
	worked := func(days int, sources ...string) (all []lore.Outcome) {
		for _, source := range sources {
			all = append(all, said(source, unit, lore.ResultWorked, days))
		}
		return all
	}
	var strangers, twenty []string
	for i := range 20 {
		twenty = append(twenty, fmt.Sprintf("q%d", i+20))
	}
	for i := range 50 {
		strangers = append(strangers, fmt.Sprintf("s%d", i), fmt.Sprintf("t%d/q0", i), "banned q9", fmt.Sprintf("q0.%d", i))
	}
	removed := noon
	type stands struct {
		Status     lore.UnitStatus
		Tier       lore.Tier
		Confidence float64
		Disputed   bool
		Missing    []lore.Requirement
	}
	active := func(confidence float64) stands {
		return stands{lore.UnitActive, lore.TierValidated, confidence, false, nil}
	}
	disputed := func(confidence float64) stands {
		return stands{lore.UnitActive, lore.TierValidated, confidence, true, nil}
	}
	withdrawn := func(confidence float64, missing ...lore.Requirement) stands {
		return stands{lore.UnitWithdrawn, lore.TierValidated, confidence, false, missing}
	}
	four := on(lore.ResultFailed, "q0", "q1", "q2", "q3")
	flags := func(status lore.FlagStatus, sources ...string) (all []lore.SafetyFlag) {
		for _, source := range sources {
			all = append(all, raised(source, unit, status, 1))
		}
		return all
	}
	canonical := stands{lore.UnitActive, lore.TierCanonical, 0.9, false, nil}
	for name, test := range map[string]struct {
		outcomes  []lore.Outcome
		flags     []lore.SafetyFlag
		decisions []lore.Decision
		removed   *time.Time
		successor string
		once      bool // one reader alone looked its facts up
		want      stands
	}{
		"nothing":                                             {want: active(0.8)},
		"nothing, and it was read once":                       {once: true, want: active(0.67)},
		"read once, and it works for two":                     {once: true, outcomes: on(lore.ResultWorked, "q0", "q1"), want: active(0.8)},
		"three with standing found that it fails":             {outcomes: four[:3], want: active(0.5)},
		"a fourth":                                            {outcomes: four, want: disputed(0.44)},
		"a fourth, and an operator stands for it":             {outcomes: four, decisions: []lore.Decision{decided(unit, lore.VerdictApprove, 0)}, want: active(0.44)},
		"a fourth, after an operator stood for it":            {outcomes: four, decisions: []lore.Decision{decided(unit, lore.VerdictApprove, 2)}, want: disputed(0.44)},
		"one found harm":                                      {outcomes: on(lore.ResultUnsafe, "q0"), want: active(0.57)},
		"two found harm":                                      {outcomes: on(lore.ResultUnsafe, "q0", "q1"), want: disputed(0.44)},
		"twenty found harm":                                   {outcomes: on(lore.ResultUnsafe, twenty...), want: disputed(0.09)},
		"and four since then that it works":                   {outcomes: slices.Concat(on(lore.ResultUnsafe, "q0", "q1"), worked(0, "q2", "q3", "q4", "q5")), want: active(0.62)},
		"and four before that it works":                       {outcomes: slices.Concat(on(lore.ResultUnsafe, "q0", "q1"), worked(2, "q2", "q3", "q4", "q5")), want: disputed(0.62)},
		"of another fix":                                      {outcomes: of(lore.Words{Revision: "r", FixKey: "another"}, on(lore.ResultUnsafe, "q0", "q1")), want: active(0.8)},
		"of the same fix, under another title":                {outcomes: of(lore.Words{Revision: "r", FixKey: lore.FixKey("DO it. ")}, on(lore.ResultUnsafe, "q0", "q1")), want: disputed(0.44)},
		"of no words":                                         {outcomes: of(lore.Words{Unbound: true}, on(lore.ResultUnsafe, "q0", "q1")), want: active(0.8)},
		"two found that it works":                             {outcomes: slices.Concat(four, on(lore.ResultWorked, "q4", "q5")), want: active(0.55)},
		"one changes its mind":                                {outcomes: slices.Concat(four[:1], []lore.Outcome{said("q0", unit, lore.ResultWorked, 0)}), want: active(0.83)},
		"five found that it works":                            {outcomes: on(lore.ResultWorked, "q0", "q1", "q2", "q3", "q4"), want: canonical},
		"strangers, thieves of q0's owner, and sources of q0": {outcomes: on(lore.ResultUnsafe, strangers...), want: active(0.57)},
		"one with standing warns":                             {flags: flags(lore.FlagOpen, "q0"), want: active(0.8)},
		"two with standing warn":                              {flags: flags(lore.FlagOpen, "q0", "q1"), want: disputed(0.8)},
		"a flag is confirmed":                                 {flags: flags(lore.FlagConfirmed, "s1"), want: withdrawn(0.8, lore.RequireUnflagged)},
		"an operator withdraws it":                            {decisions: verdict(lore.VerdictWithdraw), want: withdrawn(0.8, lore.RequireApproval)},
		"an operator withdraws it in favour of another": {
			decisions: verdict(lore.VerdictWithdraw), successor: "another", want: stands{lore.UnitSuperseded, lore.TierValidated, 0.8, false, nil},
		},
		"the library dropped it":               {removed: &removed, want: withdrawn(0.8)},
		"the library dropped it, and it works": {removed: &removed, outcomes: on(lore.ResultWorked, "q0"), want: withdrawn(0.83)},
	} {
		t.Run(name, func(t *testing.T) {
			stored := lore.KnowledgeUnit{
				ID: unit, Summary: "kept", Resolution: "Do it.", Status: lore.UnitActive, Tier: lore.TierValidated, Confidence: 0.8, SupersededBy: test.successor,
				Reference: &lore.Reference{ID: "x", CheckedAgain: "2026-11-26", RemovedAt: test.removed}, CreatedAt: noon.AddDate(0, 0, -30),
			}
			if test.once {
				stored.Reference.CheckedAgain = ""
			}
			judged := DefaultRules().Promotion.JudgeReference(Case{
				Unit: &stored, Outcomes: test.outcomes, Flags: test.flags, Decisions: test.decisions, Principal: people, Now: noon,
			})
			if diff := cmp.Diff(test.want, stands{judged.Status, judged.Tier, judged.Confidence, judged.Disputed, judged.Missing}); diff != "" {
				t.Error(diff)
			}
			if judged.Summary != "kept" {
				t.Error("its words changed")
			}
		})
	}
}
