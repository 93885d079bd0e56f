package tokens

import (
	"context"
	"sync"
	"testing"
	"time"

	"agentlore/cache"
	"agentlore/lore"
)

// accountKey is the key of the account that every token of these tests belongs to.
const accountKey = "0a1b2c3d4e5f6"

// register counts look-ups and fails when told to. What the real index decides is tested with the index.
type register struct {
	mu     sync.Mutex
	owners map[string]lore.Identity
	unused map[string]string // a token that replaces another -> that one
	asked  int
	err    error
	after  func() // runs after the answer was read and before it is given
}

func newRegister() *register {
	return &register{owners: map[string]lore.Identity{}, unused: map[string]string{}}
}

func (r *register) Identify(ctx context.Context, account, hash string) (lore.Identity, error) {
	r.mu.Lock()
	identity, found := r.owners[hash]
	if old, replaces := r.unused[hash]; replaces {
		delete(r.owners, old)
		delete(r.unused, hash)
	}
	err, after := r.err, r.after
	r.asked++
	r.mu.Unlock()
	if after != nil {
		after()
	}
	switch {
	case err != nil:
		return lore.Identity{}, err
	case !found || account != "" && account != identity.Account:
		return lore.Identity{}, lore.InvalidToken()
	}
	return identity, ctx.Err()
}

func (r *register) Rotate(_ context.Context, account, tokenHash, freshHash string, until time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	old, found := r.owners[tokenHash]
	if !found || account != "" && account != old.Account {
		return lore.InvalidToken()
	}
	r.owners[freshHash], r.unused[freshHash] = old, tokenHash
	old.ExpiresAt = until
	r.owners[tokenHash] = old
	return nil
}

func (r *register) add(token, sourceID string) string {
	r.set(func() { r.owners[Hash(token)] = identityOf(sourceID) })
	return token
}

func (r *register) issue(tb testing.TB, sourceID string) string { return r.add(mustMint(tb), sourceID) }

// revoke does what any replica or operator does: nobody is told.
func (r *register) revoke(token string) { r.set(func() { delete(r.owners, Hash(token)) }) }

func (r *register) set(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
}

func (r *register) count() (asked int) {
	r.set(func() { asked = r.asked })
	return asked
}

// shelf is a Redis at its worst: it keeps everything for ever, whatever time to live it was given.
type shelf struct{ sync.Map }

func (s *shelf) Get(_ context.Context, name string) (string, error) {
	value, _ := s.Load(name)
	text, _ := value.(string)
	return text, nil
}

func (s *shelf) Set(_ context.Context, name, value string, _ time.Duration) error {
	s.Store(name, value)
	return nil
}

// noRedis is a cache without a server.
func noRedis(tb testing.TB) *cache.Redis { return openRedis(tb, "") }

// openRedis opens a Redis with quick probes, and a call deadline by which a busy machine is no outage.
func openRedis(tb testing.TB, url string) *cache.Redis {
	tb.Helper()
	r, err := cache.Open(cache.Config{URL: url, Prefix: "p", CallTimeout: 300 * time.Millisecond, Cooldown: 50 * time.Millisecond})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = r.Close() })
	return r
}

func mustMint(tb testing.TB) string {
	tb.Helper()
	token, err := Mint(accountKey)
	if err != nil {
		tb.Fatal(err)
	}
	return token
}

func identityOf(sourceID string) lore.Identity {
	return lore.Identity{SourceID: sourceID, Principal: "principal of " + sourceID, Account: accountKey}
}

func mustVerify(tb testing.TB, v *Verifier, token, sourceID string) {
	tb.Helper()
	if identity, err := v.Verify(tb.Context(), token); err != nil || identity != identityOf(sourceID) {
		tb.Errorf("Verify: %+v, %v, want %+v", identity, err, identityOf(sourceID))
	}
}

func wantCode(tb testing.TB, v *Verifier, token string, want lore.Code) {
	tb.Helper()
	identity, err := v.Verify(tb.Context(), token)
	if lore.CodeOf(err) != want || identity != (lore.Identity{}) {
		tb.Errorf("Verify: %+v, %v, want %s", identity, err, want)
	}
}
