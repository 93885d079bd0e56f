package worker

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentlore/curator"
	"agentlore/lore"
)

// derived returns what curation makes of a report, and nothing of what it says.
func derived(r lore.Report) lore.Report {
	made := lore.Report{Fingerprint: r.Fingerprint, Confirmed: r.Confirmed, Submission: lore.Submission{
		Score: r.Score, ScoreParts: r.ScoreParts, Tier: r.Tier, Status: r.Status, PatternID: r.PatternID, KnowledgeUnitID: r.KnowledgeUnitID,
		Missing: r.Missing, Outcomes: r.Outcomes, LastConfirmedAt: r.LastConfirmedAt, Warnings: r.Warnings,
	}}
	if at := r.LastConfirmedAt; at != nil {
		utc := at.UTC()
		made.LastConfirmedAt = &utc
	}
	return made
}

// changeByJSON is what changeOf must find: the JSON members that differ.
func changeByJSON(t *testing.T, stored, want lore.Report) lore.Change {
	t.Helper()
	change := lore.Change{Target: lore.Target{Collection: lore.Submissions, ID: stored.ID}, Set: map[string]any{}}
	before, after := fields(derived(stored)), fields(derived(want))
	for _, field := range slices.Sorted(maps.Keys(before)) {
		if _, there := after[field]; !there {
			change.Drop = append(change.Drop, field)
		}
	}
	for field, value := range after {
		a, errA := json.Marshal(before[field])
		b, errB := json.Marshal(value)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if string(a) != string(b) {
			change.Set[field] = value
		}
	}
	return change
}

func one[T any](random *rand.Rand, values ...T) T { return values[random.IntN(len(values))] }

// A report's change is the JSON members in which it differs from what is stored, whatever changes: a field too many would
// write reports again and again, one too few would leave what holds no more.
func TestChangeOfIsWhatDiffersInJSON(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 7))
	noon := time.Date(2026, 3, 4, 12, 0, 0, 120_000_000, time.UTC)
	elsewhere, later := noon.In(time.FixedZone("east", 7200)), noon.Add(time.Millisecond)
	report := func() lore.Report {
		return lore.Report{Fingerprint: one(random, "", "v1:aa", "v1:none"), Confirmed: one(random, false, true), Submission: lore.Submission{
			ID: "id", Score: one(random, 0, 1, 7.35), ScoreParts: one(random, nil, lore.ScoreParts{}, lore.ScoreParts{"base": 1}, lore.ScoreParts{"base": 1, "order": 0.3}),
			Tier: one(random, lore.TierRaw, lore.TierValidated), Status: one(random, "", lore.StatusFlagged), PatternID: one(random, "", "p", "<&>"), KnowledgeUnitID: one(random, "", "u", "é"),
			Missing:         one(random, nil, []lore.Requirement{}, []lore.Requirement{lore.RequireOwners}, []lore.Requirement{lore.RequireOwners, lore.RequireApproval}),
			Outcomes:        one(random, nil, &lore.Outcomes{}, &lore.Outcomes{}, &lore.Outcomes{Worked: 2, Unsafe: 1}),
			LastConfirmedAt: one(random, nil, &noon, &elsewhere, &later),
			Warnings:        one(random, nil, []lore.ItemWarning{}, []lore.ItemWarning{{Code: "injection", Detail: "<&>"}}, []lore.ItemWarning{{Code: "injection", Detail: "<&>"}, {Code: "leak", Detail: "l"}}),
		}}
	}
	same := 0
	for range 20_000 {
		stored, want := report(), report()
		if random.IntN(2) == 0 { // most reports differ in a field at most
			kept := derived(stored)
			kept.ID = want.ID
			switch random.IntN(12) {
			case 0:
				kept.Fingerprint = want.Fingerprint
			case 1:
				kept.Score = want.Score
			case 2:
				kept.ScoreParts = want.ScoreParts
			case 3:
				kept.Tier = want.Tier
			case 4:
				kept.Status = want.Status
			case 5:
				kept.PatternID = want.PatternID
			case 6:
				kept.KnowledgeUnitID = want.KnowledgeUnitID
			case 7:
				kept.Missing = want.Missing
			case 8:
				kept.Outcomes = want.Outcomes
			case 9:
				kept.LastConfirmedAt = want.LastConfirmedAt
			case 10:
				kept.Confirmed = want.Confirmed
			case 11:
				kept.Warnings = want.Warnings
			}
			want = kept
		}
		scored := lore.Report{Fingerprint: want.Fingerprint, Submission: lore.Submission{ID: stored.ID, Score: want.Score, ScoreParts: want.ScoreParts, Tier: stored.Tier, PatternID: "old"}}
		got, differs := changeOf(stored, scored, curator.Standing{
			Tier: want.Tier, Status: want.Status, PatternID: want.PatternID, KnowledgeUnitID: want.KnowledgeUnitID,
			Missing: want.Missing, Outcomes: want.Outcomes, LastConfirmedAt: want.LastConfirmedAt, Confirmed: want.Confirmed, Warnings: want.Warnings,
		})
		wanted := changeByJSON(t, stored, want)
		if diff := cmp.Diff(wanted, got); diff != "" || differs != (len(wanted.Set)+len(wanted.Drop) > 0) {
			t.Fatalf("from %+v to %+v, differs %v (-want +got):\n%s", stored, want, differs, diff)
		}
		if !differs {
			same++
		}
	}
	if same < 1000 {
		t.Errorf("only %d of the reports were as they are stored", same)
	}
}

// BenchmarkChangeOf is for a report of which nothing changes, as of nearly all in a pass.
func BenchmarkChangeOf(b *testing.B) {
	stored := lore.Report{Fingerprint: "v1:00112233445566778899aabbccddeeff", Submission: lore.Submission{
		ID: lore.DerivedID("a"), Score: 6.41, ScoreParts: lore.ScoreParts{"base": 1, "specificity": 2.63, "resolution": 1.2, "structure": 0.95, "reputation": 0.4, "usefulness": 0.23},
		Tier: lore.TierCorroborated, PatternID: lore.DerivedID("b"), Missing: []lore.Requirement{lore.RequireOwners, lore.RequireStanding},
	}}
	scored := stored
	scored.ScoreParts = maps.Clone(stored.ScoreParts)
	standing := curator.Standing{Tier: stored.Tier, PatternID: stored.PatternID, Missing: slices.Clone(stored.Missing)}
	b.ReportAllocs()
	for b.Loop() {
		if _, differs := changeOf(stored, scored, standing); differs {
			b.Fatal("it differs")
		}
	}
}
