package index

import (
	"errors"
	"slices"
	"testing"

	"agentlore/enginetest"
	"agentlore/lore"
)

// A collection that is none of the public ones is no way to what Elasticsearch holds beside them, and makes no index.
func TestUnknownCollectionsLeadNowhere(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	id := lore.NewID()
	put(t, client, lore.Submissions, submissionDocument{Submission: lore.Submission{ID: id, Summary: "held", CreatedAt: at(1)}})
	if there, err := client.Exists(t.Context(), lore.Target{Collection: lore.Submissions, ID: id}); err != nil || !there {
		t.Fatalf("the submission is there: %v, %v", there, err)
	}
	before := enginetest.Indices(t, client.Prefix)
	for _, made := range []lore.Collection{"", "Submissions", "submissions-000001", "submissions,patterns", "*", "_all", "accounts", OutcomesIndex, "state", "records", "searchlog", "../x", "made-up"} {
		target := lore.Target{Collection: made, ID: id}
		if there, err := client.Exists(t.Context(), target); err != nil || there {
			t.Errorf("Exists in %q: %v, %v", made, there, err)
		}
		var problem *lore.Problem
		if made == OutcomesIndex {
			continue // the package's own way to it stays
		}
		if err := client.Change(t.Context(), target, func(map[string]any) {}); !errors.As(err, &problem) || problem.Code != lore.CodeNotFound {
			t.Errorf("a change in %q: %v, want not_found", made, err)
		}
		if created, err := client.createOnce(t.Context(), made, id, map[string]any{"id": id}); err == nil || created {
			t.Errorf("a document is stored in %q", made)
		}
	}
	after := enginetest.Indices(t, client.Prefix)
	slices.Sort(before)
	slices.Sort(after)
	if !slices.Equal(before, after) {
		t.Errorf("indices were %q and are %q", before, after)
	}
}
