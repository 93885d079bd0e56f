package worker_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"agentlore/curator"
	"agentlore/enginetest"
	"agentlore/index"
	"agentlore/index/accounts"
	"agentlore/index/curation"
	"agentlore/lore"
	"agentlore/scrubber"
)

// tell stores reports of owners, one each, in the same words, the first by the first owner.
func (b *bench) tell(summary, resolution string, owners ...string) (ids []string) {
	b.t.Helper()
	var reports []lore.Report
	for i, owner := range owners {
		reports = append(reports, lore.Report{Submission: lore.Submission{
			SourceID: owner, ID: lore.DerivedID("clock", summary, owner), Summary: summary, Category: lore.CategoryFailure, Resolution: resolution,
			CreatedAt: noon.Add(time.Duration(i-10) * time.Hour),
		}})
		ids = append(ids, reports[i].ID)
	}
	b.submit(reports...)
	return ids
}

func submissionTarget(id string) lore.Target {
	return lore.Target{Collection: lore.Submissions, ID: id}
}

func unitTarget(id string) lore.Target { return lore.Target{Collection: lore.KnowledgeUnits, ID: id} }

// decide records an operator's decision and what it means at once.
func (b *bench) decide(at time.Time, subject lore.Target, verdict lore.Verdict, object *lore.Target, others ...string) {
	b.t.Helper()
	decision, err := scrubber.Scrub(b.t.Context(), b.clean, lore.Decision{
		ID: lore.NewID(), Subject: subject, Verdict: verdict, Object: object, Others: others, Who: "operator", Why: "the test wants it", At: at,
	})
	if err == nil {
		err = curation.NewReview(b.client).Decide(b.t.Context(), decision)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// tried reports a source's outcome on an item.
func (b *bench) tried(at time.Time, name string, item lore.Target, result lore.Result) {
	b.t.Helper()
	b.enrol(name, person{})
	trial, err := scrubber.Scrub(b.t.Context(), b.clean, lore.Trial{Item: lore.Item{Target: &item}, Result: result})
	owners, opened := accounts.Open(b.t.Context(), b.client)
	if err = errors.Join(err, opened); err == nil {
		_, _, _, err = index.NewOutcomes(b.client, owners).Report(b.t.Context(), trial, lore.Identity{SourceID: sourceOf(name), Principal: principalOf(name)}, at)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// warned raises a source's flag on an item and returns it.
func (b *bench) warned(at time.Time, name string, item lore.Target) lore.Target {
	b.t.Helper()
	b.enrol(name, person{})
	warning, err := scrubber.Scrub(b.t.Context(), b.clean, lore.Warning{Item: lore.Item{Target: &item}, Reason: lore.FlagIncorrect, Severity: lore.SeverityMedium})
	var flag lore.SafetyFlag
	if err == nil {
		flag, _, err = b.client.Flag(b.t.Context(), warning, lore.Identity{SourceID: sourceOf(name)}, at)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return lore.Target{Collection: lore.SafetyFlags, ID: flag.ID}
}

// standing tells how a unit stands: its status, what replaces it and what it lacks; empty where there is none.
func (b *bench) standing(unit string, names map[string]string) string {
	b.t.Helper()
	status, answer := enginetest.Elasticsearch(b.t, "GET", fmt.Sprintf("/%s-knowledge-units/_source/%s", b.prefix, unit), "")
	if status == http.StatusNotFound {
		return ""
	}
	var u lore.KnowledgeUnit
	if err := json.Unmarshal(answer, &u); err != nil {
		b.t.Fatal(err)
	}
	text := string(u.Status)
	if u.SupersededBy != "" {
		text += " by " + names[u.SupersededBy]
	}
	if u.Status != lore.UnitActive && len(u.Missing) > 0 {
		text += fmt.Sprint(" ", u.Missing)
	}
	return text
}

// What becomes of two units as days go by: each step is a day on which something is said, or only time passes, and a pass.
// A second pass on the same day changes nothing, and so does a rebuild.
func TestUnitsOnAClock(t *testing.T) {
	t.Parallel()
	for name, lives := range map[string]bool{"a new worker each day": false, "one worker": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			unitsOnAClock(t, lives)
		})
	}
}

func unitsOnAClock(t *testing.T, lives bool) {
	b := newBench(t)
	b.lives = lives
	for i := range 9 {
		b.vouch(fmt.Sprint("q", i))
	}
	a := b.tell("approve reverts unless the allowance is zero first", "Call approve with zero before the amount.", "q0", "q1", "q2")
	c := b.tell("relayer drops signed messages after a restart", "Persist the queue and replay it when the relayer starts.", "q3", "q4", "q5")
	unitA, unitC := curator.UnitID(a[0]), curator.UnitID(c[0])
	names := map[string]string{unitA: "A", unitC: "C"}
	all := func(verdict lore.Verdict) func(time.Time) {
		return func(now time.Time) {
			for _, id := range c {
				b.decide(now, submissionTarget(id), verdict, nil, a...)
			}
		}
	}
	tests := []struct {
		name string
		day  int
		says func(now time.Time)
		a, c string // how the units stand afterwards
	}{
		{"three owners with standing report each", 0, nil, "active", "active"},
		{"an operator merges the later into the earlier", 1, all(lore.VerdictMerge), "active", "superseded by A"},
		{"days go by", 5, nil, "active", "superseded by A"},
		{"and splits them again", 6, all(lore.VerdictSplit), "active", "active"},
		{"merged once more", 7, all(lore.VerdictMerge), "active", "superseded by A"},
		{"what replaces it fails", 8, func(now time.Time) {
			for _, owner := range []string{"q6", "q7", "q8"} {
				b.tried(now, owner, submissionTarget(a[0]), lore.ResultUnsafe)
			}
		}, "active", "superseded by A"}, // with the fix of C, which others confirmed
		{"and works after all", 9, func(now time.Time) {
			for _, owner := range []string{"q6", "q7", "q8"} {
				b.tried(now, owner, submissionTarget(a[0]), lore.ResultWorked)
			}
		}, "active", "superseded by A"},
		{"split for good", 10, all(lore.VerdictSplit), "active", "active"},
		{"an operator withdraws one in favour of the other", 11, func(now time.Time) {
			successor := unitTarget(unitC)
			b.decide(now, unitTarget(unitA), lore.VerdictWithdraw, &successor)
		}, "superseded by C", "active"},
		{"and takes it back", 12, func(now time.Time) { b.decide(now, unitTarget(unitA), lore.VerdictRestore, nil) }, "active", "active"},
		{"two owners with standing warn of one", 13, func(now time.Time) {
			b.warned(now, "q0", unitTarget(unitC))
			b.warned(now, "q1", unitTarget(unitC))
		}, "active", "withdrawn [unflagged]"},
		{"their flags stand", 26, nil, "active", "withdrawn [unflagged]"},
		{"their flags have lapsed", 28, nil, "active", "active"},
	}
	for _, test := range tests {
		now := noon.Add(time.Duration(test.day) * 24 * time.Hour)
		if test.says != nil {
			test.says(now)
			b.refresh()
		}
		if _, err := b.curateAt(b.store(), now, false); err != nil {
			t.Fatalf("day %d, %s: %v", test.day, test.name, err)
		}
		if gotA, gotC := b.standing(unitA, names), b.standing(unitC, names); gotA != test.a || gotC != test.c {
			t.Fatalf("day %d, %s: A is %q, C is %q; want %q, %q", test.day, test.name, gotA, gotC, test.a, test.c)
		}
		for _, rebuild := range []bool{false, true} {
			if written, err := b.curateAt(b.store(), now, rebuild); err != nil || written != 0 {
				t.Fatalf("day %d, %s: another pass (rebuild: %t) changes %d items, %v", test.day, test.name, rebuild, written, err)
			}
		}
		// What a unit's reports say they are part of is what shows.
		b.refresh()
		for _, part := range []struct {
			reports []string
			unit    string
			stands  string
		}{{a, unitA, test.a}, {c, unitC, test.c}} {
			for _, id := range part.reports {
				var report lore.Submission
				if err := json.Unmarshal([]byte(enginetest.Source(t, b.prefix+"-submissions", id)), &report); err != nil {
					t.Fatal(err)
				}
				want := ""
				switch {
				case part.stands == "active":
					want = part.unit
				case part.unit == unitC && test.c == "superseded by A":
					want = unitA
				}
				if report.KnowledgeUnitID != want {
					t.Errorf("day %d, %s: report of %s is part of %q", test.day, test.name, names[part.unit], names[report.KnowledgeUnitID])
				}
			}
		}
	}
}

// Replicas' clocks may be a minute apart, and a request may take half a minute to store what it was told: what is stored after a pass bears
// a time of up to 90 seconds before it. The next pass takes it all the same, and isn't passed over.
func TestAReplicaWhoseClockIsBehind(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.lives = true
	for i := range 6 {
		b.vouch(fmt.Sprint("q", i))
	}
	reports := b.tell("approve reverts unless the allowance is zero first", "Call approve with zero before the amount.", "q0", "q1", "q2")
	unit := curator.UnitID(reports[0])
	pass := noon.Add(time.Hour)
	if _, err := b.curateAt(b.store(), pass, false); err != nil {
		t.Fatal(err)
	}
	late := pass.Add(-89 * time.Second)
	for _, name := range []string{"q3", "q4", "q5"} {
		b.tried(late, name, unitTarget(unit), lore.ResultUnsafe)
	}
	b.refresh()
	b.now = pass.Add(10 * time.Second)
	if idle, err := b.living.Idle(t.Context()); idle || err != nil {
		t.Errorf("the worker has nothing to do: %t, %v", idle, err)
	}
	if _, err := b.curateAt(b.store(), b.now, false); err != nil {
		t.Fatal(err)
	}
	if got := b.standing(unit, nil); got != "withdrawn [confidence]" {
		t.Errorf("the unit is %s", got)
	}
}
