package worker_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentlore/enginetest"
	"agentlore/lore"
)

// praise has sources say that reports of others work.
func (b *bench) praise(now time.Time, reports []lore.Report, names ...string) {
	b.t.Helper()
	for _, report := range reports {
		for _, name := range names {
			if report.SourceID != name {
				b.tried(now, name, submissionTarget(report.ID), lore.ResultWorked)
			}
		}
	}
	b.refresh()
}

// told returns a report of its own matter, or the same one of another source.
func told(source, matter string, at time.Time) lore.Report {
	return lore.Report{Submission: lore.Submission{
		SourceID: source, ID: lore.DerivedID("told", source, matter), Category: lore.CategoryFailure, CreatedAt: at,
		Summary:    fmt.Sprintf("%s deadlocks the %s worker while %s drains", matter, matter, matter),
		Resolution: fmt.Sprintf("Release the %s lock before %s is drained.", matter, matter),
	}}
}

// stands tells how a report stands: its tier, how many owners its pattern has (none: "alone"), whether it is a contribution.
func (b *bench) stands(report lore.Report) string {
	b.t.Helper()
	var stored lore.Report
	if err := json.Unmarshal([]byte(enginetest.Source(b.t, b.prefix+"-submissions", report.ID)), &stored); err != nil {
		b.t.Fatal(err)
	}
	text := fmt.Sprintf("tier %d", stored.Tier)
	if stored.PatternID == "" {
		text += ", alone"
	} else {
		var pattern lore.Pattern
		if err := json.Unmarshal([]byte(enginetest.Source(b.t, b.prefix+"-patterns", stored.PatternID)), &pattern); err != nil {
			b.t.Fatal(err)
		}
		text += fmt.Sprintf(", %d owners", pattern.Owners)
	}
	if stored.Confirmed {
		text += ", confirmed"
	}
	return text
}

// How things stand as principals gain and lose standing: each step is what is decided or said on a day, and a pass. Another pass on the
// same day changes nothing, and neither does a rebuild: whatever a change of standing touches is judged anew.
func TestStandingOnAClock(t *testing.T) {
	t.Parallel()
	for name, lives := range map[string]bool{"a new worker each day": false, "one worker": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			standingOnAClock(t, lives)
		})
	}
}

func standingOnAClock(t *testing.T, lives bool) {
	b := newBench(t)
	b.lives = lives
	b.vouch("root 0", "root 1", "root 2")
	b.enrol("thief", person{owner: "root 0"})
	b.enrol("guest's namesake", person{owner: "guest"})
	b.enrol("neighbour", person{network: "ann"})
	at := noon.Add(-time.Hour)
	var anns []lore.Report
	for _, matter := range []string{"kiln", "loom", "mill"} {
		anns = append(anns, told("ann", matter, at))
	}
	shared := told("ann", "forge", at)    // which ann and one of her network report
	stolen := told("root 0", "press", at) // which one reports as well who typed its owner
	namesake := told("guest's namesake", "quarry", at)
	chained := []lore.Report{told("bea", "anvil", at), told("bea", "bellows", at), told("bea", "crucible", at)}
	reports := append(append([]lore.Report{shared, told("neighbour", "forge", at.Add(time.Minute)), stolen, told("thief", "press", at.Add(time.Minute)), namesake,
		told("nobody", "quarry", at.Add(time.Minute))}, anns...), chained...)
	for _, report := range append(anns, chained...) { // contributions are of different patterns
		report.ID, report.SourceID, report.CreatedAt = lore.DerivedID("told", "crowd", report.ID), "crowd", at.Add(time.Minute)
		reports = append(reports, report)
	}
	b.submit(reports...)
	var flag lore.Target
	decide := func(principal string, verdict lore.Verdict) func(time.Time) {
		return func(now time.Time) { b.decide(now, principalTarget(principal), verdict, nil) }
	}
	steps := []struct {
		name string
		day  int
		does func(now time.Time)
		want map[string]string // how ann's first contribution and the reports of two stand
	}{
		{"reported", 0, nil, map[string]string{"kiln": "tier 1, 2 owners", "forge": "tier 1, alone", "press": "tier 1, alone", "quarry": "tier 1, 2 owners"}},
		{"two with standing found what ann said to work", 1, func(now time.Time) { b.praise(now, anns, "root 0", "root 1") },
			map[string]string{"kiln": "tier 3, 2 owners, confirmed", "forge": "tier 1, alone"}},
		{"ann is known for a week", 8, nil, map[string]string{"kiln": "tier 3, 2 owners, confirmed", "forge": "tier 1, 2 owners"}},
		{"ann and a root found what bea said to work", 9, func(now time.Time) { b.praise(now, chained, "ann", "root 1") },
			map[string]string{"anvil": "tier 3, 2 owners"}}, // ann earned her standing: what she confirms earns nobody else one
		{"an invited guest registers, whose owner somebody gave before", 10, func(now time.Time) {
			decide("guest", lore.VerdictInvite)(now)
			b.refresh()
			if _, err := b.curateAt(b.store(), now, false); err != nil {
				t.Fatal(err)
			}
			b.enrol("guest", person{})
		}, map[string]string{"quarry": "tier 1, alone"}},
		{"the guest is gone again", 11, decide("guest", lore.VerdictUnvouch), map[string]string{"quarry": "tier 1, 2 owners"}},
		{"ann is banned: what she said counts for nothing, and who has standing by her loses it", 12, decide("ann", lore.VerdictBan),
			map[string]string{"kiln": "tier 1, alone", "forge": "tier 1, alone", "anvil": "tier 1, 2 owners"}},
		{"and unbanned: it counts again, as a newcomer's", 13, decide("ann", lore.VerdictUnban),
			map[string]string{"kiln": "tier 3, 2 owners, confirmed", "forge": "tier 1, alone", "anvil": "tier 1, 2 owners"}},
		{"and vouched for", 14, decide("ann", lore.VerdictVouch), map[string]string{"forge": "tier 1, 2 owners", "anvil": "tier 3, 2 owners, confirmed"}},
		{"a flag on what she said is confirmed", 15, func(now time.Time) {
			flag = b.warned(now, "nobody", submissionTarget(shared.ID))
			object := submissionTarget(shared.ID)
			b.decide(now, flag, lore.VerdictConfirm, &object)
		}, map[string]string{"forge": "tier 1, alone", "anvil": "tier 1, 2 owners"}},
		{"and dismissed", 16, func(now time.Time) {
			object := submissionTarget(shared.ID)
			b.decide(now, flag, lore.VerdictDismiss, &object)
		}, map[string]string{"forge": "tier 1, 2 owners", "anvil": "tier 3, 2 owners, confirmed"}},
		{"a root is banned: ann's contributions are confirmed by one alone, but she is vouched for", 17, decide("root 0", lore.VerdictBan),
			map[string]string{"kiln": "tier 1, 2 owners", "forge": "tier 1, 2 owners", "press": "tier 1, alone"}},
	}
	byMatter := map[string]lore.Report{"kiln": anns[0], "forge": shared, "press": stolen, "quarry": namesake, "anvil": chained[0]}
	for _, step := range steps {
		now := noon.AddDate(0, 0, step.day)
		if step.does != nil {
			step.does(now)
			b.refresh()
		}
		if _, err := b.curateAt(b.store(), now, false); err != nil {
			t.Fatalf("day %d, %s: %v", step.day, step.name, err)
		}
		got := map[string]string{}
		for matter := range step.want {
			got[matter] = b.stands(byMatter[matter])
		}
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Fatalf("day %d, %s (-want +got):\n%s", step.day, step.name, diff)
		}
		before := withoutLinks(b.stored())
		for _, rebuild := range []bool{false, true} {
			if written, err := b.curateAt(b.store(), now, rebuild); err != nil || written != 0 {
				t.Fatalf("day %d, %s: another pass (rebuild: %t) changes %d items, %v:\n%s", step.day, step.name, rebuild, written, err, cmp.Diff(before, withoutLinks(b.stored())))
			}
		}
	}
}
