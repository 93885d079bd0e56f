package main

import (
	"fmt"
	"testing"
)

// intake is a place where JSON comes in: an endpoint, or a tool over MCP.
type intake struct {
	path string // of the endpoint
	tool string // its name as a tool; empty: by the endpoint
	// object returns a valid object, another one for every number.
	object func(number int) map[string]any
	// index is where it is stored; empty: it only reads. names are the members that are stored as they are.
	index  string
	names  []string
	schema map[string]any
}

// intakesOf returns every place where JSON comes in, with the schema that the service shows for it, and the document that the
// schemas refer to. It fails where one is missing here.
func intakesOf(t *testing.T, s *service, me agent) ([]intake, map[string]any) {
	t.Helper()
	text := func(number int, what string) string { return fmt.Sprintf("%s of variant %d", what, number) }
	target := func() map[string]any { return map[string]any{"collection": "submissions", "id": ""} }
	submission := func(n int) map[string]any {
		return map[string]any{"summary": text(n, "summary"), "category": "failure", "content": text(n, "content"), "resolution": "restart it",
			"tags": []string{"relayer"}, "ecosystem": "base", "usefulness_score": 3}
	}
	warning := func(n int) map[string]any {
		return map[string]any{"target": target(), "reason": "stale", "severity": "low", "note": text(n, "note")}
	}
	trial := func(n int) map[string]any {
		return map[string]any{"target": target(), "outcome": "worked", "note": text(n, "note")}
	}
	submitted := []string{"summary", "category", "content", "resolution", "tags", "ecosystem", "usefulness_score"}
	intakes := []intake{
		{path: "/intake/register", index: "sources", names: []string{"name", "type", "ecosystem", "description"}, object: func(n int) map[string]any {
			return map[string]any{"name": text(n, "name"), "type": "bot", "owner": "somebody", "ecosystem": []string{"base"}, "description": text(n, "description")}
		}},
		{path: "/intake/connect", index: "sources", names: []string{"name", "type"}, object: func(n int) map[string]any {
			return map[string]any{"name": text(n, "name"), "type": "script"}
		}},
		{path: "/intake/submit", index: "submissions", names: submitted, object: submission},
		{path: "/intake/analyze", index: "submissions", names: []string{"content", "ecosystem"}, object: func(n int) map[string]any {
			return map[string]any{"content": text(n, "the bridge stalls at the block"), "summary": text(n, "summary"), "ecosystem": "base", "dry_run": n%8 == 0}
		}},
		{path: "/intake/suggest", index: "suggestions", names: []string{"kind", "target", "summary", "content"}, object: func(n int) map[string]any {
			return map[string]any{"kind": "correction", "target": target(), "summary": text(n, "summary"), "content": text(n, "content")}
		}},
		{path: "/intake/flag", index: "safety-flags", names: []string{"target", "reason", "note"}, object: warning},
		{path: "/intake/outcome", index: "outcomes", names: []string{"target", "outcome", "note"}, object: trial},
		{tool: "submit", index: "submissions", names: submitted, object: submission},
		{tool: "flag", index: "safety-flags", names: []string{"target", "reason", "note"}, object: func(n int) map[string]any {
			warning := warning(n)
			warning["reason"] = "spam"
			return warning
		}},
		{tool: "report_outcome", index: "outcomes", names: []string{"target", "outcome", "note"}, object: trial},
		{tool: "search", object: func(n int) map[string]any {
			return map[string]any{"q": text(n, "summary"), "type": "submission", "limit": 3}
		}},
		{tool: "get", object: func(int) map[string]any { return map[string]any{"collection": "submissions", "id": ""} }},
		{tool: "status", object: func(int) map[string]any { return map[string]any{} }},
	}
	document := decode[map[string]any](t, s.get(t, "/openapi.json").want(t, 200))
	paths, posts := document["paths"].(map[string]any), 0
	for path, described := range paths {
		post, _ := described.(map[string]any)["post"].(map[string]any)
		if body, _ := post["requestBody"].(map[string]any); body == nil || path == "/mcp" {
			continue
		}
		posts++
		for i := range intakes {
			if intakes[i].path == path {
				intakes[i].schema = follow(post, "#/requestBody/content/application~1json/schema")
			}
		}
	}
	tools, err := mcpSession(t, me.token).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		for i := range intakes {
			if intakes[i].tool == tool.Name {
				intakes[i].schema = tool.InputSchema.(map[string]any)
			}
		}
	}
	for _, in := range intakes {
		if in.schema == nil {
			t.Fatalf("no schema for %s%s", in.tool, in.path)
		}
	}
	if len(intakes) != posts+len(tools.Tools) {
		t.Fatalf("%d places are tried, there are %d endpoints and %d tools", len(intakes), posts, len(tools.Tools))
	}
	return intakes, document
}
