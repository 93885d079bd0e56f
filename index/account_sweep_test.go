package index

import (
	"errors"
	"sync"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
)

// half leaves a registration as a crash after some of its steps would: 1 the name, 2 and the source, 3 and the token.
func half(t *testing.T, a *Accounts, name string, steps int, age time.Duration) account {
	t.Helper()
	claim := account{
		Kind: kindName, SourceID: lore.NewID(), Owner: "x", OwnerKey: "key", TokenHash: tokenHashOf(name), Pending: true,
		CreatedAt: time.Now().Add(-age).UTC(),
	}
	if _, err := a.create(t.Context(), nameDocument(name), claim); err != nil {
		t.Fatal(err)
	}
	if steps >= 2 {
		source := lore.Source{ID: claim.SourceID, Name: name, Type: lore.SourceAgent, Ecosystem: []string{}, CreatedAt: claim.CreatedAt}
		if err := a.client.createDocument(t.Context(), a.client.aliasOf(lore.Sources), source.ID, source); err != nil {
			t.Fatal(err)
		}
	}
	if steps >= 3 {
		token := account{Kind: kindToken, SourceID: claim.SourceID, OwnerKey: "key", CreatedAt: claim.CreatedAt}
		if _, err := a.create(t.Context(), tokenDocument(claim.TokenHash), token); err != nil {
			t.Fatal(err)
		}
	}
	return claim
}

// Whatever step a registration died at, the sweep settles it: the name is free again, or, where its agent may have the
// token, all is complete. What is young, or done, it leaves alone.
func TestSweepSettlesHalfDoneRegistrations(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	a := openAccounts(t, client)
	old := sweepAge + time.Minute
	onlyName := half(t, a, "Half 1", 1, old)
	withSource := half(t, a, "Half 2", 2, old)
	withToken := half(t, a, "Half 3", 3, old)
	young := half(t, a, "Half Young", 2, sweepAge/2)
	done, err := register(t, a, "Half Not", "x")
	if err != nil {
		t.Fatal(err)
	}
	refresh(t, client, accounts)

	var group sync.WaitGroup
	for range 3 { // every service sweeps
		group.Go(func() {
			if _, err := a.Sweep(t.Context(), time.Now()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()

	for name, claim := range map[string]account{"Half 1": onlyName, "Half 2": withSource} {
		if _, err := a.sources.Get(t.Context(), claim.SourceID); code(err) != lore.CodeNotFound {
			t.Errorf("%s: its source is still there: %v", name, err)
		}
		if _, err := register(t, a, name, "x"); err != nil {
			t.Errorf("%s: the name isn't free again: %v", name, err)
		}
	}
	stored, err := a.get(t.Context(), nameDocument("Half 3"))
	if err != nil || stored.Source.Pending {
		t.Errorf("a registration whose token was stored isn't complete: %+v, %v", stored.Source, err)
	}
	if identity, err := a.IdentityByToken(t.Context(), withToken.TokenHash); err != nil || identity.SourceID != withToken.SourceID {
		t.Errorf("its token bears %+v, %v", identity, err)
	}
	if _, err := a.sources.Get(t.Context(), withToken.SourceID); err != nil {
		t.Errorf("its source is gone: %v", err)
	}
	if stored, err := a.get(t.Context(), nameDocument("Half Young")); err != nil || !stored.Source.Pending {
		t.Errorf("a registration under way was touched: %+v, %v", stored.Source, err)
	}
	if _, err := a.sources.Get(t.Context(), young.SourceID); err != nil {
		t.Errorf("its source was touched: %v", err)
	}
	if identity, err := a.IdentityByToken(t.Context(), tokenHashOf("Half Not")); err != nil || identity.SourceID != done.ID {
		t.Errorf("a whole registration was touched: %+v, %v", identity, err)
	}
}

// An import that was killed while it registered a source, and is run again: the half must be no source of anything, since the
// sweep will remove it.
func TestHalfDoneSourceIsNotUsed(t *testing.T) {
	t.Parallel()
	a := openAccounts(t, sharedClient(t))
	half(t, a, "Half By Name", 2, 2*abandonedAge)
	if identity, _, err := a.SourceByName(t.Context(), "half by name"); code(err) != lore.CodeNotFound {
		t.Errorf("an abandoned half is %+v, %v; want it removed", identity, err)
	}
	if _, err := register(t, a, "Half By Name", "x"); err != nil {
		t.Errorf("its name isn't free: %v", err)
	}
	whole := half(t, a, "Whole By Name", 3, 2*abandonedAge)
	if identity, live, err := a.SourceByName(t.Context(), "whole by name"); err != nil || !live || identity.SourceID != whole.SourceID {
		t.Errorf("one whose token is there is %+v, live %v, %v; want it completed", identity, live, err)
	}
	half(t, a, "Young By Name", 1, 0)
	if _, _, err := a.SourceByName(t.Context(), "young by name"); code(err) != lore.CodeStoreUnavailable {
		t.Errorf("one under way: %v, want to come back", err)
	}
}

// A sweep that read a name long ago must not remove what was registered under it since.
func TestSweepRemovesOnlyWhatItRead(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	a := openAccounts(t, client)
	half(t, a, "Half Stale", 1, time.Hour)
	read, err := a.get(t.Context(), nameDocument("Half Stale"))
	if err != nil {
		t.Fatal(err)
	}
	if err := a.discard(t.Context(), read); err != nil { // another process was quicker
		t.Fatal(err)
	}
	again, err := register(t, a, "Half Stale", "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := a.discard(t.Context(), read); !errors.Is(err, errConflict) {
		t.Errorf("removing what was read long ago: %v, want a conflict", err)
	}
	if err := a.settle(t.Context(), read); err != nil {
		t.Errorf("a sweep fails because another one was quicker: %v", err)
	}
	held, _, err := a.SourceByName(t.Context(), "Half Stale")
	if err != nil || held.SourceID != again.ID {
		t.Errorf("the new holder of the name is %+v, %v", held, err)
	}
	if errors.Is(err, errNotFound) {
		t.Error("the new registration was removed")
	}
}

// Elasticsearch may carry out a claim after its agent got a 503. The agent's next try gets the name at once; a claim that
// is somebody else's stays.
func TestANameTakenByAnOwnFailedRegistrationIsFree(t *testing.T) {
	t.Parallel()
	a := openAccounts(t, sharedClient(t))
	late := half(t, a, "Half Late", 1, 0)
	half(t, a, "Half Foreign", 1, 0)
	a.lost.add(late.SourceID)
	if _, err := register(t, a, "half LATE", "x"); err != nil {
		t.Errorf("the next try after a failed registration: %v", err)
	}
	// One that another replica began may be under way: whoever asks is told when to come back, and then gets the name.
	a.pending.wait, a.pending.life = 100*time.Millisecond, time.Second
	var problem *lore.Problem
	if _, err := register(t, a, "Half Foreign", "x"); !errors.As(err, &problem) || problem.Code != lore.CodeStoreUnavailable || problem.RetryAfter <= 0 {
		t.Errorf("a registration that is under way elsewhere: %v, want store_unavailable and when to come back", err)
	}
	enginetest.Eventually(t, "the name of a registration that died elsewhere is free", func() bool {
		_, err := register(t, a, "Half Foreign", "x")
		return err == nil
	})
	if _, err := register(t, a, "Half Foreign", "x"); code(err) != lore.CodeNameTaken {
		t.Errorf("a name that is taken: %v, want name_taken", err)
	}
}
