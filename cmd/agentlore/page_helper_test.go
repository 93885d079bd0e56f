package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"agentlore/enginetest"
)

// put stores a document past the service, which makes units, patterns and assets only in the background.
func put(t *testing.T, prefix, collection, id string, document map[string]any) {
	t.Helper()
	document["id"] = id
	body, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	status, answer := enginetest.Elasticsearch(t, http.MethodPut, "/"+prefix+"-"+collection+"/_doc/"+id+"?refresh=true", string(body))
	if status > 201 {
		t.Fatalf("status %d: %s", status, answer)
	}
}

// Ids of what showcase puts.
const (
	shownUnit    = "01a1fb67-1800-8116-8f2a-2f6a201e6c01"
	shownPattern = "01a1fb67-1800-8116-8f2a-2f6a201e6c02"
	shownAsset   = "01a1fb67-1800-8116-8f2a-2f6a201e6c03"

	shownQuestion = "01a1fb67-1800-8116-8f2a-2f6a201e6c04"
)

// showcase fills a store with at least one item of every collection, each of whose texts is given, and returns the
// addresses of all pages. What is longer than a field may be is left out of it.
func showcase(t *testing.T, s *service, text string) (pages []string) {
	t.Helper()
	short := func(limit int, instead string) string {
		if len(text) <= limit {
			return text
		}
		return instead
	}
	me := decode[registered](t, s.send(t, "POST", "/intake/register", map[string]any{
		"name": short(64, "shows-all"), "type": "agent", "owner": "owner", "description": text, "ecosystem": []string{"ethereum"},
	}).want(t, 201))
	author := agent{me.ID, me.Name, me.APIToken}
	sent := s.submit(t, author, map[string]any{
		"summary": text, "category": "failure", "content": text, "resolution": text, "tags": []string{short(64, "tag")},
	})
	// As an earlier version took it: by now an ecosystem must be a name.
	plantFields(t, s, "submissions", sent.ID, map[string]any{"ecosystem": text})
	plantFields(t, s, "sources", me.ID, map[string]any{"ecosystem": []string{text}})
	target := map[string]any{"collection": "submissions", "id": sent.ID}
	suggestion := decode[map[string]any](t, s.send(t, "POST", "/intake/suggest", map[string]any{"kind": "correction", "target": target, "summary": text, "content": text}, author.bearer()...).want(t, 201))
	flag := decode[map[string]any](t, s.send(t, "POST", "/intake/flag", map[string]any{"target": target, "reason": "spam", "note": text}, author.bearer()...).want(t, 201))
	curated := func() map[string]any {
		return map[string]any{
			"summary": text, "category": "security", "ecosystem": []string{text}, "tags": []string{text}, "entities": []string{text}, "resolution": text,
			"tier": 3, "first_seen_at": "2026-08-02T09:00:00Z", "last_seen_at": "2026-11-20T09:00:00Z", "created_at": "2026-09-01T09:00:00Z",
		}
	}
	unit := curated()
	unit["content"], unit["confidence"], unit["status"], unit["promoted_at"] = text, 0.86, "active", "2026-09-01T09:00:00Z"
	unit["evidence"] = map[string]any{"submission_ids": []string{sent.ID}, "submissions": 3, "sources": 3, "owners": 3}
	unit["outcomes"] = map[string]any{"worked": 7, "failed": 1, "unsafe": 0}
	unit["score_parts"] = map[string]any{"specificity": 3.1, "resolution": 2.4}
	unit["missing"] = []string{"standing"}
	put(t, s.prefix, "knowledge-units", shownUnit, unit)
	pattern := curated()
	pattern["report_count"], pattern["source_count"], pattern["owner_count"], pattern["status"] = 3, 3, 3, "established"
	pattern["example_ids"] = []string{sent.ID}
	put(t, s.prefix, "patterns", shownPattern, pattern)
	put(t, s.prefix, "assets", shownAsset, map[string]any{
		"name": text, "type": text, "ecosystem": []string{text}, "description": text, "url": text, "tags": []string{text}, "addresses": []string{text},
		"entities": []string{text}, "status": "active", "origin": text, "summary": text, "created_at": "2026-09-01T09:00:00Z",
	})
	put(t, s.prefix, "questions", shownQuestion, map[string]any{
		"text": text, "ecosystem": "ethereum", "asker_count": 2, "status": "open", "created_at": "2026-11-20T09:00:00Z", "asked_at": "2026-11-21T09:00:00Z",
	})
	enginetest.Eventually(t, "the submission is found", func() bool {
		return decode[page](t, s.get(t, "/submissions").want(t, 200)).Total > 0
	})
	return []string{
		"/", "/?q=the", "/?type=knowledge_unit", "/?q=zzqxj&tier=4", "/web/knowledge", "/web/patterns", "/web/submissions",
		"/web/assets", "/web/sources", "/web/suggestions", "/web/safety-flags", "/web/analytics", "/web/agents", "/portal", "/nothing-here",
		"/web/knowledge/" + shownUnit, "/web/patterns/" + shownPattern, "/web/assets/" + shownAsset, "/web/submissions/" + sent.ID, "/web/sources/" + me.ID,
		"/web/ask", "/web/questions", "/web/questions/" + shownQuestion,
		fmt.Sprint("/web/suggestions/", suggestion["id"]), fmt.Sprint("/web/safety-flags/", flag["id"]),
	}
}
