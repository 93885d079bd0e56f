package cache_test

import (
	"sync"
	"testing"
	"time"

	"github.com/ulule/limiter/v3"

	"agentlore/cache"
	"agentlore/enginetest"
)

func perMinute(n int64) limiter.Rate { return limiter.Rate{Period: time.Minute, Limit: n} }

func mustCount(t *testing.T, r *cache.Redis, key string) limiter.Context {
	t.Helper()
	standing, err := r.Count(t.Context(), key, 1, perMinute(10))
	if err != nil {
		t.Fatalf("a count must never fail: %v", err)
	}
	return standing
}

func TestCountSharesCounts(t *testing.T) {
	url, prefix := enginetest.RedisURL(t), enginetest.Prefix(t)
	one, two := open(t, url, prefix), open(t, url, prefix)
	var wait sync.WaitGroup
	for _, r := range []*cache.Redis{one, two} {
		for range 3 {
			wait.Go(func() { mustCount(t, r, "client") })
		}
	}
	wait.Wait()
	if got := mustCount(t, one, "client"); got.Remaining != 3 || got.Limit != 10 || got.Reached {
		t.Errorf("after 7 requests over two processes: %+v, want 3 remaining of 10", got)
	}
	for range 4 {
		mustCount(t, two, "client")
	}
	if got := mustCount(t, one, "client"); !got.Reached || got.Remaining != 0 {
		t.Errorf("the 12th request: %+v, want reached", got)
	}
}

func TestCountCountsAcrossAnOutage(t *testing.T) {
	server := enginetest.StartRedis(t)
	r := open(t, server.URL(), "p", func(c *cache.Config) { c.CallTimeout = 300 * time.Millisecond })
	for range 3 {
		mustCount(t, r, "client")
	}
	server.Stop()
	awaitState(t, r, cache.StateDown)
	for range 10 {
		mustCount(t, r, "client")
	}
	if got := mustCount(t, r, "client"); !got.Reached {
		t.Errorf("the 11th request during the outage passes: %+v", got)
	}
	server.Continue()
	awaitState(t, r, cache.StateOK)
	if got := mustCount(t, r, "client"); got.Remaining != 6 {
		t.Errorf("after the outage: %+v, want Redis's count of 4 to hold (6 remaining)", got)
	}
	if got := r.Stats().CountedLocally; got < 11 {
		t.Errorf("%d decisions were made in process, want 11 or more", got)
	}
}

// limiter's own store fails to be made while Redis is down; ours must be there from the start.
func TestCountIsMadeWhileRedisIsDown(t *testing.T) {
	server := enginetest.StartRedis(t)
	server.Kill()
	r := open(t, server.URL(), "p")
	if got := mustCount(t, r, "client"); got.Remaining != 9 {
		t.Errorf("without Redis: %+v", got)
	}
	server.Restart()
	awaitState(t, r, cache.StateOK)
	mustCount(t, r, "client")
	if got := server.Do("GET p:rate:client"); got == "" {
		t.Errorf("Redis holds no count: %s", got)
	}
}

// Redis forgets its scripts on a restart; the request that meets that must be counted in Redis all the same.
func TestCountSurvivesLostScripts(t *testing.T) {
	server := enginetest.StartRedis(t)
	r := open(t, server.URL(), "p")
	mustCount(t, r, "client")
	server.Do("SCRIPT FLUSH")
	if got := mustCount(t, r, "client"); got.Remaining != 8 {
		t.Errorf("after the scripts were lost: %+v, want 8 remaining", got)
	}
	if stats := r.Stats(); stats.CountedLocally != 0 || stats.Failures != 0 {
		t.Errorf("counted in process: %+v", stats)
	}
}

func TestAbsentRedisCountsInProcess(t *testing.T) {
	r := open(t, "", "p")
	mustCount(t, r, "client")
	if got := mustCount(t, r, "client"); got.Remaining != 8 {
		t.Errorf("two stores don't share their count: %+v", got)
	}
}
