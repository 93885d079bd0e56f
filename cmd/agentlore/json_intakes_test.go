package main

import (
	"fmt"
	"maps"
	"testing"
)

// intake is a place where JSON comes in: an endpoint, or a tool over MCP.
type intake struct {
	path string // of the endpoint; of a tool: empty
	tool string // its name as a tool; empty: by the endpoint
	// operation is the path of a tool's operation.
	operation string
	// object returns a valid object, another one for every number.
	object func(number int) map[string]any
	// index is where it is stored; empty: it only reads. names are the members that are stored as they are.
	index  string
	names  []string
	schema map[string]any
	own    bool   // its id is that of an own submission
	child  string // its id is that of this source, which the caller registered
}

// intakesOf returns every place where JSON comes in, with the schema that the service shows for it, and the document that the
// schemas refer to. It fails where one is missing here.
func intakesOf(t *testing.T, s *service, me agent) ([]intake, map[string]any) {
	t.Helper()
	text := func(number int, what string) string { return fmt.Sprintf("%s of variant %d", what, number) }
	submission := func(n int) map[string]any {
		return map[string]any{"summary": text(n, "summary"), "category": "failure", "content": text(n, "content"), "resolution": "restart it",
			"tags": []string{"relayer"}, "ecosystem": "base", "usefulness_score": 3}
	}
	warning := func(n int) map[string]any {
		return map[string]any{"id": "", "reason": "stale", "severity": "low", "note": text(n, "note")}
	}
	trial := func(n int) map[string]any {
		return map[string]any{"id": "", "outcome": "worked", "note": text(n, "note")}
	}
	asked := func(n int) map[string]any {
		return map[string]any{"text": text(n, "error"), "ecosystem": "base", "limit": 2}
	}
	child := decode[registered](t, s.send(t, "POST", "/intake/connect", map[string]any{"name": "registered by " + me.name, "type": "bot"}, me.bearer()...).want(t, 201))
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
		{path: "/intake/suggest", index: "suggestions", names: []string{"kind", "summary", "content"}, object: func(n int) map[string]any {
			return map[string]any{"kind": "correction", "id": "", "summary": text(n, "summary"), "content": text(n, "content")}
		}},
		{path: "/intake/flag", index: "safety-flags", names: []string{"reason", "note"}, object: warning},
		{path: "/intake/outcome", index: "outcomes", names: []string{"outcome", "note"}, object: trial},
		{tool: "submit", operation: "/intake/submit", index: "submissions", names: submitted, object: submission},
		{tool: "flag", operation: "/intake/flag", index: "safety-flags", names: []string{"reason", "note"}, object: func(n int) map[string]any {
			warning := warning(n)
			warning["reason"] = "spam"
			return warning
		}},
		{tool: "report_outcome", operation: "/intake/outcome", index: "outcomes", names: []string{"outcome", "note"}, object: trial},
		{tool: "search", operation: "/search/all", object: func(n int) map[string]any {
			return map[string]any{"q": text(n, "summary"), "type": "submission", "limit": 3}
		}},
		{tool: "get", operation: "/items/{id}", object: func(int) map[string]any { return map[string]any{"id": ""} }},
		{tool: "status", operation: "/status", object: func(int) map[string]any { return map[string]any{} }},
		{path: "/intake/withdraw", own: true, object: func(n int) map[string]any { return map[string]any{"id": "", "why": text(n, "reason")} }},
		{path: "/intake/end", child: child.ID, object: func(int) map[string]any { return map[string]any{"id": child.ID} }},
		{path: "/intake/follow-up", own: true, index: "submissions", names: []string{"resolution"}, object: func(n int) map[string]any { return map[string]any{"id": "", "resolution": text(n, "fix")} }},
		{tool: "update", operation: "/submissions/{id}", own: true, index: "submissions", names: []string{"summary", "resolution"}, object: func(n int) map[string]any {
			return map[string]any{"id": "", "summary": text(n, "summary"), "resolution": text(n, "resolution")}
		}},
		{tool: "withdraw", operation: "/intake/withdraw", own: true, object: func(n int) map[string]any { return map[string]any{"id": "", "why": text(n, "reason")} }},
		{tool: "follow_up", operation: "/intake/follow-up", own: true, index: "submissions", names: []string{"resolution"}, object: func(n int) map[string]any {
			return map[string]any{"id": "", "resolution": text(n, "fix")}
		}},
		{tool: "mine", operation: "/intake/mine", object: func(int) map[string]any { return map[string]any{"limit": 3} }},
		{path: "/ask", object: asked},
		{path: "/intake/question", object: asked},
		{tool: "keep_question", operation: "/intake/question", object: asked},
		{tool: "ask", operation: "/ask", object: asked},
		{tool: "register", operation: "/intake/register", index: "sources", names: []string{"name", "type"}, object: func(n int) map[string]any {
			return map[string]any{"name": text(n, "tool"), "type": "bot", "owner": "somebody"}
		}},
	}
	document := decode[map[string]any](t, s.get(t, "/openapi.json").want(t, 200))
	paths, posts := document["paths"].(map[string]any), 0
	for path, described := range paths {
		post, _ := described.(map[string]any)["post"].(map[string]any)
		if body, _ := post["requestBody"].(map[string]any); body == nil || path == "/mcp" || path == "/intake/submit/batch" { // tested by itself
			continue
		}
		posts++
		for i := range intakes {
			if intakes[i].path == path || intakes[i].operation == path {
				intakes[i].schema = follow(post, "#/requestBody/content/application~1json/schema")
			}
		}
	}
	tools, err := mcpSession(t, me.token).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, in := range intakes {
		described, _ := paths[in.operation].(map[string]any)
		get, _ := described["get"].(map[string]any)
		switch {
		case in.tool == "submit", in.tool == "follow_up": // its key is a header
			if reference, is := in.schema["$ref"].(string); is {
				in.schema = follow(document, reference)
			}
			in.schema = maps.Clone(in.schema)
			in.schema["properties"] = maps.Clone(in.schema["properties"].(map[string]any))
			in.schema["properties"].(map[string]any)["idempotency_key"] = map[string]any{"type": []any{"string", "null"}}
		case in.tool == "update": // its id is in the path
			in.schema = follow(described["patch"].(map[string]any), "#/requestBody/content/application~1json/schema")
			if reference, is := in.schema["$ref"].(string); is {
				in.schema = follow(document, reference)
			}
			in.schema = maps.Clone(in.schema)
			in.schema["properties"] = maps.Clone(in.schema["properties"].(map[string]any))
			in.schema["properties"].(map[string]any)["id"] = map[string]any{"type": "string"}
			in.schema["required"] = []any{"id"}
		case in.tool != "" && in.schema == nil:
			in.schema = parametersOf(get)
		}
		intakes[i] = in
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

// parametersOf returns the schema of an operation's parameters together.
func parametersOf(operation map[string]any) map[string]any {
	properties, required := map[string]any{}, []any{}
	parameters, _ := operation["parameters"].([]any)
	for _, one := range parameters {
		parameter := one.(map[string]any)
		properties[parameter["name"].(string)] = parameter["schema"]
		if parameter["required"] == true {
			required = append(required, parameter["name"])
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}
