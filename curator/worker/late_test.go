package worker_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentlore/index/curation"
	"agentlore/lore"
)

// What a worker keeps in memory from pass to pass makes no difference: reports that come bit by bit, a text that is redacted, splits,
// merges and owners who begin to count lead to what workers make of it that remember nothing and are killed again and again, and
// what a pass changes is what a rebuild makes.
func TestLateReports(t *testing.T) {
	t.Parallel()
	living, killed := newBench(t), newBench(t)
	living.lives = true
	both := []*bench{living, killed}
	reports := corpus()
	said := func(some ...lore.Report) func(*bench, time.Time) {
		return func(b *bench, _ time.Time) { b.submit(some...) }
	}
	steps := []struct {
		days int
		what string
		do   func(*bench, time.Time)
	}{
		{0, "two are vouched for", func(b *bench, _ time.Time) { b.vouch("owner 4", "owner 5") }},
		{0, "most reports", said(reports[:24]...)},
		{0, "a report of something known", said(reports[24])},
		{0, "a few more", said(reports[25:29]...)},
		{0, "one that types another's owner", func(b *bench, _ time.Time) {
			b.enrol("thief", person{owner: "owner 4"})
			b.submit(again(reports[:6], "thief", "owner 1")...)
		}},
		{2, "those who count found things to work", func(b *bench, now time.Time) { b.praise(now, reports[:24], "owner 4", "owner 5") }},
		{9, "owners have been known for more than a week", said(reports[29])},
		{9, "one who earned standing tells of more", said(again(reports[12:20], "owner 0")...)},
		{9, "a pattern's report is split off", func(b *bench, now time.Time) {
			b.decide(now, submissionTarget(reports[5].ID), lore.VerdictSplit, nil, reports[6].ID, reports[7].ID)
		}},
		{9, "a text is redacted", func(b *bench, _ time.Time) {
			changed, err := curation.NewReview(b.client).Redact(t.Context(), b.clean, submissionTarget(reports[10].ID), []string{"settleAuction", "claimVesting", "syncOracle", "bridgeRelay"}, false)
			if err != nil || !changed {
				t.Fatalf("redacted: %t, %v", changed, err)
			}
			b.refresh()
		}},
		{10, "the rest", said(reports[30:]...)},
		{11, "what was split is merged again", func(b *bench, now time.Time) {
			b.decide(now, submissionTarget(reports[5].ID), lore.VerdictMerge, nil, reports[6].ID, reports[7].ID)
		}},
		{11, "the same again from others", said(again(reports[:20], "owner 4", "owner 5")...)},
		{12, "and again", said(again(reports[4:24], "owner 2", "owner 3")...)},
		{13, "one who counts is banned", func(b *bench, now time.Time) { b.decide(now, principalTarget("owner 4"), lore.VerdictBan, nil) }},
		{14, "and unbanned, while others report", func(b *bench, now time.Time) {
			b.decide(now, principalTarget("owner 4"), lore.VerdictUnban, nil)
			b.submit(again(reports[20:26], "owner 6", "owner 7")...)
		}},
		{15, "and vouched for again", func(b *bench, now time.Time) { b.decide(now, principalTarget("owner 4"), lore.VerdictVouch, nil) }},
	}
	random := rand.New(rand.NewPCG(3, 4))
	for _, step := range steps {
		now := noon.AddDate(0, 0, step.days)
		for _, b := range both {
			step.do(b, now)
		}
		if _, err := living.curateAt(living.store(), now, false); err != nil {
			t.Fatal(err)
		}
		for {
			_, err := killed.curateAt(dyingAfter(random.IntN(9), killed.store()), now, false)
			if err == nil {
				break
			}
			if !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(killed.stored(), living.stored()); diff != "" {
			t.Fatalf("%s (-killed +living):\n%s", step.what, diff)
		}
	}
	if written, err := living.curateAt(living.store(), noon.AddDate(0, 0, 12), false); err != nil || written != 0 {
		t.Errorf("a pass over nothing new changes %d items, %v", written, err)
	}
}

// again returns reports in the same words by other owners, in turns.
func again(reports []lore.Report, owners ...string) []lore.Report {
	repeated := slices.Clone(reports)
	for i := range repeated {
		repeated[i].SourceID = owners[i%len(owners)]
		repeated[i].ID = lore.DerivedID("again", repeated[i].SourceID, reports[i].ID)
		repeated[i].CreatedAt = noon.Add(time.Duration(i) * time.Minute)
	}
	return repeated
}
