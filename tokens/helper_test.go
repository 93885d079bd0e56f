package tokens

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"agentlore/cache"
	"agentlore/cache/cachetest"
	"agentlore/lore"
)

// register counts look-ups and fails when told to. What the real index decides is tested with the index.
type register struct {
	mu     sync.Mutex
	owners map[string]lore.Identity
	// replaced has, for each token that a rotation made, the one before it.
	replaced map[string]string
	asked    int
	err      error
	before   func(hash string) // runs after the answer was read and before it is given
}

func newRegister() *register {
	return &register{owners: map[string]lore.Identity{}, replaced: map[string]string{}}
}

func (r *register) IdentityByToken(ctx context.Context, hash string) (lore.Identity, error) {
	r.mu.Lock()
	identity, found := r.owners[hash]
	err, before := r.err, r.before
	r.asked++
	r.mu.Unlock()
	if before != nil {
		before(hash)
	}
	switch {
	case err != nil:
		return lore.Identity{}, err
	case !found:
		return lore.Identity{}, &lore.Problem{Code: lore.CodeInvalidToken, Detail: "unknown"}
	}
	return identity, ctx.Err()
}

func (r *register) Rotate(_ context.Context, tokenHash, freshHash string, _, until time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	old, found := r.owners[tokenHash]
	if !found {
		return &lore.Problem{Code: lore.CodeInvalidToken, Detail: "unknown"}
	}
	fresh := old
	fresh.Unused = true
	old.ExpiresAt = until
	r.owners[tokenHash], r.owners[freshHash] = old, fresh
	r.replaced[freshHash] = tokenHash
	return r.err
}

func (r *register) EndRotation(_ context.Context, freshHash string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return "", r.err
	}
	fresh := r.owners[freshHash]
	fresh.Unused = false
	r.owners[freshHash] = fresh
	old := r.replaced[freshHash]
	delete(r.owners, old)
	return old, nil
}

// issue returns a new token of a source with this id.
func (r *register) issue(tb testing.TB, sourceID string) string {
	token := mustMint(tb)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.owners[Hash(token)] = lore.Identity{SourceID: sourceID, OwnerKey: "owner of " + sourceID}
	return token
}

func (r *register) revoke(token string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.owners, Hash(token))
}

func (r *register) set(change func(*register)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(r)
}

func (r *register) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asked
}

// clock is a clock that stands still until it is moved.
type clock struct {
	mu   sync.Mutex
	time time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.time
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.time = c.time.Add(d)
}

func openRedis(tb testing.TB, url, prefix string) *cache.Redis {
	tb.Helper()
	// A long call deadline: a busy machine is no outage. Quick probes.
	r, err := cache.Open(cache.Config{URL: url, Prefix: prefix, CallTimeout: 300 * time.Millisecond, Cooldown: 50 * time.Millisecond})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = r.Close() })
	return r
}

// replica is one process of the service: a Verifier with a Redis connection and a clock of its own.
type replica struct {
	*Verifier
	redis *cache.Redis
	clock *clock
}

func newReplica(tb testing.TB, accounts Accounts, redis *cache.Redis) replica {
	c := &clock{time: time.Now()}
	v := New(accounts, redis, slog.New(slog.DiscardHandler))
	v.now = c.now
	return replica{v, redis, c}
}

func (r replica) awaitState(tb testing.TB, want cache.State) {
	tb.Helper()
	cachetest.Eventually(tb, "state "+string(want), func() bool { return r.redis.State() == want })
}

func mustVerify(tb testing.TB, v interface {
	Verify(context.Context, string) (lore.Identity, error)
}, token, sourceID string) {
	tb.Helper()
	identity, err := v.Verify(tb.Context(), token)
	if err != nil {
		tb.Fatalf("Verify: %v", err)
	}
	if want := (lore.Identity{SourceID: sourceID, OwnerKey: "owner of " + sourceID}); identity != want {
		tb.Fatalf("Verify says %+v, want %+v", identity, want)
	}
}

func wantCode(tb testing.TB, v interface {
	Verify(context.Context, string) (lore.Identity, error)
}, token string, want lore.Code) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), 10*time.Second)
	defer cancel()
	identity, err := v.Verify(ctx, token)
	var problem *lore.Problem
	if !errors.As(err, &problem) || problem.Code != want {
		tb.Fatalf("Verify: %v, want %s", err, want)
	}
	if identity != (lore.Identity{}) {
		tb.Fatalf("an identity comes with the error: %+v", identity)
	}
}

// awaitEntry waits until the token is in Redis: the fill runs after the answer.
func awaitEntry(tb testing.TB, r *cache.Redis, token string) {
	tb.Helper()
	cachetest.Eventually(tb, "the entry is in Redis", func() bool {
		entry, err := r.Lookup(tb.Context(), entryName(Hash(token)))
		return err == nil && entry.Status == cache.Hit
	})
}
