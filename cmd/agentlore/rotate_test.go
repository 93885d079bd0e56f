package main

import (
	"fmt"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
	"agentlore/tokens"
)

// rotated is the answer to a rotation.
type rotated struct {
	APIToken      string    `json:"api_token"`
	OldTokenUntil time.Time `json:"old_token_until"`
}

// rotate asks for a new token.
func (s *service) rotate(t *testing.T, token string) rotated {
	t.Helper()
	got := s.send(t, "POST", "/intake/token/rotate", nil, "Authorization", "Bearer "+token).want(t, 201)
	if got.header.Get("Cache-Control") != "no-store" {
		t.Error("an answer with a token may be kept by a cache")
	}
	return decode[rotated](t, got)
}

// accepts submits something by a token and returns the status. It needs no body that is stored: a token is looked at first.
func (s *service) accepts(t *testing.T, token string) bool {
	t.Helper()
	switch got := s.send(t, "POST", "/intake/submit", `{}`, "Authorization", "Bearer "+token); got.status {
	case 422:
		return true
	case 401:
		wantProblem(t, got, 401, "invalid_token")
		return false
	default:
		t.Fatalf("status %d: %.300s", got.status, got.body)
		return false
	}
}

func TestTokenRotation(t *testing.T) {
	t.Parallel()
	first, second := sharedServices(t)
	both := []*service{first, second}
	me := first.register(t, "rotates-"+enginetest.NewPrefix())
	wantAccepted := func(token, what string) {
		t.Helper()
		for _, s := range both {
			if !s.accepts(t, token) {
				t.Errorf("%s is refused", what)
			}
		}
	}
	// Both replicas and Redis know the old token by now; the design's second is stretched for a machine that is busy, and far
	// from the minute that a copy may live in Redis.
	refusedEverywhere := func(token, what string) {
		t.Helper()
		for _, s := range both {
			enginetest.Within(t, 10*time.Second, what+" is refused", func() bool { return !s.accepts(t, token) })
		}
	}
	wantAccepted(me.token, "the first token")

	// An answer that is lost locks nobody out: the old token works on, and asks again.
	lost := first.rotate(t, me.token)
	if left := time.Until(lost.OldTokenUntil); left > tokens.RotationGrace || left < tokens.RotationGrace-time.Minute {
		t.Errorf("the old token ends in %s, want %s", left, tokens.RotationGrace)
	}
	wantAccepted(me.token, "the old token before the new one's first use")
	fresh := second.rotate(t, me.token)
	if first.accepts(t, lost.APIToken) {
		t.Error("a token that another rotation took back is accepted")
	}
	wantAccepted(me.token, "the old token after a second rotation")

	// The new one's first use, at either replica, stops the old one at both.
	if !first.accepts(t, fresh.APIToken) {
		t.Fatal("the new token is refused")
	}
	began := time.Now()
	refusedEverywhere(me.token, "the old token")
	t.Logf("the old token was refused everywhere within %s", time.Since(began).Round(time.Millisecond))
	wantProblem(t, second.send(t, "POST", "/intake/token/rotate", nil, "Authorization", "Bearer "+me.token), 401, "invalid_token")
	wantAccepted(fresh.APIToken, "the new token after the old one's end")
	if id := decode[submitted](t, second.send(t, "POST", "/intake/submit", observation("rotation: still me"), "Authorization", "Bearer "+fresh.APIToken).want(t, 201)).ID; first.get(t, "/submissions/"+id).status != 200 {
		t.Error("nothing is stored by the new token")
	}

	// A revocation in the middle of a rotation ends both tokens.
	next := first.rotate(t, fresh.APIToken)
	flags := append(storeFlags(t, first.prefix), me.name)
	if status, _, stderr := run(t, append([]string{"token", "revoke", "--why=a test"}, flags...)...); status != 0 {
		t.Fatalf("revoke: status %d, %s", status, stderr)
	}
	refusedEverywhere(fresh.APIToken, "the old token of a revoked agent")
	refusedEverywhere(next.APIToken, "the new token of a revoked agent")
}

// A new token that nobody uses doesn't keep the old one alive. The clock is moved by hand, in the store; without Redis no
// copy is older than a second.
func TestReplacedTokenEndsByItself(t *testing.T) {
	t.Parallel()
	s := serve(t, sharedService(t).prefix, "--redis-url=")
	me := s.register(t, "never-uses-the-new-one-"+enginetest.NewPrefix())
	fresh := s.rotate(t, me.token)
	path := fmt.Sprintf("/%s-accounts/_update/%s", s.prefix, lore.AccountKey(me.name))
	body := fmt.Sprintf(`{"script":{"source":"ctx._source.tokens[0].expires_at = params.at","params":{"at":%q}}}`, time.Now().Add(-time.Second).UTC().Format(time.RFC3339))
	if status, answer := enginetest.Elasticsearch(t, "POST", path, body); status != 200 {
		t.Fatalf("change a token: %d %s", status, answer)
	}
	enginetest.Within(t, 10*time.Second, "the old token is refused", func() bool { return !s.accepts(t, me.token) })
	if !s.accepts(t, fresh.APIToken) {
		t.Error("the new token is refused")
	}
}

// Many rotations at the same moment leave exactly one new token that works, and who uses it is not locked out.
func TestRotationsAtTheSameMoment(t *testing.T) {
	t.Parallel()
	first, second := sharedServices(t)
	both := []*service{first, second}
	me := first.register(t, "rotates-at-once-"+enginetest.NewPrefix())
	answers := make([]answer, 8)
	inParallel(len(answers), len(answers), func(i int) {
		got, err := both[i%2].try(t.Context(), "POST", "/intake/token/rotate", nil, me.bearer()...)
		if err != nil {
			t.Error(err)
		}
		answers[i] = got
	})
	working := 0
	for _, got := range answers {
		switch got.status {
		case 201:
			if first.accepts(t, decode[rotated](t, got).APIToken) {
				working++
			}
		case 503:
			wantProblem(t, got, 503, "store_unavailable")
		default:
			t.Errorf("status %d: %.300s", got.status, got.body)
		}
	}
	if working != 1 {
		t.Errorf("%d of the new tokens work, want the last one alone", working)
	}
}
