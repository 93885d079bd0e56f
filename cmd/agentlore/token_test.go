package main

import (
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
)

func TestOperatorsIssueAndRevokeTokens(t *testing.T) {
	t.Parallel()
	first, second := sharedServices(t)
	me := first.register(t, "token-"+enginetest.NewPrefix())
	flags := append(storeFlags(t, first.prefix), me.name)
	accepted := func(s *service, token, text string) bool {
		return s.send(t, "POST", "/intake/submit", observation(text), "Authorization", "Bearer "+token).status == 201
	}
	// Within a second on a machine that isn't busy; ten tell it from the minute that a look-up may be kept in Redis.
	refused := func(token, what string) {
		for _, s := range []*service{first, second} {
			enginetest.Within(t, 10*time.Second, what, func() bool { return !accepted(s, token, what+time.Now().String()) })
		}
	}
	for _, s := range []*service{first, second} { // both replicas have seen the token, and keep it
		if !accepted(s, me.token, "Seen by "+s.base) {
			t.Fatal("the token isn't accepted to begin with")
		}
	}

	status, stdout, stderr := run(t, append([]string{"token", "issue", "--why=a test"}, flags...)...)
	issued := strings.TrimSpace(stdout)
	if status != 0 || !strings.HasPrefix(issued, "agl-") {
		t.Fatalf("issue: status %d, %s", status, stderr)
	}
	for _, s := range []*service{first, second} {
		if !accepted(s, issued, "New token at "+s.base) {
			t.Error("the new token isn't accepted at once")
		}
	}
	refused(me.token, "the old token is refused")

	if status, _, stderr := run(t, append([]string{"token", "revoke", "--why=a test"}, flags...)...); status != 0 {
		t.Fatalf("revoke: status %d, %s", status, stderr)
	}
	refused(issued, "the revoked token is refused")
	source := decode[map[string]any](t, first.get(t, "/sources/"+me.id).want(t, 200))
	if source["revoked_at"] == nil {
		t.Error("the public source doesn't say that it is revoked")
	}
	if got := first.send(t, "POST", "/intake/register", map[string]any{"name": me.name, "type": "agent", "owner": "x"}); got.status != 409 {
		t.Errorf("the name of a revoked source: status %d, want 409", got.status)
	}

	flags[len(flags)-1] = "nobody-has-this-name"
	if status, _, stderr := run(t, append([]string{"token", "revoke", "--why=a test"}, flags...)...); status != 1 || !strings.Contains(stderr, "no source of this name") {
		t.Errorf("an unknown name: status %d, %q", status, stderr)
	}
}

// The runbook for a stolen token: the thief's sources of the same principal are found and banned, and once the owner has a new token the
// thief's old ones are refused and its webhook is gone.
func TestAStolenTokenIsMadeUseless(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	owner := s.register(t, "stolen-from")
	lever(t, s.prefix, "vouch", owner.id, "--why=known")
	curateOnce(t, s.prefix)
	second := decode[registered](t, s.send(t, "POST", "/intake/register", map[string]any{"name": "by-the-thief", "type": "agent", "owner": "x"}, owner.bearer()...).want(t, 201))
	s.send(t, "PUT", "/intake/webhook", map[string]any{"url": "https://thief.example/"}, owner.bearer()...).want(t, 200)
	rotated := s.rotate(t, owner.token)

	lever(t, s.prefix, "token", "revoke", owner.name, "--since="+time.Now().Add(-time.Hour).UTC().Format(time.RFC3339), "--why=stolen")
	listed := lever(t, s.prefix, "vouch", owner.id, "--dry-run", "--why=stolen")
	if !strings.Contains(listed, "it has 2 sources") || !strings.Contains(listed, owner.id) || !strings.Contains(listed, second.ID) {
		t.Errorf("the principal's sources are\n%s", listed)
	}
	lever(t, s.prefix, "ban", second.ID, "--why=stolen")
	fresh := strings.TrimSpace(lever(t, s.prefix, "token", "issue", owner.name, "--why=stolen"))
	for _, old := range []string{owner.token, rotated.APIToken} {
		enginetest.Within(t, 10*time.Second, "the thief's token is refused", func() bool { return !s.accepts(t, old) })
	}
	enginetest.Within(t, 10*time.Second, "the thief's source is refused", func() bool {
		return s.get(t, "/intake/mine", "Authorization", "Bearer "+second.APIToken).status >= 401
	})
	bearer := []string{"Authorization", "Bearer " + fresh}
	if got := string(s.get(t, "/intake/webhook", bearer...).want(t, 200).body); strings.Contains(got, "thief.example") {
		t.Errorf("the webhook is %s", got)
	}
}
