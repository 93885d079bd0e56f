package index_test

import (
	"testing"
	"time"

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
