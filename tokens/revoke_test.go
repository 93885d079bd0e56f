package tokens

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"agentlore/cache"
	"agentlore/cache/cachetest"
	"agentlore/lore"
)

// fleet returns two replicas that share accounts and a Redis, and a token that both know and Redis holds.
func fleet(t *testing.T, url string) (accounts *register, one, two replica, token string) {
	t.Helper()
	prefix := cachetest.Prefix(t)
	accounts = newRegister()
	one = newReplica(t, accounts, openRedis(t, url, prefix))
	two = newReplica(t, accounts, openRedis(t, url, prefix))
	token = accounts.issue(t, "source-1")
	mustVerify(t, one, token, "source-1")
	awaitEntry(t, one.redis, token)
	mustVerify(t, two, token, "source-1")
	return accounts, one, two, token
}

func TestRevokedTokenIsRefusedEverywhereWithinASecond(t *testing.T) {
	accounts, one, two, token := fleet(t, cachetest.URL(t))
	accounts.revoke(token)
	if err := one.Revoke(t.Context(), Hash(token)); err != nil {
		t.Fatal(err)
	}
	wantCode(t, one, token, lore.CodeInvalidToken) // here at once
	two.clock.move(ProcessTTL)
	asked := accounts.count()
	wantCode(t, two, token, lore.CodeInvalidToken)
	if accounts.count() != asked {
		t.Error("the tombstone didn't answer: the accounts were asked")
	}
	if got := one.Stats(); got.Revoked != 1 || got.Unspread != 0 {
		t.Errorf("counted %+v", got)
	}
}

// A look-up reads the accounts, the token is revoked, and only then does the look-up end and fill.
func TestLookUpUnderWayDoesNotUndoARevocation(t *testing.T) {
	url, prefix, accounts := cachetest.URL(t), cachetest.Prefix(t), newRegister()
	slow := newReplica(t, accounts, openRedis(t, url, prefix))
	revoker := newReplica(t, accounts, openRedis(t, url, prefix))
	for _, by := range []replica{revoker, slow} {
		token := accounts.issue(t, "source-1")
		read, release := make(chan struct{}), make(chan struct{})
		accounts.set(func(r *register) {
			r.before = func(string) { close(read); <-release }
		})
		var wait sync.WaitGroup
		wait.Go(func() { _, _ = slow.Verify(t.Context(), token) })
		<-read
		accounts.set(func(r *register) { r.before = nil })
		accounts.revoke(token)
		if err := by.Revoke(t.Context(), Hash(token)); err != nil {
			t.Fatal(err)
		}
		close(release)
		wait.Wait()
		wantCode(t, by, token, lore.CodeInvalidToken)
		slow.clock.move(ProcessTTL)
		wantCode(t, slow, token, lore.CodeInvalidToken)
		revoker.clock.move(ProcessTTL)
		wantCode(t, revoker, token, lore.CodeInvalidToken)
	}
}

func TestRevocationDuringAnOutage(t *testing.T) {
	type outage struct{ begin, end func(*cachetest.Server) }
	for name, o := range map[string]outage{
		"stopped":             {(*cachetest.Server).Stop, (*cachetest.Server).Continue},
		"back with old data":  {func(s *cachetest.Server) { s.Save(); s.Kill() }, (*cachetest.Server).Restart},
		"back without data":   {(*cachetest.Server).Kill, func(s *cachetest.Server) { s.Forget(); s.Restart() }},
		"flushed when it was": {(*cachetest.Server).Stop, func(s *cachetest.Server) { s.Continue(); s.Do("FLUSHALL") }},
	} {
		t.Run(name, func(t *testing.T) {
			server := cachetest.Start(t)
			accounts, one, two, token := fleet(t, server.URL())
			o.begin(server)
			accounts.revoke(token)
			err := one.Revoke(t.Context(), Hash(token))
			var unspread *RevocationError
			if !errors.As(err, &unspread) || unspread.Window != EntryTTL || !errors.Is(err, cache.ErrUnavailable) {
				t.Fatalf("Revoke: %v, want a *RevocationError over %s", err, EntryTTL)
			}
			if strings.Contains(err.Error(), Hash(token)) {
				t.Error("the error names the hash")
			}
			wantCode(t, one, token, lore.CodeInvalidToken)
			two.clock.move(ProcessTTL)
			wantCode(t, two, token, lore.CodeInvalidToken) // no Redis: the accounts say so

			o.end(server)
			one.awaitState(t, cache.StateOK)
			two.awaitState(t, cache.StateOK)
			for _, r := range []replica{one, two} {
				r.clock.move(ProcessTTL)
				wantCode(t, r, token, lore.CodeInvalidToken)
			}
			// Tokens that hold are cached again.
			other := accounts.issue(t, "source-2")
			mustVerify(t, one, other, "source-2")
			awaitEntry(t, two.redis, other)
		})
	}
}

// Only the revoker loses Redis: the documented window, and its end when the revoker is back.
func TestRevokerAloneLosesRedis(t *testing.T) {
	server := cachetest.Start(t)
	link := cachetest.NewLink(t, server)
	prefix, accounts := cachetest.Prefix(t), newRegister()
	revoker := newReplica(t, accounts, openRedis(t, link.URL(), prefix))
	other := newReplica(t, accounts, openRedis(t, server.URL(), prefix))
	token := accounts.issue(t, "source-1")
	mustVerify(t, other, token, "source-1")
	awaitEntry(t, other.redis, token)

	link.Cut()
	accounts.revoke(token)
	var unspread *RevocationError
	if err := revoker.Revoke(t.Context(), Hash(token)); !errors.As(err, &unspread) {
		t.Fatalf("Revoke: %v, want a *RevocationError", err)
	}
	other.clock.move(ProcessTTL)
	mustVerify(t, other, token, "source-1") // what RevocationError warns of
	link.Mend()
	revoker.awaitState(t, cache.StateOK)
	other.clock.move(ProcessTTL)
	wantCode(t, other, token, lore.CodeInvalidToken)
}

func TestRevokeWithoutRedis(t *testing.T) {
	accounts := newRegister()
	v := newReplica(t, accounts, openRedis(t, "", "p"))
	token := accounts.issue(t, "source-1")
	mustVerify(t, v, token, "source-1")
	accounts.revoke(token)
	if err := v.Revoke(t.Context(), Hash(token)); err != nil {
		t.Fatal(err)
	}
	wantCode(t, v, token, lore.CodeInvalidToken)
}

// A token passed in place of its hash must end up neither in Redis nor in an error.
func TestRevokeRefusesWhatIsNoHash(t *testing.T) {
	v := newReplica(t, newRegister(), openRedis(t, "", "p"))
	token := mustMint(t)
	for _, wrong := range []string{"", token, Hash(token)[1:], strings.ToUpper(Hash(token)), Hash(token) + "00"} {
		err := v.Revoke(t.Context(), wrong)
		if err == nil || (wrong != "" && strings.Contains(err.Error(), wrong)) {
			t.Errorf("Revoke of what is no hash: %v", err)
		}
	}
}

func TestTombstoneOutlivesEveryEntry(t *testing.T) {
	if tombstoneTTL <= lookUpTimeout+EntryTTL {
		t.Errorf("an entry begun before a revocation can live %s after it, its tombstone only %s", lookUpTimeout+EntryTTL, tombstoneTTL)
	}
}
