package tokens

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentlore/lore"
)

func TestVerifyAsksEachLayerOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		accounts, redis := newRegister(), &shelf{}
		one, two := New(accounts, redis, nil), New(accounts, redis, nil)
		for _, token := range []string{accounts.issue(t, "source-1"), accounts.add(oldForm(strings.Repeat("7", bodyLength)), "source-1")} {
			mustVerify(t, one, token, "source-1")
			mustVerify(t, one, token, "source-1")
			mustVerify(t, two, token, "source-1")
		}
		time.Sleep(EntryTTL - 1)
		mustVerify(t, one, accounts.issue(t, "source-1"), "source-1")
		if got := accounts.count(); got != 3 {
			t.Errorf("the accounts were asked %d times for three tokens", got)
		}
		if got := one.Stats(); got != (Stats{Redis: 2, Accounts: 3}) {
			t.Errorf("counted %+v", got)
		}
		if got := two.Stats(); got.Redis != 2 {
			t.Errorf("the other replica counted %+v", got)
		}
	})
}

// An answer goes from one replica to another by Redis, and ends for both. Redis forgets nothing here.
func TestRevocationHoldsWithinASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		accounts, redis := newRegister(), &shelf{}
		one, two := New(accounts, redis, nil), New(accounts, redis, nil)
		token := accounts.issue(t, "source-1")
		mustVerify(t, one, token, "source-1")
		accounts.revoke(token)
		time.Sleep(EntryTTL - time.Millisecond)
		mustVerify(t, two, token, "source-1") // this is what the second is for
		time.Sleep(time.Millisecond)
		wantCode(t, one, token, lore.CodeInvalidToken)
		wantCode(t, two, token, lore.CodeInvalidToken)
		accounts.add(token, "source-1") // and a refusal is not older
		mustVerify(t, one, token, "source-1")
	})
}

// What a look-up found is as old as its beginning, in the process and in Redis: else a slow one would stretch the second.
func TestSlowLookUpDoesNotStretchAnAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		accounts, redis := newRegister(), &shelf{}
		one, two := New(accounts, redis, nil), New(accounts, redis, nil)
		token := accounts.issue(t, "source-1")
		accounts.set(func() { accounts.after = func() { time.Sleep(EntryTTL - time.Millisecond) } })
		mustVerify(t, one, token, "source-1")
		accounts.set(func() { accounts.after = nil })
		accounts.revoke(token)
		time.Sleep(time.Millisecond)
		wantCode(t, one, token, lore.CodeInvalidToken)
		wantCode(t, two, token, lore.CodeInvalidToken)
	})
}

func TestAccountsFailureIsToldAndNotRemembered(t *testing.T) {
	accounts := newRegister()
	v := New(accounts, noRedis(t), nil)
	token := accounts.issue(t, "source-1")
	for _, err := range []error{lore.StoreUnavailable(errors.New("red")), errors.New("no problem document"), fmt.Errorf("read: %w", context.DeadlineExceeded)} {
		accounts.set(func() { accounts.err = err })
		wantCode(t, v, token, lore.CodeStoreUnavailable)
	}
	accounts.set(func() { accounts.err = nil })
	mustVerify(t, v, token, "source-1")
	if got := v.Stats(); got.Failed != 3 || got.Accounts != 1 {
		t.Errorf("counted %+v", got)
	}
}

func TestBannedIsSaidAndEndsWithTheBan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		accounts := newRegister()
		v := New(accounts, &shelf{}, nil)
		token := accounts.issue(t, "source-1")
		accounts.set(func() { accounts.err = &lore.Problem{Code: lore.CodeBanned} })
		wantCode(t, v, token, lore.CodeBanned)
		wantCode(t, v, token, lore.CodeBanned)
		accounts.set(func() { accounts.err = nil })
		time.Sleep(EntryTTL)
		mustVerify(t, v, token, "source-1")
	})
}

func TestMalformedTokenIsNotLookedUp(t *testing.T) {
	accounts := newRegister()
	v := New(accounts, noRedis(t), nil)
	mistyped := "agl-" + strings.Repeat("0", bodyLength) + "000001"
	for _, wrong := range []string{"", "Bearer", mistyped, strings.Repeat("x", 1<<20)} {
		wantCode(t, v, wrong, lore.CodeInvalidToken)
		if _, err := v.Verify(t.Context(), wrong); len(wrong) > 10 && strings.Contains(err.Error(), wrong) {
			t.Error("the error repeats the token")
		}
	}
	if accounts.count() != 0 {
		t.Errorf("the accounts were asked %d times", accounts.count())
	}
}

// Anybody can make well-formed tokens. They must not fill Redis.
func TestWrongTokensAreNotKept(t *testing.T) {
	accounts, redis := newRegister(), &shelf{}
	v := New(accounts, redis, nil)
	for range 100 {
		wantCode(t, v, mustMint(t), lore.CodeInvalidToken)
	}
	redis.Range(func(name, _ any) bool { t.Errorf("Redis holds %s", name); return false })
}

// The old token goes on until the new one is used, and ends within a second of that.
func TestReplacedTokenEndsWithTheFirstUseOfTheNewOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		accounts, redis := newRegister(), &shelf{}
		one, two := New(accounts, redis, nil), New(accounts, redis, nil)
		for _, token := range []string{accounts.issue(t, "source-1"), accounts.add(oldForm(strings.Repeat("7", bodyLength)), "source-1")} {
			mustVerify(t, one, token, "source-1")
			fresh, until, err := one.Rotate(t.Context(), token, identityOf("source-1"))
			if key, ok := Read(fresh); err != nil || !ok || key != accountKey || time.Until(until) > RotationGrace || time.Until(until) < RotationGrace-time.Second {
				t.Fatalf("Rotate: until %s, key %q, %v", until, key, err)
			}
			time.Sleep(EntryTTL)
			for _, v := range []*Verifier{one, two} {
				if identity, err := v.Verify(t.Context(), token); err != nil || !identity.ExpiresAt.Equal(until) {
					t.Errorf("nobody used the new token, and of the old one Verify says %+v, %v", identity, err)
				}
			}
			mustVerify(t, two, fresh, "source-1")
			time.Sleep(EntryTTL)
			for _, v := range []*Verifier{one, two} {
				wantCode(t, v, token, lore.CodeInvalidToken)
				mustVerify(t, v, fresh, "source-1")
			}
			if _, _, err := one.Rotate(t.Context(), token, identityOf("source-1")); lore.CodeOf(err) != lore.CodeInvalidToken {
				t.Errorf("Rotate of a replaced token: %v", err)
			}
		}
	})
}

// A replaced token ends to the moment, though its answer is still young.
func TestReplacedTokenEndsInTime(t *testing.T) {
	accounts, now := newRegister(), time.Now()
	v := New(accounts, noRedis(t), func() time.Time { return now })
	token := accounts.issue(t, "source-1")
	_, until, err := v.Rotate(t.Context(), token, identityOf("source-1"))
	if err != nil {
		t.Fatal(err)
	}
	now = until.Add(-1)
	if _, err := v.Verify(t.Context(), token); err != nil {
		t.Errorf("just before its end: %v", err)
	}
	now = until
	wantCode(t, v, token, lore.CodeInvalidToken)
}
