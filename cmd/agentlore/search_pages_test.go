package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
)

// arrivals submits observations at a steady rate until ctx ends, whatever the answers take, and counts them.
func (s *service) arrivals(ctx context.Context, t *testing.T, me agent, perSecond int, about string) (stored *atomic.Int64, wait func()) {
	t.Helper()
	stored = &atomic.Int64{}
	var group sync.WaitGroup
	group.Go(func() {
		ticker := time.NewTicker(time.Second / time.Duration(perSecond))
		defer ticker.Stop()
		slots := make(chan struct{}, 64)
		for i := 0; ; i++ {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return
			}
			group.Go(func() {
				defer func() { <-slots }()
				if got, err := s.try(context.Background(), "POST", "/intake/submit", observation(fmt.Sprintf("%s meanwhile %d", about, i)), me.bearer()...); err != nil || got.status != 201 {
					t.Errorf("submission %d meanwhile: %d %v", i, got.status, err)
					return
				}
				stored.Add(1)
			})
		}
	})
	return stored, group.Wait
}

// Pages by cursor over all results of a search, while 100 documents a second arrive: none twice, none missed that was
// there at the start. AGENTLORE_LONG=1 does it over 50,000 results.
func TestSearchIsReadToItsEndWhileDocumentsArrive(t *testing.T) {
	t.Parallel()
	stored := 1500
	if os.Getenv("AGENTLORE_LONG") == "1" {
		stored = 50_000
	}
	s := serve(t, enginetest.Prefix(t))
	lines := make([]map[string]any, stored)
	for i := range lines {
		lines[i] = map[string]any{
			"source": "archive", "summary": fmt.Sprintf("archived report %d", i), "category": "general", "ref": fmt.Sprint("r", i),
			// Most have a time of their own, many share one, and some lie ahead of those that arrive meanwhile.
			"created_at": time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(i/7*7)*time.Second).AddDate(i%100/99*20, 0, 0),
		}
	}
	args := append([]string{"import", "--collection=submissions"}, storeFlags(t, s.prefix)...)
	if status, stdout, stderr := run(t, append(args, writeLines(t, lines))...); status != 0 {
		t.Fatalf("import: %s %s", stdout, stderr)
	}
	enginetest.Eventually(t, "all are counted", func() bool {
		return decode[map[string]int](t, s.get(t, "/status"))["submissions"] == stored
	})

	ctx, stop := context.WithCancel(t.Context())
	arrived, wait := s.arrivals(ctx, t, s.register(t, "keeps-reporting"), 100, "archived")
	defer wait()
	defer stop()
	enginetest.Eventually(t, "documents arrive", func() bool { return arrived.Load() > 50 })
	began, before := time.Now(), arrived.Load()
	met := map[string]int{}
	archive, pages := 0, 0
	for cursor := ""; ; pages++ {
		got := decode[page](t, s.get(t, "/search/all?q=archived&sort=newest&limit=100&cursor="+url.QueryEscape(cursor)).want(t, 200))
		for i, id := range got.ids() {
			if met[id]++; met[id] == 1 && strings.HasPrefix(fmt.Sprint(got.Results[i]["summary"]), "archived report ") {
				archive++
			}
		}
		if cursor = got.NextCursor; cursor == "" {
			break
		}
		if pages > stored {
			t.Fatal("the pages don't end")
		}
	}
	took := time.Since(began)
	t.Logf("%d results on %d pages in %s while %.0f documents a second arrived", len(met), pages+1, took.Round(time.Millisecond),
		float64(arrived.Load()-before)/took.Seconds())
	repeated := 0
	for _, times := range met {
		if times > 1 {
			repeated++
		}
	}
	if archive != stored || repeated > 0 {
		t.Errorf("met %d of the %d that were there at the start, and %d results twice", archive, stored, repeated)
	}
	if arrived.Load() == before {
		t.Error("nothing arrived while the pages were read")
	}
}

// Pages by offset over the edge of the window that is put in order (200 results of an index): none twice, none missed, whatever
// trust and a closer look make of the order.
func TestOffsetsCrossTheRescoredWindow(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	random := rand.New(rand.NewPCG(1, 2))
	now := time.Now().UTC()
	const each = 330
	var submissions, units []any
	words := strings.Fields("vault oracle price stale bridge proof relayer deposit withdraw liquidity pool swap slippage")
	for i := range each {
		var text []string
		for range 3 + random.IntN(40) {
			text = append(text, words[random.IntN(len(words))])
		}
		content := "vault " + strings.Join(text, " ")
		at := now.Add(-time.Duration(random.IntN(1000)) * 24 * time.Hour)
		submissions = append(submissions, lore.Submission{
			ID: lore.NewID(), SourceID: lore.NewID(), Summary: "vault report " + text[0], Content: content, Category: lore.CategoryMarket,
			Tags: []string{}, Entities: []string{}, Tier: lore.Tier(1 + random.IntN(4)), CreatedAt: at,
			Outcomes: &lore.Outcomes{Worked: random.IntN(50), Failed: random.IntN(50), Unsafe: i % 2},
		})
		units = append(units, lore.KnowledgeUnit{
			ID: lore.NewID(), Summary: "vault unit " + text[1], Content: content, Category: lore.CategoryFailure, Ecosystem: []string{}, Tags: []string{},
			Entities: []string{}, Tier: lore.Tier(3 + i%2), Confidence: random.Float64(), Status: lore.UnitActive,
			CreatedAt: at, FirstSeenAt: at, LastSeenAt: at, PromotedAt: at,
		})
	}
	s.put(t, lore.Submissions, submissions...)
	s.put(t, lore.KnowledgeUnits, units...)

	for _, q := range []string{"vault", "vault oracle stale price", "vautl orcale", "vault liqui"} {
		for _, filter := range []string{"", "&type=submission", "&type=knowledge_unit"} {
			want := 2 * each
			if filter != "" {
				want = each
			}
			for _, limit := range []int{100, 37} {
				if limit == 37 && q != "vautl orcale" {
					continue
				}
				met := map[string]int{}
				for offset := 0; offset < want; offset += limit {
					path := fmt.Sprintf("/search/all?q=%s&limit=%d&offset=%d%s", url.QueryEscape(q), limit, offset, filter)
					got := decode[page](t, s.get(t, path).want(t, 200))
					if len(got.Results) != min(limit, want-offset) {
						t.Errorf("%s has %d results", path, len(got.Results))
					}
					for _, id := range got.ids() {
						met[id]++
					}
				}
				if len(met) != want {
					t.Errorf("q %q%s, %d a page: met %d different results of %d", q, filter, limit, len(met), want)
				}
			}
		}
	}
}
