package worker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentlore/curator"
	"agentlore/curator/worker"
	"agentlore/enginetest"
	"agentlore/index/curation"
	"agentlore/lore"
)

// erase erases reports as an operator does.
func (b *bench) erase(ids ...string) {
	b.t.Helper()
	eraser := curation.NewEraser(b.client, curation.EraseConfig{
		Clean: b.clean, Who: "operator", Why: "a test",
		MadeOf: func(id string) (string, string) { return curator.PatternID(id), curator.UnitID(id) },
	})
	for _, id := range ids {
		if err := eraser.Item(b.t.Context(), submissionTarget(id)); err != nil {
			b.t.Fatal(err)
		}
	}
}

// interrupted is a store in which an operator erases something right before one of the worker's writes, of which half gets through if
// the worker is killed then.
type interrupted struct {
	worker.Store
	left  int
	kill  bool
	erase func()
}

// dies counts a write and reports whether the worker is killed in it.
func (i *interrupted) dies(size int) bool {
	if size == 0 {
		return false
	}
	if i.left--; i.left == 0 {
		i.erase()
	}
	return i.kill && i.left <= 0
}

func (i *interrupted) Write(ctx context.Context, changes []lore.Change) (int, []lore.Refusal, error) {
	if i.dies(len(changes)) {
		_, _, err := i.Store.Write(ctx, changes[:(len(changes)+1)/2])
		return 0, nil, errors.Join(errKilled, err)
	}
	return i.Store.Write(ctx, changes)
}

func (i *interrupted) WriteLinks(ctx context.Context, links []lore.Links) ([]lore.Refusal, error) {
	if i.dies(len(links)) {
		refused, err := i.Store.WriteLinks(ctx, links[:(len(links)+1)/2])
		return refused, errors.Join(errKilled, err)
	}
	return i.Store.WriteLinks(ctx, links)
}

// Whenever reports are erased, before a pass, after it or between any two of its writes, and whether or not it is killed then: when the
// next pass has ended, nothing of them is left, and what was made is what is made of the other reports alone.
func TestErasedBesideAPass(t *testing.T) {
	t.Parallel()
	// Those that are alone are at the edge of being alike, by how often each word is in the corpus.
	reports := slices.DeleteFunc(corpus(), func(r lore.Report) bool { return strings.HasPrefix(r.Summary, "A remark") })
	// Of the first two things: the first report of each, whose pattern and unit have their ids of it, and one more of the second.
	erased := []lore.Report{reports[0], reports[1], reports[4], reports[len(reports)-3]}
	var ids []string
	gone := map[string]bool{}
	for _, report := range erased {
		ids, gone[report.ID] = append(ids, report.ID), true
	}
	var others []lore.Report
	for _, report := range reports {
		if !gone[report.ID] {
			others = append(others, report)
		}
	}
	prepared := func(t *testing.T, reports []lore.Report) *bench {
		b := newBench(t)
		for i := range 4 {
			b.vouch(fmt.Sprintf("owner %d", i))
		}
		b.submit(reports...)
		return b
	}
	finish := func(t *testing.T, b *bench) {
		t.Helper()
		for _, later := range []time.Duration{0, time.Minute} { // the pass that was interrupted, and the next
			if _, err := b.curateAt(b.store(), noon.Add(later), false); err != nil {
				t.Fatal(err)
			}
		}
	}
	// Decisions bear the real time and passes the test's: passes of this test are after both.
	alone := prepared(t, others)
	finish(t, alone)
	want := withoutLinks(alone.stored())

	for name, interrupt := range map[string]struct {
		write int
		kill  bool
	}{
		"before a pass": {}, "after a pass": {write: -1}, "at its 1st write": {write: 1}, "at its 2nd write": {write: 2}, "at its 3rd write": {write: 3},
		"killed at its 1st write": {1, true}, "killed at its 2nd write": {2, true}, "killed at its 3rd write": {3, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := prepared(t, reports)
			b.lives = !interrupt.kill
			switch {
			case interrupt.write == 0:
				b.erase(ids...)
			case interrupt.write < 0:
				if _, err := b.curate(b.store(), false); err != nil {
					t.Fatal(err)
				}
				b.erase(ids...)
			default:
				happened := false
				store := &interrupted{Store: b.store(), left: interrupt.write, kill: interrupt.kill, erase: func() { happened = true; b.erase(ids...) }}
				if _, err := b.curate(store, false); !happened || errors.Is(err, errKilled) != interrupt.kill || err != nil && !interrupt.kill {
					t.Fatalf("erased in the pass: %t, %v", happened, err)
				}
			}
			finish(t, b)
			if diff := cmp.Diff(want, withoutLinks(b.stored())); diff != "" {
				t.Errorf("(-the others alone +with what was erased):\n%s", diff)
			}
			b.holdsNothingOf(erased)
		})
	}
}

// holdsNothingOf fails if anything but the decisions holds words or ids of reports.
func (b *bench) holdsNothingOf(reports []lore.Report) {
	b.t.Helper()
	b.refresh()
	_, answer := enginetest.Elasticsearch(b.t, "POST", "/"+b.prefix+"-*,-"+b.prefix+"-decisions*/_search?size=1000", "")
	var found struct {
		Hits struct{ Hits []json.RawMessage }
	}
	if err := json.Unmarshal(answer, &found); err != nil || len(found.Hits.Hits) == 0 {
		b.t.Fatalf("%v: %.300s", err, answer)
	}
	for _, hit := range found.Hits.Hits {
		for _, report := range reports {
			for _, part := range []string{report.ID, report.Summary, report.Content} {
				if encoded, _ := json.Marshal(part); part != "" && strings.Contains(string(hit), strings.Trim(string(encoded), `"`)) {
					b.t.Errorf("%q is in %.300s", part, hit)
				}
			}
		}
	}
}
