package cache_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"agentlore/cache"
	"agentlore/cache/cachetest"
)

func TestEntriesAreSharedBetweenProcesses(t *testing.T) {
	url, prefix := cachetest.URL(t), cachetest.Prefix(t)
	one, two := open(t, url, prefix), open(t, url, prefix)
	wantStatus(t, two, "x", cache.Miss)
	mustFill(t, one, "x", "value")
	if got := mustLookup(t, two, "x"); got.Status != cache.Hit || got.Value != "value" {
		t.Errorf("the other process reads %+v", got)
	}
	wantStatus(t, open(t, url, prefix+"_other"), "x", cache.Miss)
	mustBury(t, two, "x")
	wantStatus(t, one, "x", cache.Buried)
}

// A slow reader read the original before the revocation and fills after it.
func TestFillNeverUndoesBury(t *testing.T) {
	url, prefix := cachetest.URL(t), cachetest.Prefix(t)
	reader, revoker := open(t, url, prefix), open(t, url, prefix)
	for i := range 200 {
		name := fmt.Sprint(i)
		before := mustLookup(t, reader, name)
		var race sync.WaitGroup
		race.Go(func() { _ = reader.Fill(t.Context(), name, "value", before.Epoch, time.Minute) })
		race.Go(func() { _ = revoker.Bury(t.Context(), name, time.Minute) })
		race.Wait()
		wantStatus(t, reader, name, cache.Buried)
		if err := reader.Fill(t.Context(), name, "value", before.Epoch, time.Minute); err != nil {
			t.Fatal(err)
		}
		wantStatus(t, reader, name, cache.Buried)
	}
}

// An entry of an old epoch must not stand in the way of a new one until it expires.
func TestUntrustedEntryIsReplaced(t *testing.T) {
	url, prefix := cachetest.URL(t), cachetest.Prefix(t)
	r := open(t, url, prefix)
	mustFill(t, r, "x", "old")
	open(t, url, prefix) // a process that starts renews the epoch
	wantStatus(t, r, "x", cache.Miss)
	mustFill(t, r, "x", "new")
	wantStatus(t, r, "x", cache.Hit)
}

// The main promise: Redis is away when a revocation happens, and comes back with an entry that says otherwise.
func TestRevocationDuringAnOutageIsNotUndone(t *testing.T) {
	type outage struct{ begin, end func(*cachetest.Server) }
	for name, o := range map[string]outage{
		"stopped, no data lost": {(*cachetest.Server).Stop, (*cachetest.Server).Continue},
		"killed, restarted from a snapshot": {
			func(s *cachetest.Server) { s.Save(); s.Kill() }, (*cachetest.Server).Restart,
		},
		"killed, restarted empty": {
			(*cachetest.Server).Kill, func(s *cachetest.Server) { s.Forget(); s.Restart() },
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := cachetest.Start(t)
			quick := func(c *cache.Config) { c.CallTimeout = 300 * time.Millisecond }
			revoker, other := open(t, server.URL(), "p", quick), open(t, server.URL(), "p", quick)
			mustFill(t, other, "x", "value")
			wantStatus(t, revoker, "x", cache.Hit)
			late := mustLookup(t, other, "x").Epoch

			o.begin(server)
			if err := revoker.Bury(t.Context(), "x", time.Minute); !errors.Is(err, cache.ErrUnavailable) {
				t.Fatalf("Bury during the outage: %v, want ErrUnavailable", err)
			}
			_ = other.Fill(t.Context(), "x", "value", late, time.Minute) // may stay in a stopped server's buffers
			o.end(server)

			awaitState(t, revoker, cache.StateOK)
			awaitState(t, other, cache.StateOK)
			for _, r := range []*cache.Redis{revoker, other} {
				if got := mustLookup(t, r, "x"); got.Status == cache.Hit {
					t.Errorf("a revoked entry is trusted after the outage: %+v", got)
				}
			}
			// And a fill that was under way all the time, from an original read before the revocation.
			if err := other.Fill(t.Context(), "x", "value", late, time.Minute); err != nil {
				t.Fatal(err)
			}
			if got := mustLookup(t, other, "x"); got.Status == cache.Hit {
				t.Errorf("a fill from before the outage is trusted: %+v", got)
			}
		})
	}
}

// The revoker gave up and ended; nobody else saw anything but the restart, which the driver hides by reconnecting.
func TestRestartWithOldDataIsNoticedWithoutAFailedCall(t *testing.T) {
	server := cachetest.Start(t)
	r := open(t, server.URL(), "p", func(c *cache.Config) { c.Cooldown = time.Hour })
	mustFill(t, r, "x", "value")
	wantStatus(t, r, "x", cache.Hit)
	server.Save()
	mustBury(t, r, "x")
	wantStatus(t, r, "x", cache.Buried)
	server.Kill()
	server.Restart() // the tombstone is lost, the entry is back
	if got := server.Do("EXISTS p:entry:x"); got != ":1" {
		t.Fatalf("the snapshot lacks the entry: %s", got)
	}
	entry, err := r.Lookup(t.Context(), "x")
	if err == nil && entry.Status == cache.Hit {
		t.Errorf("an entry from the snapshot is trusted: %+v", entry)
	}
	if failures := r.Stats().Failures; failures != 0 {
		t.Logf("the call failed (%d), so the run_id was not what noticed", failures)
	}
}

// A process that starts may follow one that failed to revoke and died.
func TestStartTrustsNothingFromBefore(t *testing.T) {
	url, prefix := cachetest.URL(t), cachetest.Prefix(t)
	mustFill(t, open(t, url, prefix), "x", "value")
	wantStatus(t, open(t, url, prefix), "x", cache.Miss)
}

func TestFlushedRedisGetsANewEpoch(t *testing.T) {
	server := cachetest.Start(t)
	r := open(t, server.URL(), "p", func(c *cache.Config) { c.Cooldown = time.Hour })
	mustFill(t, r, "x", "value")
	before := mustLookup(t, r, "x").Epoch
	server.Do("FLUSHALL")

	// Many readers meet the empty Redis at once: one epoch comes of it.
	var epochs sync.Map
	var distinct atomic.Int32
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			if epoch := mustLookup(t, r, "x").Epoch; epoch != "" {
				if _, seen := epochs.LoadOrStore(epoch, true); !seen {
					distinct.Add(1)
				}
			}
		})
	}
	wait.Wait()
	if distinct.Load() != 1 {
		t.Errorf("%d epochs after a flush, want 1", distinct.Load())
	}
	if err := r.Fill(t.Context(), "x", "value", before, time.Minute); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, r, "x", cache.Miss)
	mustFill(t, r, "x", "value")
	wantStatus(t, r, "x", cache.Hit)
}

// Everything must expire by itself: Redis runs with noeviction.
func TestEveryKeyExpires(t *testing.T) {
	server := cachetest.Start(t)
	r := open(t, server.URL(), "p")
	mustFill(t, r, "x", "value")
	mustBury(t, r, "y")
	if _, err := r.LimiterStore().Get(t.Context(), "key", perMinute(5)); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"p:epoch", "p:entry:x", "p:tombstone:y", "p:rate:key"} {
		if got := server.Do("TTL " + key); got == ":-1" || got == ":-2" {
			t.Errorf("TTL of %s is %s: it must exist and expire", key, got)
		}
	}
	if got := server.Do("DBSIZE"); got != ":4" {
		t.Errorf("there are other keys too: %s", got)
	}
}
