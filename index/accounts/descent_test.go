package accounts

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/index/indextest"
	"agentlore/lore"
)

// A token is believed for a second after it was looked up. What is registered by it then is refused if it was revoked, replaced or ended
// meanwhile, whatever the registration came with, and the name is free.
func TestARefusedTokenRegistersNothing(t *testing.T) {
	t.Parallel()
	a := openAccounts(t, sharedClient(t))
	for what, refuse := range map[string]func(parent, bearer lore.Identity, name string) error{
		"revoked": func(_, _ lore.Identity, name string) error {
			_, err := a.RevokeToken(t.Context(), name, time.Now())
			return err
		},
		"replaced": func(_, _ lore.Identity, name string) error {
			_, err := a.IssueToken(t.Context(), name, func(string) (string, error) { return tokenHashOf(name + " anew"), nil })
			return err
		},
		"ended": func(parent, bearer lore.Identity, _ string) error {
			_, err := a.End(t.Context(), parent, bearer.SourceID, time.Now())
			return err
		},
	} {
		mustRegister(t, a, "Parent of "+what, "x")
		parent := bearerOf(t, a, "Parent of "+what)
		name := "Was " + what
		mustRegister(t, a, name, "x", func(e *lore.Enrolment) { e.Joins = parent })
		bearer := bearerOf(t, a, name)
		invite, _, err := a.Invite(t.Context(), "", 9, time.Now().Add(time.Hour), time.Now())
		if err == nil {
			err = refuse(parent, bearer, name)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, invite := range []string{"", invite} {
			with := enrolment("Late child of "+what, "x")
			with.Joins, with.Invite = bearer, invite
			if _, err := a.Register(t.Context(), indextest.Clean(t, registration("Late child of "+what, "x")), with); lore.CodeOf(err) != lore.CodeInvalidToken {
				t.Errorf("a token that was %s, invite %v: %v, want invalid_token", what, invite != "", err)
			}
		}
		mustRegister(t, a, "Late child of "+what, "x")
	}
}

// While a source is ended its token registers others, and they others. None of all is accepted afterwards.
func TestNothingEscapesAnEnd(t *testing.T) {
	t.Parallel()
	a := openAccounts(t, sharedClient(t))
	mustRegister(t, a, "Escape parent", "x")
	parent := bearerOf(t, a, "Escape parent")
	thief := mustRegister(t, a, "Escape thief", "x", func(e *lore.Enrolment) { e.Joins = parent })
	bearer := bearerOf(t, a, "Escape thief")
	var mu sync.Mutex
	var names []string
	begun, over, group := make(chan struct{}, 20), time.Now().Add(30*time.Second), sync.WaitGroup{}
	for i := range 8 {
		group.Go(func() {
			by := bearer
			for j := 0; time.Now().Before(over); j++ {
				name := fmt.Sprintf("Escape %d-%d", i, j)
				with := enrolment(name, "x")
				with.Joins = by
				_, err := a.Register(t.Context(), indextest.Clean(t, registration(name, "x")), with)
				select {
				case begun <- struct{}{}:
				default:
				}
				if lore.CodeOf(err) == lore.CodeInvalidToken {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				names = append(names, name)
				mu.Unlock()
				if next, err := identify(t, a, name); err == nil && j%2 == 0 { // the next is registered by this one
					by = next
				}
			}
		})
	}
	for range 20 {
		<-begun
	}
	ended, err := a.End(t.Context(), parent, thief.Source.SourceID, time.Now())
	if err != nil || len(ended) < 2 {
		t.Errorf("ended %d, %v", len(ended), err)
	}
	group.Wait()
	if time.Now().After(over) {
		t.Error("registrations went on")
	}
	for _, name := range append(names, "Escape thief") {
		if _, err := identify(t, a, name); lore.CodeOf(err) != lore.CodeInvalidToken {
			t.Errorf("the token of %s: %v, want invalid_token", name, err)
		}
	}
	if _, err := identify(t, a, "Escape parent"); err != nil {
		t.Errorf("the parent's token: %v", err)
	}
}

// By a time, what a token registered from then on is found with all that came of it, and nothing that came of what it registered before.
func TestRegisteredSince(t *testing.T) {
	t.Parallel()
	a := openAccounts(t, sharedClient(t))
	theft := time.Now().UTC().Add(time.Hour).Truncate(time.Millisecond)
	at := func(name, by string, when time.Time) {
		t.Helper()
		bearer := bearerOf(t, a, by)
		mustRegister(t, a, name, "x", func(e *lore.Enrolment) { e.Joins, e.At = bearer, when })
	}
	mustRegister(t, a, "Since victim", "x")
	at("Since before", "Since victim", theft.Add(-time.Millisecond))
	at("Since at", "Since victim", theft)
	at("Since child", "Since at", theft.Add(time.Minute))
	at("Since unrelated", "Since before", theft.Add(time.Minute))
	find := func(fail error) (names []string, err error) {
		victim := identityOf(stored(t, a, "Since victim"))
		err = a.EndRegistered(t.Context(), victim, theft.Add(123*time.Microsecond), time.Now(), true, func(one lore.OwnSource) error {
			names = append(names, one.Name)
			return fail
		})
		return names, err
	}
	if names, err := find(nil); err != nil || fmt.Sprint(names) != "[Since at Since child]" {
		t.Errorf("registered since are %v, %v", names, err)
	}
	stop := errors.New("stop")
	if names, err := find(stop); !errors.Is(err, stop) || len(names) != 1 {
		t.Errorf("where the visit fails: %v, %v", names, err)
	}
}

// A code for each makes as many principals as it says, however many registrations come at once, each by itself though all typed one owner.
func TestACodeForEachIsUsedOnce(t *testing.T) {
	t.Parallel()
	a := openAccounts(t, sharedClient(t))
	code, principals, err := a.InviteEach(t.Context(), 3, time.Now().Add(time.Hour), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	let := make([]bool, 8)
	var group sync.WaitGroup
	for i := range let {
		name := fmt.Sprint("Each ", i)
		with := enrolment(name, "acme")
		with.Invite = code
		said := indextest.Clean(t, registration(name, "acme"))
		group.Go(func() {
			_, err := a.Register(t.Context(), said, with)
			if let[i] = err == nil; err != nil && lore.CodeOf(err) != lore.CodeInvalidInvite {
				t.Error(err)
			}
		})
	}
	group.Wait()
	owners, left := map[string]bool{a.ownerKey("acme"): true}, map[string]bool{}
	for _, principal := range principals {
		left[principal] = true
	}
	for i, in := range let {
		if !in {
			continue
		}
		mine := stored(t, a, fmt.Sprint("Each ", i)).Source
		if !left[mine.Principal] || owners[mine.OwnerKey] {
			t.Errorf("%s is of the principal %s and the owner %s, which another one has, or nobody", mine.Name, mine.Principal, mine.OwnerKey)
		}
		delete(left, mine.Principal)
		owners[mine.OwnerKey] = true
	}
	if len(left) != 0 {
		t.Errorf("nobody became %v", left)
	}
}

// A source is ended at the worst moment: a registration by the token of a source that it registered has passed all checks and is about to
// be stored, and that source itself is not marked yet.
func TestAnEndMeetsARegistration(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	direct, between := openAccounts(t, client), enginetest.NewProxy(t)
	a := openAccounts(t, indextest.Open(t, client.Prefix, between.URL))
	mustRegister(t, a, "Meets parent", "x")
	parent := bearerOf(t, a, "Meets parent")
	mustRegister(t, a, "Meets thief", "x", func(e *lore.Enrolment) { e.Joins = parent })
	thief := bearerOf(t, a, "Meets thief")
	mustRegister(t, a, "Meets child", "x", func(e *lore.Enrolment) { e.Joins = thief })
	child := bearerOf(t, a, "Meets child")
	ended := stored(t, direct, "Meets thief")
	between.Set(func(r *http.Request) int {
		if r.URL.Query().Get("op_type") == "create" {
			if _, err := direct.end(context.Background(), ended, parent.SourceID, time.Now()); err != nil {
				t.Error(err)
			}
		}
		return 0
	}, nil)
	with := enrolment("Meets late", "x")
	with.Joins = child
	if _, err := a.Register(t.Context(), indextest.Clean(t, registration("Meets late", "x")), with); lore.CodeOf(err) != lore.CodeInvalidToken {
		t.Errorf("a registration that was under way: %v, want invalid_token", err)
	}
	between.Set(nil, nil)
	if _, err := identify(t, a, "Meets late"); lore.CodeOf(err) != lore.CodeInvalidToken {
		t.Errorf("its token: %v, want invalid_token", err)
	}
	mustRegister(t, a, "Meets late", "x")
}
