package main

import (
	"strings"
	"testing"

	"agentlore/enginetest"
)

// outcomeAnswer is the answer to a reported outcome.
type outcomeAnswer struct {
	ID        string `json:"id"`
	Outcome   string `json:"outcome"`
	Earlier   string `json:"earlier"`
	Duplicate bool   `json:"duplicate"`
	Scrubbing report `json:"scrubbing"`
}

func TestOutcomesOverHTTP(t *testing.T) {
	t.Parallel()
	s := sharedService(t)
	suffix := enginetest.NewPrefix()
	author, reader := s.register(t, "outcome-author-"+suffix), s.register(t, "outcome-reader-"+suffix)
	item := s.submit(t, author, observation("Capybara bridge stalls "+suffix))
	tell := func(a agent, result, note string, want int) answer {
		t.Helper()
		body := map[string]any{"target": map[string]any{"collection": "submissions", "id": item.ID}, "outcome": result, "note": note}
		return s.send(t, "POST", "/intake/outcome", body, a.bearer()...).want(t, want)
	}
	secret := "0x" + strings.Repeat("5f", 32)
	first := decode[outcomeAnswer](t, tell(reader, "worked", "with "+secret, 201))
	if first.Outcome != "worked" || first.Earlier != "" || !first.Scrubbing.Changed {
		t.Errorf("the first word answers %+v", first)
	}
	if stored := enginetest.Source(t, s.prefix+"-outcomes", first.ID); strings.Contains(stored, secret) || !strings.Contains(stored, "[SCRUBBED]") {
		t.Errorf("stored as %.300s", stored)
	}
	if again := decode[outcomeAnswer](t, tell(reader, "worked", "with "+secret, 200)); !again.Duplicate || again.ID != first.ID {
		t.Errorf("the same again answers %+v", again)
	}
	if last := decode[outcomeAnswer](t, tell(reader, "failed", "", 200)); last.Duplicate || last.Earlier != "worked" || last.Outcome != "failed" || last.ID != first.ID {
		t.Errorf("another word answers %+v", last)
	}
	if own := decode[map[string]any](t, tell(author, "worked", "", 422)); own["code"] != "own_item" {
		t.Errorf("on one's own: %v", own)
	}
	sibling := decode[registered](t, s.send(t, "POST", "/intake/register", map[string]any{
		"name": "outcome-sibling-" + suffix, "type": "bot", "owner": "x",
	}, author.bearer()...).want(t, 201))
	if own := decode[map[string]any](t, tell(agent{sibling.ID, sibling.Name, sibling.APIToken}, "worked", "", 422)); own["code"] != "own_item" {
		t.Errorf("on another source of one's principal: %v", own)
	}
	for name, c := range map[string]struct {
		target map[string]any
		status int
	}{
		"an unknown item":             {map[string]any{"collection": "submissions", "id": "01a1fb67-1800-8116-8f2a-2f6a201e6cb9"}, 404},
		"an id that isn't one":        {map[string]any{"collection": "submissions", "id": "x"}, 422},
		"a collection without use":    {map[string]any{"collection": "sources", "id": author.id}, 422},
		"an internal collection":      {map[string]any{"collection": "accounts", "id": author.id}, 422},
		"an upper-case id of nothing": {map[string]any{"collection": "submissions", "id": strings.ToUpper(item.ID)}, 404},
	} {
		if got := s.send(t, "POST", "/intake/outcome", map[string]any{"target": c.target, "outcome": "worked"}, reader.bearer()...); got.status != c.status {
			t.Errorf("%s: status %d, want %d: %.200s", name, got.status, c.status, got.body)
		}
	}
	// What the public sees of a submission isn't the reporter's to change.
	if shown := decode[map[string]any](t, s.get(t, "/submissions/"+item.ID).want(t, 200)); shown["outcomes"] != nil {
		t.Errorf("the request path counted: %v", shown["outcomes"])
	}
}
