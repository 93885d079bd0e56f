package tokens

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"agentlore/cache"
	"agentlore/enginetest"
	"agentlore/lore"
)

// Whatever befalls Redis beside a revocation: no request that begins a second after it is let in by any replica, then or when Redis
// is back.
func TestRevokedTokenIsRefusedWithinASecondWhateverRedisDoes(t *testing.T) {
	nothing := func(*enginetest.RedisServer) {}
	for name, fault := range map[string]struct{ before, after func(*enginetest.RedisServer) }{
		"well":                {nothing, nothing},
		"hangs":               {(*enginetest.RedisServer).Stop, (*enginetest.RedisServer).Continue},
		"down":                {(*enginetest.RedisServer).Kill, (*enginetest.RedisServer).Restart},
		"flushed":             {func(s *enginetest.RedisServer) { s.Do("FLUSHALL") }, nothing},
		"back with old data":  {func(s *enginetest.RedisServer) { s.Do("SAVE"); s.Kill(); s.Restart() }, nothing},
		"late with old data":  {func(s *enginetest.RedisServer) { s.Do("SAVE"); s.Kill() }, (*enginetest.RedisServer).Restart},
		"refuses writes":      {func(s *enginetest.RedisServer) { s.Do("CONFIG SET maxmemory 1") }, func(s *enginetest.RedisServer) { s.Do("CONFIG SET maxmemory 0") }},
		"paused for a moment": {func(s *enginetest.RedisServer) { s.Stop(); s.Continue() }, nothing},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, accounts := enginetest.StartRedis(t), newRegister()
			clients := []*cache.Redis{openRedis(t, server.URL()), openRedis(t, server.URL())}
			replicas := []*Verifier{New(accounts, clients[0], nil), New(accounts, clients[1], nil)}
			token := accounts.issue(t, "source-1")
			for _, v := range replicas {
				mustVerify(t, v, token, "source-1")
			}
			fault.before(server)
			accounts.revoke(token)
			revoked := time.Now()
			refused := func(after time.Duration) func() bool {
				return func() bool {
					begun := time.Since(revoked)
					for i, v := range replicas {
						if _, err := v.Verify(t.Context(), token); err == nil && begun >= EntryTTL {
							t.Fatalf("replica %d lets it in %s after the revocation", i, begun)
						} else if err != nil && lore.CodeOf(err) != lore.CodeInvalidToken {
							t.Fatalf("replica %d fails: %v", i, err)
						}
					}
					return begun > after
				}
			}
			enginetest.Eventually(t, "refused for good", refused(EntryTTL+100*time.Millisecond))
			fault.after(server)
			for _, client := range clients {
				enginetest.Eventually(t, "Redis is used again", func() bool { return client.State(t.Context()) == cache.StateOK })
			}
			enginetest.Eventually(t, "refused for good", refused(time.Since(revoked)+EntryTTL+100*time.Millisecond))
		})
	}
}

// A halted Redis carries out what waited for it when it goes on, long after the answer was read, and gives it its time from then.
func TestWriteThatRedisCarriesOutLateIsNotBelieved(t *testing.T) {
	server, accounts := enginetest.StartRedis(t), newRegister()
	slow, other := New(accounts, openRedis(t, server.URL()), nil), openRedis(t, server.URL())
	token := accounts.issue(t, "source-1")
	accounts.set(func() { accounts.after = server.Stop }) // between the look-up's read and its write
	mustVerify(t, slow, token, "source-1")
	accounts.set(func() { accounts.after = nil })
	accounts.revoke(token)
	revoked := time.Now()
	enginetest.Eventually(t, "a second is over", func() bool { return time.Since(revoked) >= EntryTTL })
	server.Continue()
	// The write is there at once, the breaker closes a little later.
	for deadline := time.Now().Add(EntryTTL); time.Now().Before(deadline); {
		wantCode(t, New(accounts, other, nil), token, lore.CodeInvalidToken)
	}
	if other.State(t.Context()) != cache.StateOK {
		t.Error("Redis was not asked")
	}
}

// Redis hangs and dies under traffic, and no request fails for it.
func TestNoVerificationFailsForRedis(t *testing.T) {
	server, accounts := enginetest.StartRedis(t), newRegister()
	redis := openRedis(t, server.URL())
	replicas := []*Verifier{New(accounts, redis, nil), New(accounts, redis, nil)}
	done := make(chan struct{})
	var traffic sync.WaitGroup
	for i := range 8 {
		sourceID := fmt.Sprint(i % 4)
		token := accounts.issue(t, sourceID)
		for _, v := range replicas {
			traffic.Go(func() {
				for {
					select {
					case <-done:
						return
					case <-time.After(time.Millisecond):
						mustVerify(t, v, token, sourceID)
					}
				}
			})
		}
	}
	await := func(want cache.State) {
		enginetest.Eventually(t, "state "+string(want), func() bool { return redis.State(t.Context()) == want })
	}
	server.Stop()
	await(cache.StateDown)
	server.Continue()
	await(cache.StateOK)
	server.Kill()
	await(cache.StateDown)
	server.Restart()
	await(cache.StateOK)
	hits := replicas[0].Stats().Redis + replicas[1].Stats().Redis
	enginetest.Eventually(t, "Redis is used again", func() bool {
		return replicas[0].Stats().Redis+replicas[1].Stats().Redis > hits
	})
	close(done)
	traffic.Wait()
}

// What Redis holds is a hash and expires. A value that isn't ours is no identity.
func TestRedisHoldsHashesAndIsReadWithCare(t *testing.T) {
	server, accounts := enginetest.StartRedis(t), newRegister()
	redis := openRedis(t, server.URL())
	token := accounts.issue(t, "source-1")
	mustVerify(t, New(accounts, redis, nil), token, "source-1")
	if got := server.Do("PTTL p:entry:token:" + Hash(token)); got == "-1" {
		t.Fatal("an entry never ends")
	}
	now := time.Now().UTC().Format(time.RFC3339Nano)
	for _, value := range []string{"{}", "null", "[1]", `{"source_id":`, "\xff", `{"source_id":"thief"}`, `{"read":"` + now + `"}`} {
		if err := redis.Set(t.Context(), "token:"+Hash(token), value, time.Minute); err != nil {
			t.Fatal(err)
		}
		mustVerify(t, New(accounts, redis, nil), token, "source-1")
	}
}
