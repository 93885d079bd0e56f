package cache_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"agentlore/cache"
	"agentlore/enginetest"
)

// What a user feels of a hanging Redis: the first requests wait for the call deadline, those after it not at all.
func TestHangingRedisCostsLittle(t *testing.T) {
	server := enginetest.StartRedis(t)
	var log record
	r := open(t, server.URL(), "p", func(c *cache.Config) {
		c.CallTimeout = 0 // the default is what is tested
		c.Cooldown = time.Hour
		c.Log = log.logger()
	})
	awaitState(t, r, cache.StateOK)
	server.Stop()
	defer server.Continue()

	start := time.Now()
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			if _, err := r.Get(t.Context(), "x"); !errors.Is(err, cache.ErrUnavailable) {
				t.Errorf("Get: %v, want ErrUnavailable", err)
			}
		})
	}
	wait.Wait()
	if took := time.Since(start); took < cache.DefaultCallTimeout/2 || took > 10*cache.DefaultCallTimeout {
		t.Errorf("20 look-ups at once took %s, want about %s", took, cache.DefaultCallTimeout)
	}

	start = time.Now()
	for range 1000 {
		_, _ = r.Get(t.Context(), "x")
	}
	if took := time.Since(start); took > cache.DefaultCallTimeout {
		t.Errorf("1000 look-ups behind the open breaker took %s", took)
	}
	if stats := r.Stats(); stats.Refused < 1000 {
		t.Errorf("want at least 1000 refused calls: %+v", stats)
	}
	if lines := strings.Count(log.String(), "\n"); lines != 1 {
		t.Errorf("want one line, got:\n%s", &log)
	}
}

func TestRedisIsUsedAgainAfterAnOutage(t *testing.T) {
	for name, outage := range map[string]func(*enginetest.RedisServer) (end func()){
		"stopped": func(s *enginetest.RedisServer) func() { s.Stop(); return s.Continue },
		"killed":  func(s *enginetest.RedisServer) func() { s.Kill(); return s.Restart },
	} {
		t.Run(name, func(t *testing.T) {
			server := enginetest.StartRedis(t)
			r := open(t, server.URL(), "p", func(c *cache.Config) { c.CallTimeout = 500 * time.Millisecond })
			end := outage(server)
			awaitState(t, r, cache.StateDown)
			end()
			awaitState(t, r, cache.StateOK)
			mustSet(t, r, "x", "value")
			wantValue(t, r, "x", "value")
		})
	}
}

// A client that hangs up, or is in a hurry, must not open the breaker for everybody.
func TestCallersCancellationIsNoOutage(t *testing.T) {
	r := open(t, enginetest.RedisURL(t), enginetest.Prefix(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 {
		if _, err := r.Get(ctx, "x"); err != nil {
			t.Fatalf("Get: %v", err)
		}
	}
	if got := r.Stats().Failures; got != 0 {
		t.Errorf("%d failures were counted", got)
	}
}

// A Redis that is full answers reads and refuses writes. It counts as down: no rate could be counted in it.
func TestRefusedWritesCountAsDown(t *testing.T) {
	server := enginetest.StartRedis(t)
	r := open(t, server.URL(), "p")
	server.Do("CONFIG SET maxmemory 1")
	if err := r.Set(t.Context(), "x", "value", time.Minute); !errors.Is(err, cache.ErrUnavailable) {
		t.Fatalf("Set into a full Redis: %v, want ErrUnavailable", err)
	}
	if got := r.State(t.Context()); got != cache.StateDown {
		t.Errorf("state %q, want down", got)
	}
	server.Do("CONFIG SET maxmemory 0")
	awaitState(t, r, cache.StateOK)
}
