package tokens

import (
	"errors"
	"testing"
	"time"

	"agentlore/cache/cachetest"
	"agentlore/lore"
)

// rotate makes a new token in place of one.
func (r replica) rotate(t *testing.T, token string) (fresh string, until time.Time) {
	t.Helper()
	fresh, until, err := r.Rotate(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	return fresh, until
}

// A token that was replaced and whose successor nobody uses ends at its time, whatever the caches hold.
func TestReplacedTokenEndsAtItsTime(t *testing.T) {
	url, prefix, accounts := cachetest.URL(t), cachetest.Prefix(t), newRegister()
	one := newReplica(t, accounts, openRedis(t, url, prefix))
	two := newReplica(t, accounts, openRedis(t, url, prefix))
	token := accounts.issue(t, "source-1") // in no cache yet: what was kept before a rotation lives a minute of Redis's own time
	one.rotate(t, token)
	for range 4 { // it is looked up again and again, and kept by both replicas and Redis
		for _, r := range []replica{one, two} {
			r.clock.move(EntryTTL)
			if identity, err := r.Verify(t.Context(), token); err != nil || identity.SourceID != "source-1" {
				t.Fatalf("before its time is over: %+v, %v", identity, err)
			}
			awaitEntry(t, r.redis, token)
		}
	}
	for _, r := range []replica{one, two} {
		r.clock.move(RotationGrace - 4*EntryTTL)
		wantCode(t, r, token, lore.CodeInvalidToken)
	}
}

func TestFirstUseEndsTheReplacedTokenEverywhere(t *testing.T) {
	accounts, one, two, token := fleet(t, cachetest.URL(t))
	fresh, _ := one.rotate(t, token)
	if _, err := one.Verify(t.Context(), token); err != nil {
		t.Fatal(err)
	}

	// A store that can't end the old token refuses the new one for now: its bearer would take the old one for dead.
	accounts.set(func(r *register) { r.err = lore.StoreUnavailable(errors.New("down")) })
	wantCode(t, two, fresh, lore.CodeStoreUnavailable)
	accounts.set(func(r *register) { r.err = nil })

	mustVerify(t, two, fresh, "source-1")
	wantCode(t, two, token, lore.CodeInvalidToken) // here at once
	one.clock.move(ProcessTTL)
	asked := accounts.count()
	wantCode(t, one, token, lore.CodeInvalidToken)
	if accounts.count() != asked {
		t.Error("the tombstone didn't answer: the accounts were asked")
	}
	mustVerify(t, one, fresh, "source-1")
}
