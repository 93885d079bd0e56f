package index_test

import (
	"testing"
	"time"

	"agentlore/index"
	"agentlore/index/indextest"
	"agentlore/lore"
)

// A week begins on Monday, UTC, and has the outcomes and flags of these sources alone.
func TestActsOfAWeek(t *testing.T) {
	t.Parallel()
	client := indextest.Store(t)
	one, two, other := lore.NewID(), lore.NewID(), lore.NewID()
	monday := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	item := func() lore.Target { return lore.Target{Collection: lore.Submissions, ID: lore.NewID()} }
	for _, act := range []struct {
		by string
		at time.Time
	}{
		{one, monday}, {two, monday.AddDate(0, 0, 7).Add(-time.Millisecond)}, {other, monday},
		{one, monday.Add(-time.Millisecond)}, {one, monday.AddDate(0, 0, 7)}, {one, monday.AddDate(0, 0, -21)},
	} {
		indextest.Put(t, client, index.OutcomesIndex, lore.Outcome{ID: lore.NewID(), Target: item(), SourceID: act.by, Result: lore.ResultWorked, At: act.at})
		indextest.Put(t, client, lore.SafetyFlags, lore.SafetyFlag{ID: lore.NewID(), Target: item(), RaisedBy: act.by, CreatedAt: act.at})
	}
	indextest.Refresh(t, client, index.OutcomesIndex)
	indextest.Refresh(t, client, lore.SafetyFlags)
	for at, want := range map[time.Time]int{
		monday: 4, monday.AddDate(0, 0, -7): 2, monday.AddDate(0, 0, -14): 0,
	} {
		if got, err := client.ActsOfWeek(t.Context(), []string{one, two}, at); err != nil || got != want {
			t.Errorf("in the week of %s there are %d, %v; want %d", at, got, err, want)
		}
	}
	weeks, err := client.ActsByWeek(t.Context(), []string{one, two}, monday.AddDate(0, 0, -7))
	if err != nil || len(weeks) != 3 || weeks[monday] != 4 || weeks[monday.AddDate(0, 0, -7)] != 2 {
		t.Errorf("by week there are %v, %v", weeks, err)
	}
}
