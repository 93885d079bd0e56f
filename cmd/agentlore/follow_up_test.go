package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentlore/enginetest"
	"agentlore/lore"
)

// A source adds to its report: the addition is a report of its own, is listed with the first, and both are one problem, whose evidence
// counts one report. With supersedes its words are what readers get, there and in the pattern.
func TestFollowUps(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	author, other := s.register(t, "author"), s.register(t, "other")
	const summary = "Numbat sequencer rejects batches with BlobFeeTooLow after the upgrade"
	first := s.submit(t, author, map[string]any{
		"summary": summary, "category": "failure", "content": "The numbat sequencer logs BlobFeeTooLow for each batch.", "resolution": "Restart the sequencer.",
	}).ID
	follow := func(a agent, body map[string]any, status int) submitted {
		t.Helper()
		got := s.send(t, "POST", "/intake/follow-up", body, a.bearer()...).want(t, status)
		return decode[submitted](t, got)
	}
	wantProblem(t, s.send(t, "POST", "/intake/follow-up", map[string]any{"id": first, "content": "x"}, other.bearer()...), 403, "not_yours")
	wantProblem(t, s.send(t, "POST", "/intake/follow-up", map[string]any{"id": first}, author.bearer()...), 422, "invalid_field", "/content")
	more := map[string]any{"id": first, "content": "Ask ops@example.org: the fee oracle lags by two blocks."}
	added := follow(author, more, 201)
	if again := follow(author, more, 200); again.ID != added.ID || !again.Duplicate || !added.Scrubbing.Changed || added.ID == first {
		t.Fatalf("added %+v, and again %+v", added, again)
	}
	sibling := decode[registered](t, s.send(t, "POST", "/intake/register",
		map[string]any{"name": "sibling", "type": "agent", "owner": "owner of author"}, author.bearer()...).want(t, 201))
	const fix = "Raise maxFeePerBlobGas to twice the oracle's value."
	newer := follow(agent{sibling.ID, "sibling", sibling.APIToken}, map[string]any{"id": added.ID, "resolution": fix, "supersedes": true}, 201)

	type item struct {
		lore.Submission
		FollowUps []struct {
			ID         string `json:"id"`
			Supersedes bool   `json:"supersedes"`
		} `json:"follow_ups"`
	}
	for _, path := range []string{"/submissions/", "/items/"} {
		inTime(t, path+" lists both with the first", func() bool {
			got := decode[item](t, s.get(t, path+first).want(t, 200)).FollowUps
			return len(got) == 2 && got[0].ID == added.ID && got[1].ID == newer.ID && !got[0].Supersedes && got[1].Supersedes
		})
	}
	if got := decode[item](t, s.get(t, "/submissions/"+newer.ID).want(t, 200)); got.Follows != first || got.Summary != summary || got.Resolution != fix {
		t.Errorf("the follow-up: %+v", got)
	}
	if got := decode[item](t, s.get(t, "/submissions/"+added.ID).want(t, 200)); got.Resolution != "" || strings.Contains(got.Content, "ops@") {
		t.Errorf("the addition has the first one's words, or a secret: %+v", got)
	}
	one := func(when string) {
		t.Helper()
		if ids := s.searchFor(t, "numbat BlobFeeTooLow", "group=problem").ids(); len(ids) != 1 || ids[0] != newer.ID {
			t.Errorf("%s a search finds %v, want %s alone", when, ids, newer.ID)
		}
		if got := s.asked(t, "numbat sequencer BlobFeeTooLow"); len(got.Also) > 0 || got.Problem == nil || got.Problem.Fix != fix {
			t.Errorf("%s the answer is %+v, also %v", when, got.Problem, got.Also)
		}
	}
	one("before curation")
	curateOnce(t, s.prefix)
	one("alone after curation")

	s.submit(t, other, map[string]any{
		"summary": summary, "category": "failure", "content": "The numbat sequencer logs BlobFeeTooLow for each batch!", "resolution": "Restart the sequencer!",
	})
	for _, a := range []agent{author, other} {
		lever(t, s.prefix, "vouch", a.id, "--why=known")
	}
	worked := map[string]any{"id": newer.ID, "outcome": "worked"}
	s.send(t, "POST", "/intake/outcome", worked, other.bearer()...).want(t, 201)
	curateOnce(t, s.prefix)
	pattern := decode[item](t, s.get(t, "/submissions/"+added.ID).want(t, 200)).PatternID
	if pattern == "" {
		t.Fatalf("no pattern: %s", s.get(t, "/submissions").body)
	}
	got := decode[lore.Pattern](t, s.get(t, "/patterns/"+pattern).want(t, 200))
	if got.Reports != 2 || got.Owners != 2 || got.Resolution != fix {
		t.Errorf("of the pattern, reports %d and owners %d, want 2; resolution %q", got.Reports, got.Owners, got.Resolution)
	}
}

// What an amended report said before stays readable for its source, and for it alone. A redaction and an erasure take it with them.
func TestHistoryOfAReport(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	author, other := s.register(t, "author"), s.register(t, "other")
	const before, unruly = "Potoroo wallet loses its quollword nonce", "potoroo-unruly-name"
	id := s.submit(t, author, map[string]any{"summary": before, "category": "failure", "content": "It is the host " + unruly + "."}).ID
	same := map[string]any{"summary": "Potoroo wallet loses its nonce", "content": "It is the host.", "category": "failure", "resolution": "", "tags": []string{}}
	for _, change := range []map[string]any{
		{"summary": same["summary"]}, {"content": same["content"]},
		{}, same, {}, same, {"content": "It is the host. "}, // these change nothing, and push nothing out
	} {
		s.send(t, "PATCH", "/submissions/"+id, change, author.bearer()...).want(t, 200)
	}
	type history struct{ Earlier []lore.Version }
	read := func() []lore.Version {
		t.Helper()
		return decode[history](t, s.get(t, "/submissions/"+id+"/history", author.bearer()...).want(t, 200)).Earlier
	}
	if got := read(); len(got) != 2 || got[0].Summary != before || !strings.Contains(got[1].Content, unruly) || got[0].Until.IsZero() {
		t.Fatalf("the history: %+v", got)
	}
	wantProblem(t, s.get(t, "/submissions/"+id+"/history", other.bearer()...), 403, "not_yours")
	wantProblem(t, s.get(t, "/submissions/"+id+"/history"), 401, "missing_token")
	enginetest.Elasticsearch(t, "POST", "/"+s.prefix+"-*/_refresh", "")
	for _, path := range []string{"/submissions/" + id, "/items/" + id, "/submissions", "/export?collection=submissions", "/search/all?detail=full&q=potoroo+wallet"} {
		if got := s.get(t, path).want(t, 200); strings.Contains(string(got.body), "quollword") || !strings.Contains(string(got.body), id) {
			t.Errorf("GET %s tells what was amended, or not the item: %s", path, got.body)
		}
	}
	if found := s.searchFor(t, "quollword"); len(found.Results) > 0 {
		t.Errorf("a search finds what was amended: %v", found.ids())
	}

	file := filepath.Join(t.TempDir(), "texts")
	if err := os.WriteFile(file, []byte(unruly+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	lever(t, s.prefix, "redact", id, "--why=a test", "--texts="+file)
	wantNowhere(t, s.prefix, unruly)
	if got := read(); len(got) != 2 || got[1].Content != "It is the host "+lore.ScrubMarker+"." || got[1].Summary != "Potoroo wallet loses its nonce" {
		t.Errorf("the redacted history: %+v", got)
	}
	lever(t, s.prefix, "erase", id, "--who=dana", "--why=asked by its author")
	wantNowhere(t, s.prefix, "quollword")
	wantProblem(t, s.get(t, "/submissions/"+id+"/history", author.bearer()...), 410, "erased")
}
