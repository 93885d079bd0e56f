package curation

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/index"
	"agentlore/index/indextest"
	"agentlore/lore"
	"agentlore/scrubber"
)

// holder is a lease whose holder is sure of it, as one whose clock stood still is: only the store can know better.
type holder int64

func (h holder) Epoch() int64               { return int64(h) }
func (h holder) Sure(context.Context) error { return nil }

// What a holder of the lease still had under way when another one followed is refused.
func TestLateWritesAreRefused(t *testing.T) {
	t.Parallel()
	client := indextest.Store(t)
	living, late := New(client, holder(2)), New(client, holder(1))
	id := lore.NewID()
	change := func(summary string) []lore.Change {
		return []lore.Change{{Target: lore.Target{Collection: lore.Patterns, ID: id}, Set: map[string]any{"id": id, "summary": summary}, Make: true}}
	}
	if written, _, err := living.Write(t.Context(), change("of the living")); written != 1 || err != nil {
		t.Fatalf("written %d, %v", written, err)
	}
	if written, _, err := living.Write(t.Context(), change("of the living")); written != 0 || err != nil {
		t.Errorf("the same again: written %d, %v", written, err)
	}
	if _, _, err := late.Write(t.Context(), change("of the dead")); !errors.Is(err, index.ErrLeaseLost) {
		t.Errorf("a late write: %v", err)
	}
	if source := enginetest.Source(t, client.AliasOf(lore.Patterns), id); !strings.Contains(source, "of the living") {
		t.Errorf("stored is %s", source)
	}
	links := []lore.Links{{ID: id, Pass: 1, Row: []byte{0, 0}}}
	if _, err := living.WriteLinks(t.Context(), links); err != nil {
		t.Fatal(err)
	}
	if _, err := late.WriteLinks(t.Context(), links); !errors.Is(err, index.ErrLeaseLost) {
		t.Errorf("late links: %v", err)
	}
}

// What the store refuses for what it holds is told, and what came with it is written.
func TestRefusalsAreTold(t *testing.T) {
	t.Parallel()
	client := indextest.Store(t)
	store := New(client, holder(1))
	making := func(set map[string]any) lore.Change {
		id := lore.NewID()
		set["id"] = id
		return lore.Change{Target: lore.Target{Collection: lore.Patterns, ID: id}, Set: set, Make: true}
	}
	bad := making(map[string]any{"created_at": "a secret that is no time"})
	written, refused, err := store.Write(t.Context(), []lore.Change{making(map[string]any{"summary": "first"}), bad, making(map[string]any{"summary": "last"})})
	if written != 2 || err != nil || len(refused) != 1 || refused[0].Target != bad.Target {
		t.Fatalf("written %d, refused %v, %v", written, refused, err)
	}
	if reason := refused[0].Reason; !strings.Contains(reason, "document_parsing_exception") || strings.Contains(reason, "secret") {
		t.Errorf("the reason is %q", reason)
	}
}

// An item changed when an outcome of it did.
func TestChangedItemsHaveOutcomes(t *testing.T) {
	t.Parallel()
	client := indextest.Store(t)
	item := lore.Target{Collection: lore.Submissions, ID: lore.NewID()}
	outcome := lore.Outcome{ID: lore.NewID(), Target: item, SourceID: lore.NewID(), Result: lore.ResultFailed, At: indextest.At(12)}
	indextest.Put(t, client, index.OutcomesIndex, outcome)
	store := New(client, nil)
	for since, want := range map[int]bool{11: true, 13: false} {
		changed, err := store.ChangedItems(t.Context(), indextest.At(since), indextest.At(since), time.Hour)
		if err != nil || slices.Contains(changed, item.ID) != want {
			t.Errorf("changed since %d: %t, %v", since, !want, err)
		}
	}
	if all, err := store.OutcomesOf(t.Context(), []string{item.ID}); err != nil || len(all) != 1 {
		t.Errorf("outcomes %+v, %v, want one", all, err)
	}
}

// A collection that is none of the public ones can't be scrubbed again.
func TestRescrubReachesPublicCollectionsOnly(t *testing.T) {
	t.Parallel()
	client := indextest.Store(t)
	id := lore.NewID()
	indextest.Put(t, client, lore.Submissions, lore.Submission{ID: id, Summary: "held", CreatedAt: indextest.At(1)})
	clean := scrubber.New(scrubber.Config{})
	redactor := NewReview(client)
	if _, err := redactor.Rescrub(t.Context(), clean, lore.Target{Collection: lore.Submissions, ID: id}); err != nil {
		t.Fatalf("the submission: %v", err)
	}
	for _, made := range []lore.Collection{"", "Submissions", "submissions-000001", "submissions,patterns", "*", "_all", "accounts", index.OutcomesIndex, "state", "../x"} {
		var problem *lore.Problem
		if _, err := redactor.Rescrub(t.Context(), clean, lore.Target{Collection: made, ID: id}); !errors.As(err, &problem) || problem.Code != lore.CodeNotFound {
			t.Errorf("Rescrub in %q: %v, want not_found", made, err)
		}
	}
}
