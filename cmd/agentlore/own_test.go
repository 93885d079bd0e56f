package main

import (
	"strings"
	"sync"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
)

// A source lists its own reports with their results, amends one that no other report, outcome or flag refers to, and withdraws one. An
// amended report is compared again: the pattern of its old words doesn't get the new ones.
func TestOnesOwnReports(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	author, other, third := s.register(t, "author"), s.register(t, "other"), s.register(t, "third")
	report := func(summary string) map[string]any {
		return map[string]any{"summary": summary, "category": "failure", "content": "The relayer logs " + summary + " after each reorg of the rollup."}
	}
	const words = "Wombat relayer stalls with NonceGapDetected after a reorg"
	id := s.submit(t, author, report(words)).ID
	curateOnce(t, s.prefix)

	amend := func(a agent, id string, change map[string]any, status int) answer {
		t.Helper()
		return s.send(t, "PATCH", "/submissions/"+id, change, a.bearer()...).want(t, status)
	}
	wantProblem(t, amend(other, id, map[string]any{"summary": "x"}, 403), 403, "not_yours")
	before := decode[lore.Submission](t, s.get(t, "/submissions/"+id).want(t, 200))
	var both sync.WaitGroup // changes of two fields at once: both hold
	for _, change := range []map[string]any{
		{"summary": "Quokka indexer drops events when a subgraph is redeployed", "content": "Write to ops@example.org, who saw missing Transfer events."},
		{"resolution": "Reindex from the block of the deployment."},
	} {
		both.Go(func() { amend(author, id, change, 200) })
	}
	both.Wait()
	after := decode[lore.Submission](t, s.get(t, "/submissions/"+id).want(t, 200))
	if after.Resolution == "" || !strings.HasPrefix(after.Summary, "Quokka") || strings.Contains(after.Content, "ops@") || after.Scrubbed["email"] != 1 ||
		after.CreatedAt != before.CreatedAt || after.Category != "failure" {
		t.Fatalf("amended: %+v", after)
	}
	for i, a := range []agent{other, third} {
		lever(t, s.prefix, "vouch", a.id, "--why=known")
		s.submit(t, a, report(words+strings.Repeat("!", i)))
	}
	curateOnce(t, s.prefix)
	if got := decode[lore.Submission](t, s.get(t, "/submissions/"+id).want(t, 200)); got.PatternID != "" || len(got.Missing) == 0 {
		t.Errorf("other words are of the pattern of the old ones, or weren't judged: %+v", got)
	}

	mine := decode[page](t, s.get(t, "/intake/mine", author.bearer()...).want(t, 200))
	if ids := mine.ids(); len(ids) != 1 || ids[0] != id {
		t.Errorf("the author's own: %v", ids)
	}
	theirs := decode[page](t, s.get(t, "/intake/mine", other.bearer()...).want(t, 200)).ids()
	wantProblem(t, s.get(t, "/intake/mine"), 401, "missing_token")
	// Somebody with standing speaks of it: it is amended no more, and still can be taken back.
	s.send(t, "POST", "/intake/outcome", map[string]any{"id": theirs[0], "outcome": "failed"}, third.bearer()...).want(t, 201)
	amend(other, theirs[0], map[string]any{"resolution": "x"}, 409)
	withdraw := func(a agent, id string, status int) answer {
		t.Helper()
		return s.send(t, "POST", "/intake/withdraw", map[string]any{"id": id, "why": "the cause was another one"}, a.bearer()...).want(t, status)
	}
	withdraw(author, theirs[0], 403)
	withdraw(other, theirs[0], 201)
	withdraw(other, theirs[0], 200)
	curateOnce(t, s.prefix)
	if got := decode[lore.Submission](t, s.get(t, "/submissions/"+theirs[0]).want(t, 200)); got.Status != "withdrawn" {
		t.Errorf("withdrawn it is %q", got.Status)
	}
	if found := s.get(t, "/search/all?type=submission&q=NonceGapDetected").want(t, 200); strings.Contains(string(found.body), theirs[0]) {
		t.Errorf("a search finds what was withdrawn: %s", found.body)
	}
	amend(other, theirs[0], map[string]any{"summary": "x"}, 409)
}

// A follow-up is withdrawn with the report that it adds to. Nothing can be added to a withdrawn report, and the answer tells its author how
// to get a secret out of it.
func TestWhatAddsToAReportIsWithdrawnWithIt(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	me := s.register(t, "author")
	first := s.submit(t, me, observation("Quokka faucet pays twice"))
	add := func(content string, supersedes bool) string {
		return decode[submitted](t, s.send(t, "POST", "/intake/follow-up", map[string]any{"id": first.ID, "content": content, "supersedes": supersedes}, me.bearer()...).want(t, 201)).ID
	}
	adds, replaces := add("Seen on Sepolia, too.", false), add("It was the relayer.", true)
	enginetest.Within(t, 10*time.Second, "both are listed", func() bool {
		return len(decode[struct {
			FollowUps []struct{} `json:"follow_ups"`
		}](t, s.get(t, "/submissions/"+first.ID).want(t, 200)).FollowUps) == 2
	})
	s.send(t, "POST", "/intake/withdraw", map[string]any{"id": first.ID}, me.bearer()...).want(t, 201)
	for id, want := range map[string]string{first.ID: "withdrawn", adds: "withdrawn", replaces: ""} {
		got := decode[struct{ Status string }](t, s.get(t, "/submissions/"+id).want(t, 200)).Status
		if got != want {
			t.Errorf("%s has the status %q, want %q", id, got, want)
		}
	}
	late := s.send(t, "POST", "/intake/follow-up", map[string]any{"id": first.ID, "content": "Once more."}, me.bearer()...)
	wantProblem(t, late, 409, "not_amendable")
	change := s.send(t, "PATCH", "/submissions/"+first.ID, map[string]any{"content": "Without the key."}, me.bearer()...)
	if wantProblem(t, change, 409, "not_amendable"); !strings.Contains(string(change.body), "leak") {
		t.Errorf("the author hears %s", change.body)
	}
}
