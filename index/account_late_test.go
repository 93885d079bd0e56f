package index

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"agentlore/lore"
)

// Elasticsearch carries out the last step of a registration after another process has taken it for dead, and the name has a
// new holder: the name stays his.
func TestALateRegistrationTakesNoName(t *testing.T) {
	t.Parallel()
	a := openAccounts(t, sharedClient(t))
	dead := half(t, a, "Late Step", 2, 2*abandonedAge)
	read := stored(t, a, "Late Step")
	if err := a.settle(t.Context(), read); err != nil {
		t.Fatal(err)
	}
	holder, err := register(t, a, "Late Step", "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := a.complete(t.Context(), read.ID, dead, read.revision); !errors.Is(err, errConflict) {
		t.Errorf("the late step: %v, want a conflict", err)
	}
	if now := stored(t, a, "Late Step"); now.Source.SourceID != holder.ID {
		t.Errorf("the name's new holder is %+v", now.Source)
	}
	if _, err := a.sources.Get(t.Context(), holder.ID); err != nil {
		t.Errorf("his source: %v", err)
	}
}

// A registration is completed between a look at it and its removal: nothing of it is removed.
func TestACompleteRegistrationIsNotTakenBack(t *testing.T) {
	t.Parallel()
	a := openAccounts(t, sharedClient(t))
	claim := half(t, a, "Just In Time", 3, 0)
	read := stored(t, a, "Just In Time")
	if err := a.complete(t.Context(), read.ID, claim, read.revision); err != nil {
		t.Fatal(err)
	}
	if err := a.discard(t.Context(), read); !errors.Is(err, errConflict) {
		t.Errorf("removing it: %v, want a conflict", err)
	}
	if identity, err := a.IdentityByToken(t.Context(), claim.TokenHash); err != nil || identity.SourceID != claim.SourceID {
		t.Errorf("its token bears %+v, %v", identity, err)
	}
	if _, err := a.sources.Get(t.Context(), claim.SourceID); err != nil {
		t.Errorf("its source: %v", err)
	}
}

// An import was stopped, and the last step of a registration that it gave up was carried out. The next import uses the source: the
// first one must not take it back then, or a third would register it anew and store every report twice.
func TestASourceInUseIsNotTakenBack(t *testing.T) {
	t.Parallel()
	a := openAccounts(t, sharedClient(t))
	holder := ensure(t, a, "In Use")[0]
	if holder.Err != nil {
		t.Fatal(holder.Err)
	}
	a.undo(t.Context(), nameDocument("In Use"), account{SourceID: holder.Identity.SourceID})
	if again := ensure(t, a, "In Use")[0]; again.Identity != holder.Identity || again.Err != nil {
		t.Errorf("the next import is told %+v, want %+v", again, holder)
	}
	if _, err := a.sources.Get(t.Context(), holder.Identity.SourceID); err != nil {
		t.Errorf("its source: %v", err)
	}
}

// Elasticsearch carries out a registration and is out of reach before it answers: its agent has no token. The next try gets the
// name.
func TestANameWhoseAnswerWasLostIsFree(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	between := newFaults(t)
	a := openAccounts(t, openClient(t, client.prefix, between.url))
	gone := false
	between.set(
		func(*http.Request) int {
			if gone {
				return http.StatusServiceUnavailable
			}
			return 0
		},
		func(r *http.Request) int {
			if gone = strings.HasSuffix(r.URL.Path, "/_bulk"); gone {
				return http.StatusServiceUnavailable
			}
			return 0
		},
	)
	if _, err := register(t, a, "Answer Lost", "x"); code(err) != lore.CodeStoreUnavailable {
		t.Fatalf("the store is gone: %v, want store_unavailable", err)
	}
	between.set(nil, nil)
	lost := stored(t, a, "Answer Lost")
	if lost.Source.Pending {
		t.Fatal("the registration was not carried out, so that this test shows nothing")
	}
	source, err := register(t, a, "Answer Lost", "x")
	if err != nil || source.ID == lost.Source.SourceID {
		t.Errorf("the next try: %v, %v; want a registration of its own", source.ID, err)
	}
	if _, err := a.sources.Get(t.Context(), lost.Source.SourceID); code(err) != lore.CodeNotFound {
		t.Errorf("the source that nobody knows of is still there: %v", err)
	}
}

// stored reads a name's document.
func stored(t *testing.T, a *Accounts, name string) storedAccount {
	t.Helper()
	read, err := a.get(t.Context(), nameDocument(name))
	if err != nil {
		t.Fatal(err)
	}
	return read
}
