package worker_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentlore/curator/worker"
	"agentlore/lore"
)

// Candidates found in memory and those found in the store lead to the same patterns, and each way is taken where it should be.
func TestCandidatesInMemoryAndInTheStore(t *testing.T) {
	t.Parallel()
	reports := corpus()
	var found [2]map[string]string
	for i, profiles := range []int{0, noProfiles} {
		b := newBench(t)
		b.profiles = profiles
		b.submit(reports...)
		asked := &asking{Store: b.store()}
		if _, err := b.curate(asked, false); err != nil {
			t.Fatal(err)
		}
		if inStore := profiles == noProfiles; asked.queries.Load() > 0 != inStore {
			t.Errorf("%d look-ups in the store with %d bytes of profiles", asked.queries.Load(), profiles)
		}
		found[i] = patternsOf(b.stored())
		// A few more don't make a pass read the corpus again: they are looked up.
		b.submit(lore.Report{Submission: lore.Submission{SourceID: "owner 9", ID: lore.DerivedID("one more"), Summary: "`harvestYield` pays the first caller", Category: lore.CategoryFailure,
			Content: reports[0].Content, CreatedAt: noon}})
		asked.queries.Store(0)
		if _, err := b.curate(asked, false); err != nil || asked.queries.Load() != 1 {
			t.Errorf("one more report: %d look-ups, %v", asked.queries.Load(), err)
		}
		after := patternsOf(b.stored())
		if id := lore.DerivedID("one more"); after[id] == "" || after[id] != after[reports[0].ID] {
			t.Errorf("one more report is in pattern %q, the others in %q", after[id], after[reports[0].ID])
		}
	}
	if diff := cmp.Diff(found[0], found[1]); diff != "" {
		t.Errorf("patterns differ (-memory +store):\n%s", diff)
	}
}

// asking counts what candidates are looked up for in the store.
type asking struct {
	worker.Store
	queries atomic.Int64
}

func (a *asking) Candidates(ctx context.Context, queries []string, limit int) ([][]string, error) {
	a.queries.Add(int64(len(queries)))
	return a.Store.Candidates(ctx, queries, limit)
}

// withoutLinks leaves out links, each of which says which pass made it.
func withoutLinks(stored map[string]any) map[string]any {
	found := maps.Clone(stored)
	maps.DeleteFunc(found, func(id string, _ any) bool { return strings.HasPrefix(id, "links ") })
	return found
}

// Reports that come one after the other end in the patterns that they would be in had they come together.
func TestReportsComeOneByOne(t *testing.T) {
	t.Parallel()
	reports := corpus()
	b := newBench(t)
	for part := range slices.Chunk(reports, 8) {
		b.submit(part...)
		if _, err := b.curate(b.store(), false); err != nil {
			t.Fatal(err)
		}
	}
	step := patternsOf(b.stored())
	if _, err := b.curate(b.store(), true); err != nil {
		t.Fatal(err)
	}
	whole := patternsOf(b.stored())
	differ := 0
	for id, pattern := range whole {
		if step[id] != pattern {
			differ++
		}
	}
	if differ > 2 { // words were rarer when few reports were there
		t.Errorf("%d of %d reports are in another pattern (-together +step by step):\n%s", differ, len(whole), cmp.Diff(whole, step))
	}
}

// patternsOf returns the pattern of each submission.
func patternsOf(stored map[string]any) map[string]string {
	patterns := map[string]string{}
	for id, source := range stored {
		if name, found := strings.CutPrefix(id, "submissions "); found {
			pattern, _ := source.(map[string]any)["pattern_id"].(string)
			patterns[name] = pattern
		}
	}
	return patterns
}
