package main

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"agentlore/enginetest"
)

// withToken sends every request with a token, and every second one to another replica.
type withToken struct {
	token string
	bases []string
	sent  int
}

func (w *withToken) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	if w.token != "" {
		request.Header.Set("Authorization", "Bearer "+w.token)
	}
	request.URL.Host = w.bases[w.sent%len(w.bases)]
	w.sent++
	return http.DefaultTransport.RoundTrip(request)
}

// mcpSession connects an MCP client to the two replicas in turn.
func mcpSession(t *testing.T, token string) *sdk.ClientSession {
	t.Helper()
	first, second := sharedServices(t)
	return mcpSessionWith(t, token, first, second)
}

// mcpSessionWith connects an MCP client to replicas in turn.
func mcpSessionWith(t *testing.T, token string, replicas ...*service) *sdk.ClientSession {
	t.Helper()
	var bases []string
	for _, replica := range replicas {
		bases = append(bases, replica.base[len("http://"):])
	}
	transport := &sdk.StreamableClientTransport{
		Endpoint: replicas[0].base + "/mcp", DisableStandaloneSSE: true, HTTPClient: &http.Client{Transport: &withToken{token: token, bases: bases}},
	}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// callTool calls a tool and decodes the structured answer, or the text of a failed one.
func callTool(t *testing.T, session *sdk.ClientSession, name string, arguments map[string]any) (failed bool, answer map[string]any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	result, err := session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text := result.Content[0].(*sdk.TextContent).Text
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatalf("%s: not JSON: %.200s", name, text)
	}
	if structured, _ := result.StructuredContent.(map[string]any); !result.IsError && !cmp.Equal(structured, answer) {
		t.Errorf("%s: its structured answer is another than its text", name)
	}
	return result.IsError, answer
}

func TestAnMCPClientDoesTheWholeJobOverTwoReplicas(t *testing.T) {
	t.Parallel()
	s := sharedService(t)
	me := s.register(t, "mcp-agent-"+enginetest.NewPrefix())
	session := mcpSession(t, me.token)

	listed, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range listed.Tools {
		names = append(names, tool.Name)
		if tool.Annotations == nil || tool.Annotations.DestructiveHint == nil || *tool.Annotations.DestructiveHint {
			t.Errorf("%s may be taken for destructive", tool.Name)
		}
		if reads := tool.Name == "ask" || tool.Name == "search" || tool.Name == "get" || tool.Name == "mine" || tool.Name == "status"; tool.Annotations.ReadOnlyHint != reads {
			t.Errorf("%s: the read-only hint is %v", tool.Name, !reads)
		}
	}
	if text, err := json.Marshal(listed); err != nil || len(text) > 12_000 { // every client reads all of it; without what tools answer it is 7,300
		t.Errorf("tools/list takes %d bytes, %v; it may take 12,000", len(text), err)
	}
	if names[0] != "ask" {
		t.Errorf("the first tool is %s", names[0])
	}
	slices.Sort(names)
	if want := []string{"ask", "flag", "follow_up", "get", "keep_question", "mine", "register", "report_outcome", "search", "status", "submit", "update", "withdraw"}; !slices.Equal(names, want) {
		t.Errorf("tools %v, want %v", names, want)
	}

	arguments := map[string]any{"summary": "Quokka relayer stalls on mcp", "category": "failure", "idempotency_key": "mcp-1"}
	failed, first := callTool(t, session, "submit", arguments)
	if failed {
		t.Fatalf("submit: %v", first)
	}
	if _, again := callTool(t, session, "submit", arguments); again["id"] != first["id"] {
		t.Errorf("the same key stored %v and %v", first["id"], again["id"])
	}
	failed, item := callTool(t, session, "get", map[string]any{"id": first["id"]})
	if failed || item["summary"] != "Quokka relayer stalls on mcp" || item["content_trust"] != "untrusted" {
		t.Errorf("get: %v", item)
	}
	enginetest.Within(t, 5*time.Second, "the submission is found", func() bool {
		failed, found := callTool(t, session, "search", map[string]any{"q": "quokka relayer", "limit": 3})
		return !failed && len(found["results"].([]any)) > 0
	})

	for name, c := range map[string]struct {
		tool      string
		arguments map[string]any
		code      string
	}{
		"a missing field":      {"submit", map[string]any{"summary": "x"}, "invalid_field"},
		"an unknown argument":  {"search", map[string]any{"q": "x", "colour": "red"}, "invalid_field"},
		"a path in the id":     {"get", map[string]any{"id": "../status"}, "not_found"},
		"an id that isn't one": {"get", map[string]any{"id": "x"}, "not_found"},
	} {
		if failed, problem := callTool(t, session, c.tool, c.arguments); !failed || problem["code"] != c.code {
			t.Errorf("%s: failed %v with %v, want %s", name, failed, problem["code"], c.code)
		}
	}
	stranger := mcpSession(t, "")
	if failed, problem := callTool(t, stranger, "submit", arguments); !failed || problem["code"] != "missing_token" {
		t.Errorf("without a token: failed %v with %v", failed, problem["code"])
	}
	if failed, status := callTool(t, stranger, "status", nil); failed || status["submissions"] == nil {
		t.Errorf("status without a token: %v", status)
	}
}

// A client that starts without a token goes the whole way in one connection, with the token as an argument, and no token of another's header is used
// in its place.
func TestAnMCPClientStartsWithoutAToken(t *testing.T) {
	t.Parallel()
	session := mcpSession(t, "")
	name := "cold-" + enginetest.NewPrefix()
	failed, me := callTool(t, session, "register", map[string]any{"name": name, "type": "agent", "owner": name})
	if failed {
		t.Fatalf("register: %v", me)
	}
	with := func(arguments map[string]any) map[string]any {
		arguments["api_token"] = me["api_token"]
		return arguments
	}
	step := func(tool string, arguments map[string]any) map[string]any {
		t.Helper()
		failed, answer := callTool(t, session, tool, with(arguments))
		if failed {
			t.Fatalf("%s: %v", tool, answer)
		}
		return answer
	}
	if failed, answer := callTool(t, session, "ask", map[string]any{"text": "zorblat relay 77 exploded"}); failed || !strings.Contains(answer["next"].(string), "keep_question") {
		t.Errorf("ask: %v", answer["next"])
	}
	stored := step("submit", map[string]any{"summary": "Cold relayer of " + name + " stalls", "category": "failure"})
	step("update", map[string]any{"id": stored["id"], "resolution": "Restart it."})
	step("follow_up", map[string]any{"id": stored["id"], "content": "It stalled again."})
	enginetest.Within(t, 5*time.Second, "both reports are listed", func() bool { return len(step("mine", map[string]any{})["results"].([]any)) == 2 })
	theirs := sharedService(t).submit(t, sharedService(t).register(t, "helps-"+name), map[string]any{
		"summary": "Zorblat relay of " + name + " explodes", "category": "failure", "resolution": "Give it a longer fuse.",
	})
	asked := step("keep_question", map[string]any{"text": "zorblat relay of " + name + " exploded"})
	step("report_outcome", map[string]any{"id": theirs.ID, "outcome": "worked", "question": asked["id"]})
	enginetest.Within(t, 10*time.Second, "the question shows what helped", func() bool {
		_, question := callTool(t, session, "get", map[string]any{"id": asked["id"]})
		voices, _ := question["voices"].([]any)
		return len(voices) > 0 && voices[0].(map[string]any)["helped"] == 1.0 && question["status"] == "open"
	})
	step("withdraw", map[string]any{"id": stored["id"], "why": "It was another relayer."})
	if failed, problem := callTool(t, session, "submit", map[string]any{"summary": "x", "category": "failure", "api_token": "agl-wrong"}); !failed || problem["code"] != "invalid_token" {
		t.Errorf("with a wrong token: %v", problem)
	}
}
