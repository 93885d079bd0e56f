package accounts

import (
	"net/netip"
	"sync"
	"testing"
	"time"

	"agentlore/index"
	"agentlore/index/indextest"
	"agentlore/lore"
)

// A rotation gives a second token, whose first use ends the first; a lost answer is asked for again with the first.
func TestRotation(t *testing.T) {
	t.Parallel()
	a := openAccounts(t, sharedClient(t))
	mustRegister(t, a, "Rot", "x")
	key, old := lore.AccountKey("Rot"), tokenHashOf("Rot")
	until := time.Now().Add(time.Minute).UTC().Truncate(time.Millisecond)
	rotate := func(from, to string) error { return a.Rotate(t.Context(), key, from, to, until) }
	if err := rotate(old, "lost"); err != nil {
		t.Fatal(err)
	}
	if err := rotate(old, "fresh"); err != nil {
		t.Fatal(err)
	}
	if identity, err := a.Identify(t.Context(), key, old); err != nil || !identity.ExpiresAt.Equal(until) {
		t.Errorf("the old token is %+v, %v; want one that ends", identity, err)
	}
	if _, err := a.Identify(t.Context(), key, "lost"); lore.CodeOf(err) != lore.CodeInvalidToken {
		t.Errorf("the token whose answer was lost: %v", err)
	}
	for range 2 {
		if identity, err := a.Identify(t.Context(), key, "fresh"); err != nil || !identity.ExpiresAt.IsZero() {
			t.Errorf("the new token is %+v, %v", identity, err)
		}
	}
	if _, err := a.Identify(t.Context(), key, old); lore.CodeOf(err) != lore.CodeInvalidToken {
		t.Errorf("after the new token's first use the old one: %v", err)
	}
	if err := rotate(old, "late"); lore.CodeOf(err) != lore.CodeInvalidToken {
		t.Errorf("a rotation by a token that has ended: %v", err)
	}
}

// A rotation that meets a revocation fails, or is revoked with it: no token survives.
func TestRotationMeetsRevocation(t *testing.T) {
	t.Parallel()
	a := openAccounts(t, sharedClient(t))
	for range 5 {
		name := "Rot Revoke " + lore.NewID()
		mustRegister(t, a, name, "x")
		key, old, fresh := lore.AccountKey(name), tokenHashOf(name), tokenHashOf(name+" new")
		done := make(chan error, 1)
		go func() { done <- a.Rotate(t.Context(), key, old, fresh, time.Now().Add(time.Minute)) }()
		if _, err := a.RevokeToken(t.Context(), name, time.Now()); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil && lore.CodeOf(err) != lore.CodeInvalidToken {
			t.Errorf("the rotation: %v", err)
		}
		for _, hash := range []string{old, fresh} {
			if _, err := a.Identify(t.Context(), key, hash); lore.CodeOf(err) != lore.CodeInvalidToken {
				t.Errorf("a token survived the revocation: %v", err)
			}
		}
		source, err := index.NewCollection[lore.Source](a.client, lore.Sources, "source").Get(t.Context(), stored(t, a, name).Source.SourceID)
		if err != nil || source.RevokedAt == nil {
			t.Errorf("the public entry doesn't show the revocation: %+v, %v", source, err)
		}
	}
}

// A token issued by the operator takes the place of those that were there, and the entry is live again.
func TestIssueToken(t *testing.T) {
	t.Parallel()
	a := openAccounts(t, sharedClient(t))
	ensure(t, a, "Issue Import")
	mustRegister(t, a, "Issue Lost", "x")
	for _, name := range []string{"Issue Import", "issue lost"} {
		key := ""
		if _, err := a.IssueToken(t.Context(), name, func(given string) (string, error) { key = given; return "issued", nil }); err != nil {
			t.Fatal(err)
		}
		if identity, err := a.Identify(t.Context(), key, "issued"); err != nil || identity.Account != lore.AccountKey(name) {
			t.Errorf("%s: the new token is %+v, %v", name, identity, err)
		}
		if _, live, err := a.SourceByName(t.Context(), name); err != nil || !live {
			t.Errorf("%s is live: %v, %v", name, live, err)
		}
	}
	if _, err := identify(t, a, "Issue Lost"); lore.CodeOf(err) != lore.CodeInvalidToken {
		t.Errorf("the token from before: %v", err)
	}
	if _, err := a.IssueToken(t.Context(), "nobody at all", nil); lore.CodeOf(err) != lore.CodeNotFound {
		t.Errorf("a name that nobody has: %v", err)
	}
}

// A registration with a token or an invite joins the principal, with what its first source gave; any other makes one of its own.
func TestJoiningAPrincipal(t *testing.T) {
	t.Parallel()
	a := openAccounts(t, sharedClient(t))
	elsewhere := func(e *lore.Enrolment) { e.Client = netip.MustParseAddr("198.51.100.1") }
	first := mustRegister(t, a, "Join First", "alice")
	bearer, err := identify(t, a, "Join First")
	if err != nil {
		t.Fatal(err)
	}
	second := mustRegister(t, a, "Join Second", "bob", elsewhere, func(e *lore.Enrolment) { e.Joins = bearer })
	if second.Source.principal != first.Source.principal || second.Source.SourceID == first.Source.SourceID {
		t.Errorf("who registers with a token is of %+v, want %+v", second.Source.principal, first.Source.principal)
	}
	if typed := mustRegister(t, a, "Join Typed", "alice"); typed.Source.Principal == first.Source.Principal || typed.Source.OwnerKey != first.Source.OwnerKey {
		t.Errorf("who types the owner is of %+v, the owner of %+v", typed.Source.principal, first.Source.principal)
	}

	invite, principal, err := a.Invite(t.Context(), "", 2, time.Now().Add(time.Hour), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	by := func(code string) func(*lore.Enrolment) { return func(e *lore.Enrolment) { e.Invite = code } }
	one := mustRegister(t, a, "Invited One", "carol", by(invite))
	two := mustRegister(t, a, "Invited Two", "dave", elsewhere, by(" "+invite+" "))
	if one.Source.Principal != principal || two.Source.principal != one.Source.principal || one.Source.OwnerKey != a.ownerKey("carol") {
		t.Errorf("invited are %+v and %+v, want both of %s", one.Source.principal, two.Source.principal, principal)
	}
	late, _, err := a.Invite(t.Context(), "", 2, time.Now().Add(-time.Second), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{invite, late, "made-up"} {
		with := enrolment("Invited Not", "x")
		with.Invite = bad
		if _, err := a.Register(t.Context(), indextest.Clean(t, registration("Invited Not", "x")), with); lore.CodeOf(err) != lore.CodeInvalidInvite {
			t.Errorf("an invite that is used up, late or made up: %v", err)
		}
	}
	if _, err := register(t, a, "Invited Not", "x"); err != nil {
		t.Errorf("the name after a refused invite: %v", err)
	}
}

// An invite is good for as many registrations as it says, however many come at once, and a failed one gives its use back.
func TestInviteIsUsedOnce(t *testing.T) {
	t.Parallel()
	a := openAccounts(t, sharedClient(t))
	invite, _, err := a.Invite(t.Context(), "", 3, time.Now().Add(time.Hour), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	let := 0
	var group sync.WaitGroup
	for i := range 8 {
		name := "Invite Race " + string(rune('A'+i))
		with := enrolment(name, name)
		with.Invite = invite
		said := indextest.Clean(t, registration(name, name))
		group.Go(func() {
			_, err := a.Register(t.Context(), said, with)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				let++
			} else if lore.CodeOf(err) != lore.CodeInvalidInvite {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if let != 3 {
		t.Errorf("an invite for three let in %d", let)
	}
}

// A ban holds for the token, for who joins by it, for invites and for the network, and is lifted whole.
func TestBan(t *testing.T) {
	t.Parallel()
	client := indextest.Empty(t) // bans of networks are of the whole store
	indextest.Migrate(t, client)
	a := openAccounts(t, client)
	mustRegister(t, a, "Ban One", "x")
	bearer, err := identify(t, a, "Ban One")
	if err != nil {
		t.Fatal(err)
	}
	mustRegister(t, a, "Ban Two", "x", func(e *lore.Enrolment) { e.Joins = bearer })
	invite, _, err := a.Invite(t.Context(), bearer.Principal, 5, time.Now().Add(time.Hour), time.Now())
	if err == nil {
		err = a.BanPrincipal(t.Context(), bearer.Principal, false, time.Now())
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Ban One", "Ban Two"} {
		if _, err := identify(t, a, name); lore.CodeOf(err) != lore.CodeBanned {
			t.Errorf("%s: %v, want banned", name, err)
		}
	}
	for want, change := range map[lore.Code]func(*lore.Enrolment){
		lore.CodeBanned:        func(e *lore.Enrolment) { e.Joins = bearer },
		lore.CodeInvalidInvite: func(e *lore.Enrolment) { e.Invite = invite },
	} {
		with := enrolment("Ban Three", "x")
		change(&with)
		if _, err := a.Register(t.Context(), indextest.Clean(t, registration("Ban Three", "x")), with); lore.CodeOf(err) != want {
			t.Errorf("a registration that joins who is banned: %v, want %s", err, want)
		}
	}
	if err := a.BanPrincipal(t.Context(), bearer.Principal, true, time.Now()); err != nil {
		t.Fatal(err)
	}
	if _, err := identify(t, a, "Ban Two"); err != nil {
		t.Errorf("after the ban was lifted: %v", err)
	}

	network := netip.MustParsePrefix("192.0.2.0/24")
	sources, err := a.BanNetwork(t.Context(), network, false, true, time.Now())
	if err != nil || len(sources) != 2 {
		t.Errorf("a dry run finds %d sources of the network, %v", len(sources), err)
	}
	if _, err := register(t, a, "Ban Dry", "x"); err != nil {
		t.Errorf("after a dry run: %v", err)
	}
	if _, err := a.BanNetwork(t.Context(), network, false, false, time.Now()); err != nil {
		t.Fatal(err)
	}
	if _, err := register(t, a, "Ban Network", "x"); lore.CodeOf(err) != lore.CodeBanned {
		t.Errorf("a registration from a banned network: %v", err)
	}
	mustRegister(t, a, "Ban Elsewhere", "x", func(e *lore.Enrolment) { e.Client = netip.MustParseAddr("198.51.100.7") })
	if _, err := a.BanNetwork(t.Context(), network, true, false, time.Now()); err != nil {
		t.Fatal(err)
	}
	if _, err := register(t, a, "Ban Network", "x"); err != nil {
		t.Errorf("after the network's ban was lifted: %v", err)
	}
}
