package tokens

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"agentlore/cache"
	"agentlore/cache/cachetest"
	"agentlore/lore"
)

func TestVerifyAsksEachLayerOnce(t *testing.T) {
	url, prefix, accounts := cachetest.URL(t), cachetest.Prefix(t), newRegister()
	one := newReplica(t, accounts, openRedis(t, url, prefix))
	two := newReplica(t, accounts, openRedis(t, url, prefix))
	token := accounts.issue(t, "source-1")

	mustVerify(t, one, token, "source-1")
	mustVerify(t, one, token, "source-1")
	awaitEntry(t, one.redis, token)
	mustVerify(t, two, token, "source-1")
	one.clock.move(ProcessTTL)
	mustVerify(t, one, token, "source-1")

	if got := accounts.count(); got != 1 {
		t.Errorf("the accounts were asked %d times, want once", got)
	}
	got := one.Stats()
	if got.Process != (LayerStats{Hits: 1, Misses: 2}) || got.Redis != (LayerStats{Hits: 1, Misses: 1}) || got.Accounts != (LayerStats{Hits: 1}) {
		t.Errorf("counted %+v", got)
	}
}

func TestMalformedTokenIsNotLookedUp(t *testing.T) {
	accounts := newRegister()
	v := newReplica(t, accounts, openRedis(t, "", "p"))
	token := accounts.issue(t, "source-1")
	last := token[len(token)-1]
	mistyped := token[:len(token)-1] + string(alphabet[(strings.IndexByte(alphabet, last)+1)%36])
	for _, wrong := range []string{"", "Bearer", mistyped, strings.Repeat("x", 1<<20)} {
		wantCode(t, v, wrong, lore.CodeInvalidToken)
		_, err := v.Verify(t.Context(), wrong)
		if len(wrong) > 10 && strings.Contains(err.Error(), wrong) {
			t.Error("the error repeats the token")
		}
	}
	if accounts.count() != 0 || v.Stats().Malformed != 8 {
		t.Errorf("the accounts were asked %d times; %+v", accounts.count(), v.Stats())
	}
}

// Anybody can make well-formed tokens. They must fill neither this process nor Redis, nor push right tokens out.
func TestFloodOfUnknownTokensIsBounded(t *testing.T) {
	server, accounts := cachetest.Start(t), newRegister()
	v := newReplica(t, accounts, openRedis(t, server.URL(), "p"))
	token := accounts.issue(t, "source-1")
	mustVerify(t, v, token, "source-1")
	awaitEntry(t, v.redis, token)
	keys := server.Do("DBSIZE")

	unknown := mustMint(t)
	wantCode(t, v, unknown, lore.CodeInvalidToken)
	wantCode(t, v, unknown, lore.CodeInvalidToken)
	if got := accounts.count(); got != 2 {
		t.Errorf("one unknown token within a second: the accounts were asked %d times, want 1", got-1)
	}
	for range processLimit + processLimit/2 {
		wantCode(t, v, mustMint(t), lore.CodeInvalidToken)
	}
	if got := v.unknown.size(); got > processLimit {
		t.Errorf("%d unknown tokens are remembered, want at most %d", got, processLimit)
	}
	if got := len(v.flights.running); got != 0 {
		t.Errorf("%d look-ups are still listed", got)
	}
	if got := server.Do("DBSIZE"); got != keys {
		t.Errorf("Redis held %s keys and holds %s", keys, got)
	}
	before := accounts.count()
	mustVerify(t, v, token, "source-1")
	if accounts.count() != before {
		t.Error("the flood pushed a right token out of the process cache")
	}
}

func TestKnownTokensAreBoundedToo(t *testing.T) {
	r := newRecent[int](time.Second, 100)
	now := time.Now()
	for i := range 1000 {
		r.put(sum{byte(i), byte(i >> 8)}, i, now)
		if r.size() > 100 {
			t.Fatalf("%d entries, want at most 100", r.size())
		}
		if got, ok := r.get(sum{byte(i), byte(i >> 8)}, now); !ok || got != i {
			t.Fatalf("the newest entry is gone")
		}
	}
}

func TestConcurrentVerificationsShareOneLookUp(t *testing.T) {
	accounts := newRegister()
	v := newReplica(t, accounts, openRedis(t, "", "p"))
	token := accounts.issue(t, "source-1")
	release := make(chan struct{})
	accounts.set(func(r *register) { r.before = func(string) { <-release } })

	var wait sync.WaitGroup
	impatient, cancel := context.WithCancel(t.Context())
	wait.Go(func() { // the first, who carries the look-up out, hangs up
		_, err := v.Verify(impatient, token)
		if problem := (*lore.Problem)(nil); !errors.As(err, &problem) || problem.Code != lore.CodeStoreUnavailable {
			t.Errorf("Verify of a caller who left: %v", err)
		}
	})
	cachetest.Eventually(t, "the look-up began", func() bool { return accounts.count() == 1 })
	for range 50 {
		wait.Go(func() { mustVerify(t, v, token, "source-1") })
	}
	cachetest.Eventually(t, "50 wait", func() bool { return v.Stats().Shared == 50 })
	cancel()
	cachetest.Eventually(t, "the first has left", func() bool { return impatient.Err() != nil })
	close(release)
	wait.Wait()
	if got := accounts.count(); got != 1 {
		t.Errorf("the accounts were asked %d times, want once", got)
	}
}

// A look-up that hangs must not hand its old answer to those who come later.
func TestOldLookUpIsNotJoined(t *testing.T) {
	accounts := newRegister()
	v := newReplica(t, accounts, openRedis(t, "", "p"))
	token := accounts.issue(t, "source-1")
	release := make(chan struct{})
	accounts.set(func(r *register) { r.before = func(string) { <-release } })
	var wait sync.WaitGroup
	wait.Go(func() { mustVerify(t, v, token, "source-1") })
	cachetest.Eventually(t, "the look-up began", func() bool { return accounts.count() == 1 })

	accounts.set(func(r *register) { r.before = nil })
	accounts.revoke(token) // by another replica
	v.clock.move(ProcessTTL)
	wantCode(t, v, token, lore.CodeInvalidToken)
	close(release)
	wait.Wait() // the slow answer was right when it was asked for; it must not be remembered
	wantCode(t, v, token, lore.CodeInvalidToken)
}

// What a look-up found is as old as its beginning: else a slow one would stretch the second that a revocation takes.
func TestAgeCountsFromTheBeginningOfALookUp(t *testing.T) {
	accounts := newRegister()
	v := newReplica(t, accounts, openRedis(t, "", "p"))
	token := accounts.issue(t, "source-1")
	accounts.set(func(r *register) {
		r.before = func(string) { v.clock.move(ProcessTTL * 9 / 10) }
	})
	mustVerify(t, v, token, "source-1")
	accounts.set(func(r *register) { r.before = nil })
	accounts.revoke(token) // by another replica
	v.clock.move(ProcessTTL / 10)
	wantCode(t, v, token, lore.CodeInvalidToken)
}

func TestAccountsFailureIsToldAndNotRemembered(t *testing.T) {
	url, prefix, accounts := cachetest.URL(t), cachetest.Prefix(t), newRegister()
	v := newReplica(t, accounts, openRedis(t, url, prefix))
	token := accounts.issue(t, "source-1")
	for _, err := range []error{lore.StoreUnavailable(errors.New("red")), errors.New("no problem document"), fmt.Errorf("read: %w", context.DeadlineExceeded)} {
		accounts.set(func(r *register) { r.err = err })
		wantCode(t, v, token, lore.CodeStoreUnavailable)
	}
	accounts.set(func(r *register) { r.err, r.before = nil, func(string) { panic("boom") } })
	wantCode(t, v, token, lore.CodeInternal)
	accounts.set(func(r *register) { r.before = nil })
	mustVerify(t, v, token, "source-1")
	if got := v.Stats().Accounts; got.Failures != 3 || got.Hits != 1 {
		t.Errorf("counted %+v", got)
	}
}

// Must show 5 of the first issue: Redis stopped under traffic, and no request fails for it.
func TestNoVerificationFailsForRedis(t *testing.T) {
	server, accounts := cachetest.Start(t), newRegister()
	v := New(accounts, openRedis(t, server.URL(), "p"), nil)
	owned := make([]string, 8)
	for i := range owned {
		owned[i] = accounts.issue(t, fmt.Sprint(i))
	}
	done := make(chan struct{})
	var traffic sync.WaitGroup
	for i, token := range owned {
		traffic.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					mustVerify(t, v, token, fmt.Sprint(i))
				}
			}
		})
	}
	r := replica{Verifier: v, redis: v.redis}
	for range 2 {
		server.Stop()
		r.awaitState(t, cache.StateDown)
		server.Continue()
		r.awaitState(t, cache.StateOK)
		server.Kill()
		r.awaitState(t, cache.StateDown)
		server.Restart()
		r.awaitState(t, cache.StateOK)
	}
	hits := v.Stats().Redis.Hits
	cachetest.Eventually(t, "Redis is used again", func() bool { return v.Stats().Redis.Hits > hits })
	close(done)
	traffic.Wait()
}

// While Redis is down the process cache stands in, and is not older than with it.
func TestProcessCacheWithoutRedis(t *testing.T) {
	server, accounts := cachetest.Start(t), newRegister()
	v := newReplica(t, accounts, openRedis(t, server.URL(), "p"))
	token := accounts.issue(t, "source-1")
	server.Kill()
	v.awaitState(t, cache.StateDown)
	for range 100 {
		mustVerify(t, v, token, "source-1")
	}
	if got := accounts.count(); got != 1 {
		t.Errorf("the accounts were asked %d times within a second, want once", got)
	}
	accounts.revoke(token)
	v.clock.move(ProcessTTL)
	wantCode(t, v, token, lore.CodeInvalidToken)
}

// What Redis holds is a hash. A value that isn't ours is no identity.
func TestRedisHoldsHashesAndIsReadWithCare(t *testing.T) {
	server, accounts := cachetest.Start(t), newRegister()
	v := newReplica(t, accounts, openRedis(t, server.URL(), "p"))
	token := accounts.issue(t, "source-1")
	mustVerify(t, v, token, "source-1")
	awaitEntry(t, v.redis, token)
	if got := server.Do("EXISTS p:entry:token:" + Hash(token)); got != ":1" {
		t.Fatalf("the entry is not under the hash: %s", got)
	}
	for _, value := range []string{"{}", "null", "[1]", "{\"source_id\":", "\xff"} {
		entry, err := v.redis.Lookup(t.Context(), entryName(Hash(token)))
		if err != nil {
			t.Fatal(err)
		}
		if err := v.redis.Fill(t.Context(), entryName(Hash(token)), value, entry.Epoch, EntryTTL); err != nil {
			t.Fatal(err)
		}
		v.clock.move(ProcessTTL)
		mustVerify(t, v, token, "source-1")
	}
}
