package worker_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentlore/curator"
	"agentlore/curator/worker"
	"agentlore/lore"
)

// picky is a store that refuses what is to be written of some items.
type picky struct {
	worker.Store
	refuses []string
}

func (s picky) Write(ctx context.Context, changes []lore.Change) (int, []lore.Refusal, error) {
	var refused []lore.Refusal
	taken := slices.DeleteFunc(slices.Clone(changes), func(change lore.Change) bool {
		refuse := slices.Contains(s.refuses, change.Target.ID)
		if refuse {
			refused = append(refused, lore.Refusal{Target: change.Target, Reason: "mapper_parsing_exception"})
		}
		return refuse
	})
	written, more, err := s.Store.Write(ctx, taken)
	return written, append(refused, more...), err
}

// brittle is a library that panics at a title.
type brittle struct {
	library
	at string
}

func (l brittle) Kind(title string) curator.Kind {
	if title == l.at {
		panic("a title that nobody thought of")
	}
	return l.library.Kind(title)
}

// One item that the store refuses, or at which judging fails, keeps no other from being curated. It is listed and left alone, and tried
// again by another version and when an operator says so.
func TestOneBadItemStopsNothing(t *testing.T) {
	t.Parallel()
	reports := corpus()
	calm := newBench(t)
	calm.submit(reports...)
	if _, err := calm.curate(calm.store(), false); err != nil {
		t.Fatal(err)
	}
	want := withoutLinks(calm.stored())
	pattern, member, unique := "", "", reports[len(reports)-5] // a pattern of several, one of its reports, and a report of its own
	for _, report := range reports {
		if of, _ := want["submissions "+report.ID].(map[string]any)["pattern_id"].(string); of != "" {
			pattern, member = of, report.ID
		}
	}
	if pattern == "" {
		t.Fatal("no report is of a pattern")
	}
	for name, again := range map[string]func(*bench, []lore.SetAside){
		"an operator says so": func(b *bench, items []lore.SetAside) {
			for _, item := range items {
				b.decide(noon.Add(-time.Hour), item.Target, lore.VerdictRetry, nil) // whatever its clock says
			}
		},
		"another version": func(b *bench, _ []lore.SetAside) { b.version = "2" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.submit(reports...)
			b.version, b.breaks = "1", unique.Summary
			refusing := picky{b.store(), []string{pattern}}
			if _, err := b.curate(refusing, false); err != nil {
				t.Fatal(err)
			}
			items, err := worker.SetAside(t.Context(), b.store())
			if err != nil {
				t.Fatal(err)
			}
			aside := map[string]bool{}
			for _, item := range items {
				aside[item.Target.ID] = item.Reason != "" && item.Version == "1" && item.Target.Collection == lore.Submissions
			}
			if !aside[member] || !aside[unique.ID] || len(items) > 8 {
				t.Errorf("set aside are %+v", items)
			}
			found := withoutLinks(b.stored())
			for id := range want {
				of, isReport := strings.CutPrefix(id, "submissions ")
				report, _ := found[id].(map[string]any)
				if isReport && report["fingerprint"] == nil && !aside[of] {
					t.Errorf("%s is not curated", id)
				}
				if isReport && aside[of] && report["pattern_id"] != nil {
					t.Errorf("%s names a pattern that isn't there", id)
				}
			}
			if written, err := b.curate(refusing, false); err != nil || written != 0 {
				t.Errorf("the next pass changed %d items, %v", written, err)
			}
			if idle, err := b.living.Idle(t.Context()); err != nil || !idle {
				t.Errorf("idle %t, %v: items that are set aside keep the worker busy", idle, err)
			}
			again(b, items)
			b.breaks = ""
			b.refresh()
			if _, err := b.curate(b.store(), false); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, withoutLinks(b.stored())); diff != "" {
				t.Errorf("tried again (-undisturbed +with items that were set aside):\n%s", diff)
			}
			if items, err := worker.SetAside(t.Context(), b.store()); err != nil || len(items) != 0 {
				t.Errorf("still set aside are %+v, %v", items, err)
			}
		})
	}
}

// busy is a store that is overloaded now and then.
type busy struct {
	worker.Store
	mu     sync.Mutex
	random *rand.Rand
	read   int // how often all links were read
}

var errBusy = lore.StoreUnavailable(errors.New("429 es_rejected_execution_exception"))

func (s *busy) refuses() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.random.IntN(6) == 0
}

func (s *busy) Write(ctx context.Context, changes []lore.Change) (int, []lore.Refusal, error) {
	if s.refuses() {
		written, refused, err := s.Store.Write(ctx, changes[:len(changes)/2])
		return written, refused, errors.Join(errBusy, err)
	}
	return s.Store.Write(ctx, changes)
}

func (s *busy) WriteLinks(ctx context.Context, links []lore.Links) ([]lore.Refusal, error) {
	if s.refuses() {
		return nil, errBusy
	}
	return s.Store.WriteLinks(ctx, links)
}

func (s *busy) Reports(ctx context.Context, ids []string) (map[string]lore.Report, error) {
	if s.refuses() {
		return nil, errBusy
	}
	return s.Store.Reports(ctx, ids)
}

func (s *busy) EachLinks(ctx context.Context, visit func(lore.Links) error) error {
	s.read++
	return s.Store.EachLinks(ctx, visit)
}

// A store that is overloaded again and again is not asked for all links each time, and what comes of the reports is the same.
func TestBusyStoreIsNotAskedForAllAnew(t *testing.T) {
	t.Parallel()
	reports := corpus()
	calm, troubled := newBench(t), newBench(t)
	for _, b := range []*bench{calm, troubled} {
		b.submit(reports[:20]...)
	}
	troubled.lives = true
	store := &busy{Store: troubled.store(), random: rand.New(rand.NewPCG(3, 4))}
	stops := 0
	curate := func() {
		t.Helper()
		if _, err := calm.curate(calm.store(), false); err != nil {
			t.Fatal(err)
		}
		for {
			_, err := troubled.curate(store, false)
			if err == nil {
				return
			}
			if !errors.Is(err, errBusy) {
				t.Fatal(err)
			}
			if stops++; stops > 300 {
				t.Fatal("the pass doesn't come to an end")
			}
		}
	}
	curate()
	for _, b := range []*bench{calm, troubled} {
		b.submit(reports[20:]...)
	}
	curate()
	if diff := cmp.Diff(withoutLinks(calm.stored()), withoutLinks(troubled.stored())); diff != "" || stops < 5 {
		t.Errorf("stopped %d times (-undisturbed +overloaded):\n%s", stops, diff)
	}
	if store.read > 1 {
		t.Errorf("all links were read %d times", store.read)
	}
}
