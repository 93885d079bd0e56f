package cache_test

import (
	"bytes"
	"log/slog"
	"sync"
	"testing"
	"time"

	"agentlore/cache"
	"agentlore/cache/cachetest"
)

// open returns a Redis with quick probes. Its call deadline is long, so that a busy machine is no outage.
func open(tb testing.TB, url, prefix string, change ...func(*cache.Config)) *cache.Redis {
	tb.Helper()
	config := cache.Config{URL: url, Prefix: prefix, CallTimeout: 2 * time.Second, Cooldown: 50 * time.Millisecond}
	for _, c := range change {
		c(&config)
	}
	r, err := cache.Open(config)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = r.Close() })
	return r
}

func awaitState(tb testing.TB, r *cache.Redis, want cache.State) {
	tb.Helper()
	cachetest.Eventually(tb, "state "+string(want), func() bool { return r.State() == want })
}

func mustLookup(tb testing.TB, r *cache.Redis, name string) cache.Entry {
	tb.Helper()
	entry, err := r.Lookup(tb.Context(), name)
	if err != nil {
		tb.Fatalf("Lookup: %v", err)
	}
	return entry
}

// mustFill looks name up, as a reader of the original would, and fills it.
func mustFill(tb testing.TB, r *cache.Redis, name, value string) {
	tb.Helper()
	entry := mustLookup(tb, r, name)
	if entry.Epoch == "" {
		tb.Fatal("Lookup gave no epoch")
	}
	if err := r.Fill(tb.Context(), name, value, entry.Epoch, time.Minute); err != nil {
		tb.Fatalf("Fill: %v", err)
	}
}

func mustBury(tb testing.TB, r *cache.Redis, name string) {
	tb.Helper()
	if err := r.Bury(tb.Context(), name, 5*time.Minute); err != nil {
		tb.Fatalf("Bury: %v", err)
	}
}

func wantStatus(tb testing.TB, r *cache.Redis, name string, want cache.Status) {
	tb.Helper()
	if got := mustLookup(tb, r, name); got.Status != want {
		tb.Fatalf("Lookup(%s): status %v with value %q, want status %v", name, got.Status, got.Value, want)
	}
}

// record is a log that tests read while it is written.
type record struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *record) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *record) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *record) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }
