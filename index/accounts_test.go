package index

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
)

func asProblem(err error) (*lore.Problem, bool) {
	var problem *lore.Problem
	return problem, errors.As(err, &problem)
}

func openAccounts(t *testing.T, client *Client) *Accounts {
	t.Helper()
	accounts, err := OpenAccounts(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	return accounts
}

// hashOf makes something of the form of a token's hash.
func tokenHashOf(name string) string { return fmt.Sprintf("%064x", name) }

func registration(name, owner string) lore.Registration {
	return lore.Registration{Name: name, Type: lore.SourceAgent, Owner: owner, Ecosystem: []string{"Ethereum"}, Description: "tests"}
}

func register(t *testing.T, a *Accounts, name, owner string) (lore.Source, error) {
	t.Helper()
	return a.Register(t.Context(), clean(t, registration(name, owner)), a.OwnerKey(owner), tokenHashOf(name), time.Now())
}

func TestRegistration(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	a := openAccounts(t, client)
	mail := func(who string) string { return who + "@" + "mail.example" }
	source, err := register(t, a, "Reg One", mail("one"))
	if err != nil {
		t.Fatal(err)
	}
	// The token works at once, whatever the refresh interval; the owner's key comes with it.
	identity, err := a.IdentityByToken(t.Context(), strings.ToUpper(tokenHashOf("Reg One")))
	if err != nil || identity.SourceID != source.ID || identity.OwnerKey != a.OwnerKey(mail("one")) {
		t.Errorf("identity is %+v, %v", identity, err)
	}
	if _, err := a.IdentityByToken(t.Context(), tokenHashOf("nobody")); code(err) != lore.CodeInvalidToken {
		t.Errorf("an unknown token: %v", err)
	}
	for _, taken := range []string{"Reg One", "reg one", " REG ONE ", "Ｒeg Ｏne"} {
		if _, err := register(t, a, taken, "x"); code(err) != lore.CodeNameTaken {
			t.Errorf("%q is taken already: %v", taken, err)
		}
	}
	held, live, err := a.SourceByName(t.Context(), "REG one")
	if err != nil || held != identity || !live {
		t.Errorf("by its name it is %+v, live %v, %v", held, live, err)
	}
	if _, _, err := a.SourceByName(t.Context(), "nobody"); code(err) != lore.CodeNotFound {
		t.Errorf("a name that nobody has: %v", err)
	}

	// Two owners who gave addresses are stored alike and stay two.
	other, err := register(t, a, "Reg Two", mail("two"))
	if err != nil {
		t.Fatal(err)
	}
	second, _, err := a.SourceByName(t.Context(), "Reg Two")
	if err != nil || second.OwnerKey == identity.OwnerKey {
		t.Errorf("two owners have one key: %v", err)
	}
	if a.OwnerKey(" ALICE ") != a.OwnerKey("alice") || len(a.OwnerKey("alice")) < 32 {
		t.Error("an owner's key depends on how the name is written, or is short")
	}

	// What is public knows neither owner nor token, and what is private holds no address.
	for _, public := range []string{source.ID, other.ID} {
		text := enginetest.Source(t, client.aliasOf(lore.Sources), public)
		for _, private := range []string{"owner", "token", "mail.example", identity.OwnerKey} {
			if strings.Contains(text, private) {
				t.Errorf("the public entry holds %q: %s", private, text)
			}
		}
	}
	if text := enginetest.Source(t, client.alias(accounts), nameDocument("Reg One")); strings.Contains(text, "mail.example") || !strings.Contains(text, "[SCRUBBED]") {
		t.Errorf("the account holds the owner's address: %s", text)
	}

	// An importer's source has no token: nobody is live behind it.
	if _, err := a.Register(t.Context(), clean(t, registration("Reg Import", "x")), "key", "", time.Now()); err != nil {
		t.Fatal(err)
	}
	if _, live, err := a.SourceByName(t.Context(), "reg import"); err != nil || live {
		t.Errorf("a source without a token is live: %v, %v", live, err)
	}
}

// Several processes start at once on an empty store: they must end with one owner key, or one owner would count twice.
func TestOwnerKeyIsMadeOnce(t *testing.T) {
	t.Parallel()
	client := ownClient(t)
	migrate(t, client)
	var mu sync.Mutex
	keys := map[string]bool{}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			a, err := OpenAccounts(context.Background(), client)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			keys[a.OwnerKey("alice")] = true
		})
	}
	group.Wait()
	if len(keys) != 1 {
		t.Errorf("eight starts made %d owner keys", len(keys))
	}
}

// A registration that fails at any of its steps leaves the name free, so that its agent can try again at once.
func TestFailedRegistrationIsTakenBack(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	between := newFaults(t)
	faulty := openClient(t, client.prefix, between.url)
	a := openAccounts(t, faulty)
	for step, matches := range map[string]func(*http.Request) bool{
		"source": func(r *http.Request) bool { return strings.Contains(r.URL.Path, "-sources/") && r.Method == "PUT" },
		"token":  func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/_bulk") },
	} {
		name := "Fails At " + step
		failing := func(r *http.Request) int {
			if matches(r) {
				return http.StatusServiceUnavailable
			}
			return 0
		}
		between.set(failing, nil)
		if _, err := register(t, a, name, "x"); code(err) != lore.CodeStoreUnavailable {
			t.Errorf("%s fails: %v, want store_unavailable", step, err)
		}
		between.set(nil, nil)
		if _, err := a.IdentityByToken(t.Context(), tokenHashOf(name)); code(err) != lore.CodeInvalidToken {
			t.Errorf("%s failed, and the token works: %v", step, err)
		}
		if _, err := register(t, a, name, "x"); err != nil {
			t.Errorf("%s failed before, and the name is not free: %v", step, err)
		}
	}
}

// The answer to a step is lost after Elasticsearch carried it out: the driver sends it again, and a conflict with
// ourselves is success.
func TestRegistrationSurvivesLostAnswers(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	between := newFaults(t)
	a := openAccounts(t, openClient(t, client.prefix, between.url))
	for step, part := range map[string]string{"name": "-accounts/_doc/name", "source": "-sources/", "token": "/_bulk"} {
		between.set(nil, once(http.StatusBadGateway, func(r *http.Request) bool { return strings.Contains(r.URL.Path, part) && r.Method != "GET" }))
		name := "Lost " + step
		source, err := register(t, a, name, "x")
		between.set(nil, nil)
		if err != nil {
			t.Errorf("the answer to %s was lost: %v, want success", step, err)
			continue
		}
		if identity, err := a.IdentityByToken(t.Context(), tokenHashOf(name)); err != nil || identity.SourceID != source.ID {
			t.Errorf("the answer to %s was lost, and the token bears %+v, %v", step, identity, err)
		}
	}
}
