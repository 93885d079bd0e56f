package cache_test

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"agentlore/cache"
	"agentlore/enginetest"
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
	enginetest.Eventually(tb, "state "+string(want), func() bool { return r.State(context.Background()) == want })
}

func mustSet(tb testing.TB, r *cache.Redis, name, value string) {
	tb.Helper()
	if err := r.Set(tb.Context(), name, value, time.Minute); err != nil {
		tb.Fatalf("Set: %v", err)
	}
}

func wantValue(tb testing.TB, r *cache.Redis, name, want string) {
	tb.Helper()
	if got, err := r.Get(tb.Context(), name); err != nil || got != want {
		tb.Fatalf("Get(%s): %q, %v, want %q", name, got, err, want)
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
