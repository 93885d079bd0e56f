package accounts

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"agentlore/enginetest"
	"agentlore/index"
	"agentlore/index/indextest"
	"agentlore/lore"
)

// A registration that fails at any of its steps leaves the name free, so that its agent can try again at once.
func TestFailedRegistrationIsTakenBack(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	between := enginetest.NewProxy(t)
	a := openAccounts(t, indextest.Open(t, client.Prefix, between.URL))
	sources := index.NewCollection[lore.Source](client, lore.Sources, "source")
	for step, matches := range map[string]func(*http.Request) bool{
		"source": func(r *http.Request) bool { return strings.Contains(r.URL.Path, "-sources/") && r.Method == "PUT" },
		"account": func(r *http.Request) bool {
			return strings.Contains(r.URL.Path, "-accounts/") && r.URL.Query().Get("op_type") == "create"
		},
	} {
		name := "Fails At " + step
		between.Set(func(r *http.Request) int {
			if matches(r) {
				return http.StatusServiceUnavailable
			}
			return 0
		}, nil)
		if _, err := register(t, a, name, "x"); lore.CodeOf(err) != lore.CodeStoreUnavailable {
			t.Errorf("%s fails: %v, want store_unavailable", step, err)
		}
		between.Set(nil, nil)
		if _, err := identify(t, a, name); lore.CodeOf(err) != lore.CodeInvalidToken {
			t.Errorf("%s failed, and the token works: %v", step, err)
		}
		source, err := register(t, a, name, "x")
		if err != nil {
			t.Errorf("%s failed before, and the name is not free: %v", step, err)
		}
		indextest.Refresh(t, client, lore.Sources)
		if found, err := sources.List(t.Context(), lore.ListQuery{Limit: 100}); err != nil || count(found.Results, name) != 1 {
			t.Errorf("%s failed before: %d sources of that name, %v; want %s alone", step, count(found.Results, name), err, source.ID)
		}
	}
}

// count returns how many of the sources have a name.
func count(sources []lore.Source, name string) (found int) {
	for _, source := range sources {
		if source.Name == name {
			found++
		}
	}
	return found
}

// The answer to a step is lost after Elasticsearch carried it out: the driver sends it again, and a conflict with
// ourselves is success.
func TestRegistrationSurvivesLostAnswers(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	between := enginetest.NewProxy(t)
	a := openAccounts(t, indextest.Open(t, client.Prefix, between.URL))
	for step, matches := range map[string]func(*http.Request) bool{
		"claim":  func(r *http.Request) bool { return r.URL.Query().Get("op_type") == "create" },
		"source": func(r *http.Request) bool { return strings.Contains(r.URL.Path, "-sources/") },
	} {
		between.Set(nil, enginetest.Once(http.StatusBadGateway, func(r *http.Request) bool { return r.Method == "PUT" && matches(r) }))
		name := "Lost " + step
		source, err := register(t, a, name, "x")
		between.Set(nil, nil)
		if err != nil {
			t.Errorf("the answer to %s was lost: %v, want success", step, err)
			continue
		}
		if identity, err := identify(t, a, name); err != nil || identity.SourceID != source.ID {
			t.Errorf("the answer to %s was lost, and the token bears %+v, %v", step, identity, err)
		}
	}
}

// Elasticsearch carries out the last step and is out of reach before it answers: the agent has no token. The name is free again before the
// agent is to try again.
func TestANameWhoseAnswerWasLostIsFree(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	between := enginetest.NewProxy(t)
	a := openAccounts(t, indextest.Open(t, client.Prefix, between.URL))
	gone := false
	between.Set(
		func(*http.Request) int {
			if gone {
				return http.StatusServiceUnavailable
			}
			return 0
		},
		func(r *http.Request) int {
			if gone = strings.Contains(r.URL.Path, "-accounts/") && r.URL.Query().Get("op_type") == "create"; gone {
				return http.StatusServiceUnavailable
			}
			return 0
		},
	)
	with := enrolment("Answer Lost", "x")
	with.TokenHash = tokenHashOf("Answer Lost before")
	if _, err := a.Register(t.Context(), indextest.Clean(t, registration("Answer Lost", "x")), with); lore.CodeOf(err) != lore.CodeStoreUnavailable {
		t.Fatalf("the store is gone: %v, want store_unavailable", err)
	}
	between.Set(nil, nil)
	enginetest.Eventually(t, "the name is free again", func() bool {
		_, err := register(t, a, "Answer Lost", "x")
		return err == nil
	})
	if _, err := identify(t, a, "Answer Lost"); err != nil {
		t.Errorf("the next try's token: %v", err)
	}
}

// Of many that register one name at once exactly one gets it.
func TestOneOfManyGetsTheName(t *testing.T) {
	t.Parallel()
	a := openAccounts(t, sharedClient(t))
	const many = 24
	errs := make([]error, many)
	var group sync.WaitGroup
	for i := range many {
		with := enrolment("Crowd", "x")
		with.TokenHash = tokenHashOf(fmt.Sprint("Crowd ", i))
		said := indextest.Clean(t, registration("Crowd", "x"))
		group.Go(func() { _, errs[i] = a.Register(context.Background(), said, with) })
	}
	group.Wait()
	got := -1
	for i, err := range errs {
		switch {
		case err == nil && got >= 0:
			t.Errorf("both %d and %d got the name", got, i)
		case err == nil:
			got = i
		case lore.CodeOf(err) != lore.CodeNameTaken:
			t.Errorf("%d: %v, want name_taken", i, err)
		}
	}
	if got < 0 {
		t.Fatal("nobody got the name")
	}
	for i := range many {
		_, err := a.Identify(t.Context(), lore.AccountKey("Crowd"), tokenHashOf(fmt.Sprint("Crowd ", i)))
		if (err == nil) != (i == got) {
			t.Errorf("the token of %d: %v, and %d has the name", i, err, got)
		}
	}
}
