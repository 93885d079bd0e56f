package main

import (
	"fmt"
	"strings"
	"testing"

	"agentlore/enginetest"
)

// What a query finds is withdrawn as the preview said, and nothing else; each item has its own record.
func TestWithdrawByQuery(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	mine, other := s.register(t, "spammer"), s.register(t, "bystander")
	tagged := func(a agent, i int, tag, ecosystem string) string {
		return s.submit(t, a, map[string]any{"summary": fmt.Sprintf("Airdrop number %d of the season", i), "category": "market", "tags": []string{tag}, "ecosystem": ecosystem}).ID
	}
	var ids []string
	for i := range 25 {
		ids = append(ids, tagged(mine, i, "airdrop", "base"))
	}
	kept := []string{tagged(other, 30, "airdrop", "base"), tagged(mine, 31, "guide", "base"), tagged(mine, 32, "airdrop", "solana")}
	query := []string{"withdraw", "--source=spammer", "--tag=Airdrop", "--ecosystem=base", "--category=market", "--text=airdrop season", "--who=dana", "--why=spam"}
	preview := lever(t, s.prefix, append(query, "--dry-run")...)
	if !strings.HasPrefix(preview, "would withdraw: submissions 25\n") || strings.Count(preview, "\n") != 21 || !strings.Contains(preview, "of the season") {
		t.Errorf("the preview is\n%s", preview)
	}
	wantUntouched(t, s.prefix, query)
	for _, refused := range [][]string{query, append(query, "--expect=24"), {"withdraw", "--why=x", "--yes"}, append(query[:len(query)-1:len(query)-1], "--yes")} {
		if status, _, stderr := pull(t, s.prefix, refused...); status == 0 || stderr == "" {
			t.Errorf("%v is done", refused)
		}
	}
	o := operator{t, s.prefix}
	if got := o.decided(ids[0]); len(got) != 0 {
		t.Fatalf("decided already: %v", got)
	}
	// As a run leaves it that was killed.
	lever(t, s.prefix, "review", "withdraw", ids[7], "--who=dana", "--why=looked at it")
	if preview := lever(t, s.prefix, append(query, "--dry-run")...); !strings.HasPrefix(preview, "would withdraw: submissions 24\n") {
		t.Errorf("after one the preview is\n%s", preview)
	}
	query[len(query)-1] = "--why=looked at it"
	if printed := lever(t, s.prefix, append(query, "--expect=24")...); printed != "withdrawn: submissions 24\n" {
		t.Errorf("it says %q", printed)
	}
	for _, id := range ids {
		if shown := decode[map[string]any](t, s.get(t, "/submissions/"+id).want(t, 200)); shown["status"] != "withdrawn" {
			t.Errorf("%s is %v", id, shown["status"])
		}
		if got := o.decided(id); fmt.Sprint(got) != "[withdraw]" {
			t.Errorf("decisions on %s: %v", id, got)
		}
	}
	for _, id := range kept {
		if shown := decode[map[string]any](t, s.get(t, "/submissions/"+id).want(t, 200)); shown["status"] != nil {
			t.Errorf("%s of others is %v", id, shown["status"])
		}
	}
	if printed := lever(t, s.prefix, append(query, "--yes")...); printed != "withdrawn: submissions 0\n" {
		t.Errorf("again it says %q", printed)
	}
	lever(t, s.prefix, "withdraw", "--since=2026-01-01T00:00:00Z", "--source="+other.id, "--yes", "--why=x")
	if shown := decode[map[string]any](t, s.get(t, "/submissions/"+kept[0])); shown["status"] != "withdrawn" {
		t.Errorf("by id of its source it is %v", shown["status"])
	}
}

// Every lever has a reason, a dry run that touches nothing, and a record that can be read back.
func TestLeversAreTriedFirstAndRecorded(t *testing.T) {
	t.Parallel()
	s := tell(t)
	item := s.items[1].ID
	secret := "Winterbourne " + strings.Repeat("q", 9)
	leaking := s.submit(t, s.agents[0], map[string]any{"summary": "The vault's keeper is " + secret, "category": "insight"}).ID
	texts := writeFile(t, "texts", []byte(secret+"\n"))
	suggestion := s.ids(t, "/suggestions")[0]
	levers := map[string][]string{ // by the verdict that is recorded
		"vouch": {"vouch", s.agents[0].id}, "unvouch": {"unvouch", s.agents[0].id}, "approve": {"review", "approve", item},
		"withdraw": {"review", "withdraw", item}, "restore": {"review", "restore", item}, "reject": {"review", "reject", suggestion}, "accept": {"review", "accept", suggestion},
		"confirm": {"review", "confirm", s.flag}, "dismiss": {"review", "dismiss", s.flag}, "split": {"review", "split", item},
		"merge": {"review", "merge", leaking, "--into=" + item}, "redact": {"redact", leaking, "--texts=" + texts}, "rescrub": {"rescrub", "--texts=" + texts},
		"issue": {"token", "issue", "agent 2"}, "revoke": {"token", "revoke", "agent 2"}, "erase": {"erase", item},
	}
	var dry [][]string
	for verdict, command := range levers {
		if status, _, stderr := pull(t, s.prefix, command...); status == 0 || !strings.Contains(stderr, "why") {
			t.Errorf("%s without a reason: status %d: %s", verdict, status, stderr)
		}
		dry = append(dry, append(command, "--who=dana", "--why=try it"))
	}
	wantUntouched(t, s.prefix, dry...)
	if status, _, stderr := pull(t, s.prefix, "redact", leaking, "--texts="+texts, "--why=it names "+secret); status == 0 || strings.Contains(stderr, secret) {
		t.Errorf("a reason that repeats the secret: status %d: %s", status, stderr)
	}
	for _, verdict := range []string{"redact", "issue", "revoke", "rescrub", "withdraw", "erase"} {
		lever(t, s.prefix, append(levers[verdict], "--who=dana", "--why=because of "+verdict)...)
		listed := lever(t, s.prefix, "decisions", "--verdict="+verdict, "--since=2026-01-01T00:00:00Z")
		if !strings.Contains(listed, verdict) || !strings.Contains(listed, "dana: because of "+verdict) {
			t.Errorf("the record of %s is %q", verdict, listed)
		}
	}
	if listed := lever(t, s.prefix, "decisions", "--verdict=rescrub"); !strings.Contains(listed, " items looked at, 0 redacted, ") {
		t.Errorf("the record of a rescrub has no counts: %q", listed)
	}
	if listed := lever(t, s.prefix, "decisions", "--subject="+s.agents[2].id, "--json"); strings.Count(listed, "\n") != 2 || !strings.Contains(listed, `"decision":"issue"`) {
		t.Errorf("decisions on a source: %s", listed)
	}
	if status, _, _ := pull(t, s.prefix, "decisions", "--verdict=nonsense"); status == 0 {
		t.Error("a verdict that there isn't")
	}
	wantNowhere(t, s.prefix, secret)
	if strings.Contains(enginetest.Everything(t, s.prefix), secret) {
		t.Error("a record holds the secret")
	}
}
