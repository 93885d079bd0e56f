package index_test

import (
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/index"
	"agentlore/index/indextest"
	"agentlore/lore"
)

// A question ends some time after it was asked last; asked again in time it goes on, and asked again after that it begins anew.
func TestQuestionsEnd(t *testing.T) {
	t.Parallel()
	client := indextest.Store(t)
	questions, began := index.NewQuestions(client), time.Now()
	keep := func(id, source string, days int) lore.OpenQuestion {
		t.Helper()
		asked := indextest.Clean(t, lore.Asked{ID: id, Text: "Why does it revert"})
		kept, _, err := questions.Keep(t.Context(), asked, source, began.Add(time.Duration(days)*24*time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		return kept
	}
	old, again, anew := lore.NewID(), lore.NewID(), lore.NewID()
	keep(old, "a", 0)
	keep(again, "a", 0)
	keep(anew, "a", 0)
	if kept := keep(again, "b", 80); kept.Askers != 2 || !kept.CreatedAt.Before(kept.AskedAt) {
		t.Errorf("asked in time: %+v", kept)
	}
	if kept := keep(anew, "b", 91); kept.Askers != 1 || !kept.CreatedAt.Equal(kept.AskedAt) {
		t.Errorf("asked too late: %+v", kept)
	}
	indextest.Refresh(t, client, lore.Questions)
	if err := questions.Sweep(t.Context(), began.Add(91*24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]bool{old: false, again: true, anew: true} {
		if _, err := questions.Get(t.Context(), id); (err == nil) != want {
			t.Errorf("after the sweep: %v, want one %v", err, want)
		}
	}
}

// How many questions a source has open is known at once, and no question makes the store refresh its index: each would cost it a segment.
func TestOpenQuestionsAreCountedWithoutARefresh(t *testing.T) {
	t.Parallel()
	store := indextest.Store(t)
	calls := &calls{}
	client, err := index.Open(index.Config{
		Addresses: []string{enginetest.ElasticsearchURL(t)}, Prefix: store.Prefix, Replicas: "auto", Timeout: time.Minute, Log: slog.New(slog.DiscardHandler), Observer: calls,
	})
	if err != nil {
		t.Fatal(err)
	}
	questions, mine := index.NewQuestions(client), lore.NewID()
	var want []string
	for range 3 {
		id := lore.NewID()
		want = append(want, id)
		for _, source := range []string{mine, lore.NewID()} {
			if _, _, err := questions.Keep(t.Context(), indextest.Clean(t, lore.Asked{ID: id, Text: "Why does it revert"}), source, time.Now()); err != nil {
				t.Fatal(err)
			}
		}
		open, err := questions.OpenOf(t.Context(), mine)
		if slices.Sort(open); err != nil || !slices.Equal(open, slices.Sorted(slices.Values(want))) {
			t.Fatalf("open are %v, %v; want %v", open, err, want)
		}
	}
	if n := calls.refreshes.Load(); n > 0 {
		t.Errorf("%d refreshes for 3 questions", n)
	}
}

// calls counts refreshes.
type calls struct{ refreshes atomic.Int64 }

func (c *calls) Call(operation string, _ time.Duration) {
	if operation == "refresh" {
		c.refreshes.Add(1)
	}
}
func (*calls) Bulk(int)               {}
func (*calls) BulkWait(time.Duration) {}
