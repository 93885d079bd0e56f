package worker_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentlore/curator"
)

// A worker whose profiles don't fit into memory makes the patterns that another one makes.
func TestProfilesBeyondMemory(t *testing.T) {
	t.Parallel()
	var found [2]map[string]string
	for i, profiles := range []int{0, 10_000} {
		b := newBench(t)
		b.profiles = profiles
		for part := range slices.Chunk(corpus(), 20) {
			b.submit(part...)
			if _, err := b.curate(b.store(), false); err != nil {
				t.Fatal(err)
			}
		}
		found[i] = patternsOf(b.stored())
	}
	if diff := cmp.Diff(found[0], found[1]); diff != "" {
		t.Errorf("patterns differ (-memory +little memory):\n%s", diff)
	}
}

// withoutLinks leaves out links, each of which says which pass made it.
func withoutLinks(stored map[string]any) map[string]any {
	found := maps.Clone(stored)
	maps.DeleteFunc(found, func(id string, _ any) bool { return strings.HasPrefix(id, "links ") })
	return found
}

// Reports that come one after the other, each time to another worker, end in the patterns that they would be in had they come together.
func TestReportsComeOneByOne(t *testing.T) {
	t.Parallel()
	reports := corpus()
	b := newBench(t)
	for part := range slices.Chunk(reports, 8) {
		b.submit(part...)
		b.living = nil // a worker that has just started
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

// Reports that are stored get the family that a newer library knows, at the first pass with it; one that it no longer knows they lose.
func TestANewerLibraryReachesStoredReports(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.lives = true
	b.submit(corpus()...)
	counts := map[string]int{}
	for _, sign := range []string{"a sign that no title has", "stale price", "skips a period"} {
		b.library.sign = sign
		if _, err := b.curate(b.store(), false); err != nil {
			t.Fatal(err)
		}
		for _, report := range b.documents("submissions") {
			if report["family_id"] != curator.FamilyID("stale") {
				continue
			}
			if counts[sign]++; !strings.Contains(report["summary"].(string), sign) && report["family_why"] == sign {
				t.Errorf("%q is of the family of %q", report["summary"], sign)
			}
		}
		if still, err := b.living.Idle(t.Context()); err != nil || !still {
			t.Errorf("after the pass with %q there is more to do: %v, %v", sign, !still, err)
		}
	}
	if counts["a sign that no title has"] != 0 || counts["stale price"] == 0 || counts["skips a period"] == 0 {
		t.Errorf("reports in the library's family by sign: %v", counts)
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
