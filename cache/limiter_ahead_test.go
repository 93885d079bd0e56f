package cache_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ulule/limiter/v3"

	"agentlore/cache"
	"agentlore/cache/cachetest"
)

// countOne counts one request against a limit of so many in a window.
func countOne(t *testing.T, store limiter.Store, key string, limit int64, window time.Duration) limiter.Context {
	t.Helper()
	standing, err := store.Get(t.Context(), key, limiter.Rate{Period: window, Limit: limit})
	if err != nil {
		t.Fatalf("the store must never fail: %v", err)
	}
	return standing
}

// Redis is asked for one in ten requests of a client that asks often, and the client reads where it stands to the request.
func TestBusyClientsAreCountedAhead(t *testing.T) {
	server := cachetest.Start(t)
	store := open(t, server.URL(), "p").LimiterStore()
	for i := int64(1); i <= 21; i++ {
		if got := countOne(t, store, "busy", 1200, time.Minute); got.Remaining != 1200-i || got.Limit != 1200 || got.Reached {
			t.Fatalf("request %d: %+v, want %d remaining", i, got, 1200-i)
		}
		counted := 1 + (i+8)/10*10 // the first alone, then ten at a time
		if got, want := server.Do("INCRBY p:rate:busy 0"), fmt.Sprintf(":%d", counted); got != want {
			t.Fatalf("after %d requests Redis holds %s, want %s", i, got, want)
		}
	}
	if got, err := store.Peek(t.Context(), "busy", limiter.Rate{Period: time.Minute, Limit: 1200}); err != nil || got.Remaining != 1179 {
		t.Errorf("looked at: %+v, %v, want 1179 remaining", got, err)
	}
	countOne(t, store, "small", 199, time.Minute)
	countOne(t, store, "small", 199, time.Minute)
	if got := server.Do("INCRBY p:rate:small 0"); got != ":2" {
		t.Errorf("two requests of a client with a small limit are %s in Redis", got)
	}
}

// Over two replicas, however many ask at once, exactly as many pass as the limit allows.
func TestCountingAheadLetsNobodyBeyondTheLimit(t *testing.T) {
	url, prefix := cachetest.URL(t), cachetest.Prefix(t)
	replicas := []limiter.Store{open(t, url, prefix).LimiterStore(), open(t, url, prefix).LimiterStore()}
	const limit = 1000
	var passed atomic.Int64
	var wait sync.WaitGroup
	for _, replica := range replicas {
		for range 8 {
			wait.Go(func() {
				for range 100 {
					if !countOne(t, replica, "crowd", limit, time.Hour).Reached {
						passed.Add(1)
					}
				}
			})
		}
	}
	wait.Wait()
	if passed.Load() != limit {
		t.Errorf("%d of 1600 passed, want %d", passed.Load(), limit)
	}
}

// To count ahead takes nothing from the end of a limit.
func TestCountingAheadLeavesNothingUnused(t *testing.T) {
	store := open(t, cachetest.URL(t), cachetest.Prefix(t)).LimiterStore()
	const limit = 1007
	passed := 0
	for !countOne(t, store, "client", limit, time.Hour).Reached {
		passed++
	}
	if passed != limit {
		t.Errorf("%d passed, want %d", passed, limit)
	}
}

// What was counted ahead in one window is not used in the next.
func TestCountingAheadEndsWithTheWindow(t *testing.T) {
	store := open(t, cachetest.URL(t), cachetest.Prefix(t)).LimiterStore()
	for range 3 {
		countOne(t, store, "client", 1000, 2*time.Second)
	}
	cachetest.Eventually(t, "a new window", func() bool {
		return countOne(t, store, "client", 1000, 2*time.Second).Remaining == 999
	})
}

// A client that was let off begins anew, with nothing left of what was counted.
func TestResetForgetsWhatWasCountedAhead(t *testing.T) {
	store := open(t, cachetest.URL(t), cachetest.Prefix(t)).LimiterStore()
	for range 3 {
		countOne(t, store, "client", 1000, time.Minute)
	}
	if _, err := store.Reset(t.Context(), "client", limiter.Rate{Period: time.Minute, Limit: 1000}); err != nil {
		t.Fatal(err)
	}
	if got := countOne(t, store, "client", 1000, time.Minute); got.Remaining != 999 {
		t.Errorf("after a reset: %+v, want 999 remaining", got)
	}
}

// A Redis that goes away doesn't stop a client that is counted ahead, nor give it more than its limit in this process.
func TestCountingAheadAcrossAnOutage(t *testing.T) {
	server := cachetest.Start(t)
	r := open(t, server.URL(), "p", func(c *cache.Config) { c.CallTimeout = 300 * time.Millisecond })
	store := r.LimiterStore()
	for range 2 {
		countOne(t, store, "client", 1000, time.Hour)
	}
	server.Stop()
	passed := 2
	for range 1500 {
		if !countOne(t, store, "client", 1000, time.Hour).Reached {
			passed++
		}
	}
	if passed < 1000 || passed > 1000+11 {
		t.Errorf("%d passed, want 1000 counted in process and at most 11 that Redis had counted", passed)
	}
}
