package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"agentlore/enginetest"
)

// sendMCP sends one message to the MCP endpoint.
func sendMCP(t *testing.T, s *service, message string, headers ...string) answer {
	t.Helper()
	return s.send(t, "POST", "/mcp", message, append(headers, "Accept", "application/json, text/event-stream", "MCP-Protocol-Version", "2025-06-18")...)
}

// mcpCall writes out a message that calls a tool.
func mcpCall(tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments)
}

// What comes over MCP counts as the same call over HTTP does, once, for the client that sent it; every other message is a read.
func TestMCPIsCounted(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t), "--rate-read=6-H", "--rate-write=3-H", "--redis-timeout=10s")
	me := s.register(t, "counted over mcp")
	for i, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":1,"method":"no/such"}`, `{"jsonrpc":`, mcpCall("search", `{"q":"x"}`),
	} {
		got := sendMCP(t, s, message, "X-Forwarded-For", fmt.Sprintf("198.51.100.%d", i))
		if want := fmt.Sprintf(`"read";r=%d;`, 5-i); !strings.HasPrefix(got.header.Get("RateLimit"), want) {
			t.Errorf("%.60s: RateLimit is %q, want %s", message, got.header.Get("RateLimit"), want)
		}
	}
	wantLimit(t, s.get(t, "/categories").want(t, 200), "read", 6, 0)
	wantProblem(t, sendMCP(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "X-Forwarded-For", "198.51.100.77"), 429, "rate_limited")
	if got := sendMCP(t, s, mcpCall("search", `{"q":"x"}`)).want(t, 200); !strings.Contains(string(got.body), `"isError":true`) || !strings.Contains(string(got.body), "rate_limited") {
		t.Errorf("a search beyond the limit: %.300s", got.body)
	}
	// Reads are used up, and writes are not.
	stored := sendMCP(t, s, mcpCall("submit", `{"summary":"counted once","category":"failure"}`), me.bearer()...).want(t, 200)
	if strings.Contains(string(stored.body), `"isError":true`) {
		t.Fatalf("submit: %s", stored.body)
	}
	wantLimit(t, s.send(t, "POST", "/intake/submit", observation("the second write"), me.bearer()...).want(t, 201), "write", 3, 1)
}

// A batch would be many calls in one request; the protocol has none any more.
func TestBatchesAreRefused(t *testing.T) {
	t.Parallel()
	s := sharedService(t)
	for _, version := range []string{"2025-03-26", "2025-06-18"} {
		got := s.send(t, "POST", "/mcp", " ["+mcpCall("status", "{}")+","+mcpCall("status", "{}")+"]", "Accept", "application/json, text/event-stream", "MCP-Protocol-Version", version)
		wantProblem(t, got, 400, "invalid_json")
	}
}

// Whatever a client writes into X-Forwarded-For, in lines of its own too, it is counted by what the trusted proxy added, over HTTP,
// MCP and the page.
func TestForgedLinesDontHelp(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t), "--rate-read=4-H", "--trusted-proxies=127.0.0.1", "--redis-timeout=10s")
	send := func(method, path, body string, forwarded ...string) *http.Response {
		request, err := http.NewRequestWithContext(t.Context(), method, s.base+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header = http.Header{
			"X-Forwarded-For": forwarded, "X-Real-Ip": forwarded[:1], "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		}
		response, err := httpClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		response.Body.Close()
		return response
	}
	for i := range 2 {
		forged := fmt.Sprintf("198.51.100.%d", i)
		send("GET", "/categories", "", forged, "203.0.113.1")
		send("POST", "/mcp", mcpCall("status", "{}"), forged, forged+", 203.0.113.1:4711")
	}
	if got := send("GET", "/categories", "", "198.51.100.9", "203.0.113.1"); got.StatusCode != 429 {
		t.Errorf("HTTP: status %d, want 429", got.StatusCode)
	}
	if got := send("GET", "/web/patterns", "", "198.51.100.9", "203.0.113.1"); got.StatusCode != 429 {
		t.Errorf("the page: status %d, want 429", got.StatusCode)
	}
	if got := send("GET", "/categories", "", "203.0.113.1", "203.0.113.2"); got.StatusCode != 200 {
		t.Errorf("another client that names the first: status %d, want 200", got.StatusCode)
	}
}

// An IPv6 site has 65,536 networks to choose clients from: together they have sixteen clients' allowance.
func TestIPv6SitesAreLimited(t *testing.T) {
	t.Parallel()
	s := serve(t, sharedService(t).prefix, "--rate-read=2-H", "--trusted-proxies=127.0.0.1", "--redis-url=")
	served := 0
	for i := range 40 {
		if s.get(t, "/categories", "X-Forwarded-For", fmt.Sprintf("2001:db8:77:%x::1", i)).status == 200 {
			served++
		}
	}
	if served != 32 {
		t.Errorf("%d requests of one site's 40 networks are served, want 32", served)
	}
	s.get(t, "/categories", "X-Forwarded-For", "2001:db8:78:1::1").want(t, 200)
}

// What describes the service is made once: it has a tag, which spares who knows it, and asking for it is a read.
func TestDocumentsAreTaggedAndCounted(t *testing.T) {
	t.Parallel()
	paths := []string{"/openapi.json", "/api/schema", "/docs", "/llms.txt", "/llms-full.txt", "/skill.md"}
	s := serve(t, sharedService(t).prefix, "--redis-url=", fmt.Sprintf("--rate-read=%d-H", 2*len(paths)))
	for i, path := range paths {
		first := s.get(t, path).want(t, 200)
		tag := first.header.Get("ETag")
		again := s.get(t, path, "If-None-Match", tag)
		if tag == "" || again.status != 304 || len(again.body) > 0 {
			t.Errorf("%s: tag %q, again status %d, %d bytes", path, tag, again.status, len(again.body))
		}
		wantLimit(t, again, "read", 2*len(paths), 2*(len(paths)-i-1))
	}
	for _, path := range paths {
		wantProblem(t, s.get(t, path), 429, "rate_limited")
	}
}

// No browser takes an answer for anything but what its Content-Type says.
func TestNothingIsSniffed(t *testing.T) {
	t.Parallel()
	listener := freeAddress(t)
	s := serve(t, sharedService(t).prefix, "--metrics-listen="+listener)
	check := func(what string, header http.Header) {
		if header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", what, header)
		}
	}
	for _, path := range []string{
		"/", "/docs", "/docs/style.css", "/openapi.json", "/health", "/status", "/submissions", "/submissions/x", "/no/such", "/search/all?q=x", "/search/all?limit=x",
		"/export?collection=assets", "/portal", "/static/page.css", "/web/patterns", "/mcp",
	} {
		check(path, s.get(t, path).header)
		check(path+" for people", s.get(t, path, "Accept", "text/html").header)
	}
	check("MCP", sendMCP(t, s, "{").header)
	check("a preflight", s.send(t, "OPTIONS", "/status", nil, "Access-Control-Request-Method", "GET").header)
	response, err := http.Get("http://" + listener + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	check("metrics", response.Header)
}

// However long the items, an answer has a bound: its page is cut, and its cursor, or its limit, says how to go on.
func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	me := s.register(t, "has much to say")
	const items = 40
	long := strings.Repeat("A long story about wombats. ", 714)[:19_990] // 40 kB an item
	inParallel(items, 8, func(i int) {
		s.submit(t, me, map[string]any{"summary": fmt.Sprintf("wombat number %d", i), "category": "failure", "content": fmt.Sprint(long, i), "resolution": long})
	})
	inTime(t, "all are found", func() bool { return decode[page](t, s.get(t, "/search/all?q=wombat&limit=1")).Total == items })
	type cut struct {
		Results    []struct{ ID string }
		NextCursor string `json:"next_cursor"`
		Limit      int
	}
	// all reads a list to its end and returns how many answers that took.
	all := func(path string, bound int, ask func(path string) []byte) (answers int) {
		seen := map[string]bool{}
		for next := path; len(seen) < items && answers < 50; answers++ {
			body := ask(next)
			var got cut
			if err := json.Unmarshal(body, &got); err != nil || len(body) > bound || len(got.Results) == 0 || got.Limit < len(got.Results) {
				t.Fatalf("%s: %d bytes, %d results, limit %d, %v", next, len(body), len(got.Results), got.Limit, err)
			}
			for _, result := range got.Results {
				seen[result.ID] = true
			}
			if next = path + "&cursor=" + url.QueryEscape(got.NextCursor); got.NextCursor == "" {
				next = fmt.Sprintf("%s&offset=%d", path, len(seen))
			}
		}
		if len(seen) != items {
			t.Errorf("%s: %d items in %d answers, want %d", path, len(seen), answers, items)
		}
		return answers
	}
	over := func(path string) []byte { return s.get(t, path).want(t, 200).body }
	for _, path := range []string{"/submissions?limit=100", "/search/all?q=wombat&detail=full&limit=100", "/search/all?q=wombat&detail=full&limit=100&sort=newest"} {
		if n := all(path, 5<<16, over); n != 7 {
			t.Errorf("%s: %d answers, want 7 of at most 320 KiB", path, n)
		}
	}
	all("/search/all?detail=full&limit=100", 1<<19, func(path string) []byte {
		parsed, _ := url.Parse(path)
		arguments := map[string]any{"limit": 100, "detail": "full"}
		if cursor := parsed.Query().Get("cursor"); cursor != "" {
			arguments["cursor"] = cursor
		}
		text, _ := json.Marshal(arguments)
		body := sendMCP(t, s, mcpCall("search", string(text))).want(t, 200).body
		var got struct {
			Result struct{ Content []struct{ Text string } }
		}
		if err := json.Unmarshal(body, &got); err != nil || len(body) > 1<<19 {
			t.Fatalf("%d bytes, %v", len(body), err)
		}
		return []byte(got.Result.Content[0].Text)
	})
}
