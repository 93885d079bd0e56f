package main

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
	"agentlore/tokens"
)

// canary stands for whatever a caller may send by mistake: it must come back nowhere.
const canary = "canary7f3e"

// Every error of the interface that needs no broken store, over HTTP: body and headers.
func TestEveryProblem(t *testing.T) {
	t.Parallel()
	s := sharedService(t)
	me := s.register(t, "problem-maker")
	unknown, err := tokens.Mint(lore.AccountKey("nobody"))
	if err != nil {
		t.Fatal(err)
	}
	long := func(n int) string { return canary + strings.Repeat("é", n-len(canary)) }
	ok := func(change map[string]any) map[string]any {
		body := observation(canary + " summary")
		for name, value := range change {
			body[name] = value
		}
		return body
	}
	const missing = "00000000-0000-7000-8000-000000000000"
	bearer := me.bearer()

	for _, tc := range []struct {
		name         string
		method, path string
		body         any
		headers      []string
		status       int
		code         string
		instance     string   // the route's pattern
		pointers     []string // of errors
		allow        string
	}{
		// 400
		{name: "cut off JSON", method: "POST", path: "/intake/submit", body: `{"summary":"` + canary, headers: bearer, status: 400, code: "invalid_json", pointers: []string{"/summary"}},
		{name: "no JSON", method: "POST", path: "/intake/submit", body: canary, headers: bearer, status: 400, code: "invalid_json", pointers: []string{""}},
		{name: "two values", method: "POST", path: "/intake/submit", body: `{"summary":"a","category":"general"}{}`, headers: bearer, status: 400, code: "invalid_json", pointers: []string{""}},
		{name: "empty body", method: "POST", path: "/intake/submit", body: "", headers: bearer, status: 400, code: "invalid_json", pointers: []string{""}},
		{name: "not UTF-8", method: "POST", path: "/intake/submit", body: "{\"summary\":\"" + canary + "\xff\",\"category\":\"general\"}", headers: bearer, status: 400, code: "invalid_json", pointers: []string{"/summary"}},
		{name: "a pasted log", method: "POST", path: "/intake/submit", body: "{\"content\":\"" + canary + "\n\",\"category\":\"general\"}", headers: bearer, status: 400, code: "invalid_json", pointers: []string{"/content"}},
		{name: "a list", method: "POST", path: "/intake/submit", body: `["` + canary + `"]`, headers: bearer, status: 400, code: "invalid_json", pointers: []string{""}},
		{name: "null", method: "POST", path: "/intake/submit", body: `null`, headers: bearer, status: 400, code: "invalid_json", pointers: []string{""}},
		{name: "a number for a text", method: "POST", path: "/intake/submit", body: ok(map[string]any{"summary": 7}), headers: bearer, status: 400, code: "invalid_json", pointers: []string{"/summary"}},
		{name: "a text for a number", method: "POST", path: "/intake/submit", body: ok(map[string]any{"usefulness_score": canary}), headers: bearer, status: 400, code: "invalid_json", pointers: []string{"/usefulness_score"}},
		{name: "half a score", method: "POST", path: "/intake/submit", body: ok(map[string]any{"usefulness_score": 7.5}), headers: bearer, status: 400, code: "invalid_json", pointers: []string{"/usefulness_score"}},
		{name: "a text for a list", method: "POST", path: "/intake/submit", body: ok(map[string]any{"tags": canary}), headers: bearer, status: 400, code: "invalid_json", pointers: []string{"/tags"}},
		{name: "a number in a list", method: "POST", path: "/intake/submit", body: ok(map[string]any{"tags": []any{"a", 7}}), headers: bearer, status: 400, code: "invalid_json", pointers: []string{"/tags/1"}},
		{name: "garbage for a cursor", method: "GET", path: "/submissions?cursor=" + canary, status: 400, code: "invalid_cursor"},
		{name: "a cursor by relevance", method: "GET", path: "/search/all?q=x&cursor=" + canary, status: 400, code: "invalid_cursor", instance: "/search/all"},
		// 401
		{name: "no token", method: "POST", path: "/intake/submit", body: ok(nil), status: 401, code: "missing_token"},
		{name: "another scheme", method: "POST", path: "/intake/submit", body: ok(nil), headers: []string{"Authorization", "Basic " + canary}, status: 401, code: "missing_token"},
		{name: "an empty token", method: "POST", path: "/intake/submit", body: ok(nil), headers: []string{"Authorization", "Bearer "}, status: 401, code: "missing_token"},
		{name: "a mistyped token", method: "POST", path: "/intake/submit", body: ok(nil), headers: []string{"Authorization", "Bearer agl-" + canary}, status: 401, code: "invalid_token"},
		{name: "an unknown token", method: "POST", path: "/intake/submit", body: ok(nil), headers: []string{"Authorization", "Bearer " + unknown}, status: 401, code: "invalid_token"},
		// 404 and 405
		{name: "unknown path", method: "GET", path: "/" + canary, status: 404, code: "not_found", instance: "-"},
		{name: "trailing slash", method: "GET", path: "/submissions/", status: 404, code: "not_found", instance: "-"},
		{name: "unknown path by POST", method: "POST", path: "/intake/" + canary, body: ok(nil), status: 404, code: "not_found", instance: "-"},
		{name: "wrong method", method: "DELETE", path: "/submissions/" + missing, status: 405, code: "method_not_allowed", instance: "-", allow: "GET, PATCH"},
		{name: "GET of a write", method: "GET", path: "/intake/submit", status: 405, code: "method_not_allowed", instance: "-", allow: "POST"},
		{name: "a method of one's own", method: "CANARY", path: "/status", status: 405, code: "method_not_allowed", instance: "-", allow: "GET"},
		// 409 of a name: below, and in limits and idempotency tests; 413, 415
		{name: "name taken", method: "POST", path: "/intake/register", body: map[string]any{"name": " PROBLEM-maker", "type": "bot", "owner": canary}, status: 409, code: "name_taken"},
		{name: "name taken by connect", method: "POST", path: "/intake/connect", body: map[string]any{"name": "Ｐroblem-Maker", "type": "bot"}, status: 409, code: "name_taken"},
		{name: "body too large", method: "POST", path: "/intake/submit", body: `{"summary":"` + long(300<<10) + `"}`, headers: bearer, status: 413, code: "body_too_large"},
		{name: "a form", method: "POST", path: "/intake/submit", body: "summary=" + canary, headers: append([]string{"Content-Type", "application/x-www-form-urlencoded"}, bearer...), status: 415, code: "unsupported_media_type"},
		{name: "a compressed body", method: "POST", path: "/intake/submit", body: "\x1f\x8b" + canary, headers: append([]string{"Content-Encoding", "gzip"}, bearer...), status: 415, code: "unsupported_media_type"},
		{name: "YAML", method: "POST", path: "/intake/register", body: "name: " + canary, headers: []string{"Content-Type", "application/yaml"}, status: 415, code: "unsupported_media_type"},
		// 422
		{name: "nothing", method: "POST", path: "/intake/submit", body: `{}`, headers: bearer, status: 422, code: "invalid_fields", pointers: []string{"/summary", "/category"}},
		{name: "no category", method: "POST", path: "/intake/submit", body: map[string]any{"summary": canary}, headers: bearer, status: 422, code: "invalid_field", pointers: []string{"/category"}},
		{name: "blank summary", method: "POST", path: "/intake/submit", body: ok(map[string]any{"summary": " \t\n"}), headers: bearer, status: 422, code: "invalid_field", pointers: []string{"/summary"}},
		{name: "empty summary", method: "POST", path: "/intake/submit", body: ok(map[string]any{"summary": ""}), headers: bearer, status: 422, code: "invalid_field", pointers: []string{"/summary"}},
		{name: "another category", method: "POST", path: "/intake/submit", body: ok(map[string]any{"category": canary}), headers: bearer, status: 422, code: "invalid_field", pointers: []string{"/category"}},
		{name: "long summary", method: "POST", path: "/intake/submit", body: ok(map[string]any{"summary": long(501)}), headers: bearer, status: 422, code: "invalid_field", pointers: []string{"/summary"}},
		{name: "long content and resolution", method: "POST", path: "/intake/submit", body: ok(map[string]any{"content": long(20_001), "resolution": long(20_001)}), headers: bearer, status: 422, code: "invalid_fields", pointers: []string{"/content", "/resolution"}},
		{name: "long tag", method: "POST", path: "/intake/submit", body: ok(map[string]any{"tags": []string{"a", long(65)}}), headers: bearer, status: 422, code: "invalid_field", pointers: []string{"/tags/1"}},
		{name: "many tags", method: "POST", path: "/intake/submit", body: ok(map[string]any{"tags": strings.Split(strings.Repeat(canary+" ", 21), " ")[:21]}), headers: bearer, status: 422, code: "invalid_field", pointers: []string{"/tags"}},
		{name: "long ecosystem", method: "POST", path: "/intake/submit", body: ok(map[string]any{"ecosystem": long(65)}), headers: bearer, status: 422, code: "invalid_field", pointers: []string{"/ecosystem"}},
		{name: "score 0", method: "POST", path: "/intake/submit", body: ok(map[string]any{"usefulness_score": 0}), headers: bearer, status: 422, code: "invalid_field", pointers: []string{"/usefulness_score"}},
		{name: "score 11", method: "POST", path: "/intake/submit", body: ok(map[string]any{"usefulness_score": 11}), headers: bearer, status: 422, code: "invalid_field", pointers: []string{"/usefulness_score"}},
		{name: "NUL", method: "POST", path: "/intake/submit", body: ok(map[string]any{"content": "a\x00" + canary}), headers: bearer, status: 422, code: "invalid_field", pointers: []string{"/content"}},
		{name: "unknown member", method: "POST", path: "/intake/submit", body: ok(map[string]any{canary: canary, "source_id": missing}), headers: bearer, status: 422, code: "invalid_fields", pointers: []string{"", "/source_id"}},
		{name: "member with a hostile name", method: "POST", path: "/intake/submit", body: ok(map[string]any{canary + "/~\".[0]\n": 1}), headers: bearer, status: 422, code: "invalid_field", pointers: []string{""}},
		{name: "null for a summary", method: "POST", path: "/intake/submit", body: ok(map[string]any{"summary": nil}), headers: bearer, status: 400, code: "invalid_json", pointers: []string{"/summary"}},
		{name: "no name", method: "POST", path: "/intake/register", body: map[string]any{"type": "agent", "owner": canary}, status: 422, code: "invalid_field", pointers: []string{"/name"}},
		{name: "long name", method: "POST", path: "/intake/register", body: map[string]any{"name": long(65), "type": "agent", "owner": canary}, status: 422, code: "invalid_field", pointers: []string{"/name"}},
		{name: "blank name", method: "POST", path: "/intake/register", body: map[string]any{"name": "   ", "type": "agent", "owner": canary}, status: 422, code: "invalid_field", pointers: []string{"/name"}},
		{name: "invisible name", method: "POST", path: "/intake/register", body: map[string]any{"name": canary + "\u200b", "type": "agent", "owner": "\u202e" + canary}, status: 422, code: "invalid_fields", pointers: []string{"/name", "/owner"}},
		{name: "another type", method: "POST", path: "/intake/register", body: map[string]any{"name": canary, "type": canary, "owner": canary}, status: 422, code: "invalid_field", pointers: []string{"/type"}},
		{name: "long owner, long description", method: "POST", path: "/intake/register", body: map[string]any{"name": canary, "type": "agent", "owner": long(129), "description": long(1001)}, status: 422, code: "invalid_fields", pointers: []string{"/owner", "/description"}},
		{name: "connect with nothing", method: "POST", path: "/intake/connect", body: `{}`, status: 422, code: "invalid_fields", pointers: []string{"/name", "/type"}},
		{name: "secret in a name", method: "POST", path: "/intake/register", body: map[string]any{"name": canary + "@" + "mail.example", "type": "agent", "owner": "x"}, status: 422, code: "secret_in_identity", pointers: []string{"/name"}},
		{name: "nulls within a target", method: "POST", path: "/intake/suggest", body: `{"kind":"asset","summary":"x","target":{"collection":null,"id":null}}`, headers: bearer, status: 400, code: "invalid_json", pointers: []string{"/target/collection", "/target/id"}},
		{name: "an empty key header", method: "POST", path: "/intake/submit", body: ok(nil), headers: append([]string{"Idempotency-Key", ""}, bearer...), status: 422, code: "invalid_field", pointers: []string{"Idempotency-Key"}},
		{name: "an empty filter", method: "GET", path: "/submissions?since=&tag=", status: 422, code: "invalid_field", pointers: []string{"since"}},
		{name: "unknown query parameter", method: "GET", path: "/submissions?" + canary + "=1", status: 422, code: "invalid_field", pointers: []string{""}},
		{name: "limit 0", method: "GET", path: "/submissions?limit=0", status: 422, code: "invalid_field", pointers: []string{"limit"}},
		{name: "limit 101", method: "GET", path: "/submissions?limit=101", status: 422, code: "invalid_field", pointers: []string{"limit"}},
		{name: "limit of letters", method: "GET", path: "/submissions?limit=" + canary, status: 422, code: "invalid_field", pointers: []string{"limit"}},
		{name: "negative offset", method: "GET", path: "/submissions?offset=-1", status: 422, code: "invalid_field", pointers: []string{"offset"}},
		{name: "two wrong parameters", method: "GET", path: "/knowledge?category=" + canary + "&since=" + canary, status: 422, code: "invalid_fields", pointers: []string{"category", "since"}},
		{name: "long q", method: "GET", path: "/search/all?q=" + strings.Repeat(canary, 60), status: 422, code: "invalid_field", instance: "/search/all", pointers: []string{"q"}},
		{name: "another search type", method: "GET", path: "/search/all?type=" + canary, status: 422, code: "invalid_field", instance: "/search/all", pointers: []string{"type"}},
		{name: "a source that is no id", method: "GET", path: "/submissions?source=" + canary, status: 422, code: "invalid_field", pointers: []string{"source"}},
		{name: "too deep", method: "GET", path: "/submissions?offset=9990&limit=20", status: 422, code: "page_too_deep", pointers: []string{"offset"}},
		{name: "too deep by relevance", method: "GET", path: "/search/all?q=x&offset=995&limit=10", status: 422, code: "page_too_deep", instance: "/search/all", pointers: []string{"offset"}},
		{name: "an empty key", method: "POST", path: "/intake/submit", body: ok(nil), headers: append([]string{"Idempotency-Key", `""`}, bearer...), status: 422, code: "invalid_field", pointers: []string{"Idempotency-Key"}},
		{name: "a long key", method: "POST", path: "/intake/submit", body: ok(nil), headers: append([]string{"Idempotency-Key", canary + strings.Repeat("k", 120)}, bearer...), status: 422, code: "invalid_field", pointers: []string{"Idempotency-Key"}},
		{name: "a very long key", method: "POST", path: "/intake/submit", body: ok(nil), headers: append([]string{"Idempotency-Key", canary + strings.Repeat("k", 300)}, bearer...), status: 422, code: "invalid_field", pointers: []string{"Idempotency-Key"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := s.send(t, tc.method, tc.path, tc.body, tc.headers...)
			p := wantProblem(t, got, tc.status, tc.code, tc.pointers...)
			wantInstance := tc.instance
			switch wantInstance {
			case "":
				wantInstance, _, _ = strings.Cut(tc.path, "?")
			case "-": // no route was found
				wantInstance = ""
			}
			if p.Instance != wantInstance {
				t.Errorf("instance is %q, want %q", p.Instance, wantInstance)
			}
			if got := got.header.Get("Allow"); got != tc.allow {
				t.Errorf("Allow is %q, want %q", got, tc.allow)
			}
			challenge := got.header.Get("WWW-Authenticate")
			switch {
			case tc.status != 401 && challenge != "",
				tc.code == "missing_token" && challenge != `Bearer realm="agentlore"`,
				tc.code == "invalid_token" && challenge != `Bearer realm="agentlore", error="invalid_token"`:
				t.Errorf("WWW-Authenticate is %q", challenge)
			}
			if strings.Contains(string(got.body), canary) || strings.Contains(fmt.Sprint(got.header), canary) {
				t.Errorf("the answer repeats what was sent: %.600s", got.body)
			}
			if got.header.Get("Access-Control-Allow-Origin") != "*" {
				t.Error("a page of another origin can't read the problem")
			}
		})
	}
	for _, collection := range []string{"submissions", "knowledge", "patterns", "families", "assets", "sources", "suggestions", "safety-flags"} {
		for _, id := range []string{missing, canary, strings.Repeat("7", 200), "..%2F" + canary} {
			got := s.get(t, "/"+collection+"/"+id)
			p := wantProblem(t, got, 404, "not_found")
			if want := "/" + collection + "/{id}"; p.Instance != want && p.Instance != "" {
				t.Errorf("instance of %s is %q, want the pattern", collection, p.Instance)
			}
			if strings.Contains(string(got.body), canary) || strings.Contains(string(got.body), strings.Repeat("7", 20)) {
				t.Errorf("the answer repeats the id: %s", got.body)
			}
		}
	}
	if log := s.log.String(); strings.Contains(log, canary) || strings.Contains(log, "CANARY") {
		at := strings.Index(strings.ToLower(log), canary[:6])
		t.Errorf("the log repeats what was sent: ...%.300s", log[max(0, at-150):])
	}
}

// What is allowed and how long something may be is said in the answer, so that an agent can mend its request alone.
func TestProblemsSayWhatIsAllowed(t *testing.T) {
	t.Parallel()
	s := sharedService(t)
	me := s.register(t, "asks-what-is-allowed")
	p := wantProblem(t, s.send(t, "POST", "/intake/submit", map[string]any{"summary": "x", "category": "bug"}, me.bearer()...), 422, "invalid_field", "/category")
	if len(p.Errors) == 1 && (len(p.Errors[0].Allowed) != 10 || p.Errors[0].Allowed[9] != "general") {
		t.Errorf("allowed categories are %q, want all ten", p.Errors[0].Allowed)
	}
	p = wantProblem(t, s.send(t, "POST", "/intake/submit", observation(strings.Repeat("x", 501)), me.bearer()...), 422, "invalid_field", "/summary")
	if len(p.Errors) == 1 && !strings.Contains(p.Errors[0].Detail, "500") {
		t.Errorf("the limit isn't named: %q", p.Errors[0].Detail)
	}
	p = wantProblem(t, s.send(t, "POST", "/intake/submit", map[string]any{"summary": "x", "category": "general", "sumary": "y"}, me.bearer()...), 422, "invalid_field", "/sumary")
	if len(p.Errors) == 1 && len(p.Errors[0].Allowed) != 7 {
		t.Errorf("allowed members are %q, want the seven of a submission", p.Errors[0].Allowed)
	}
}

func TestRequestIDs(t *testing.T) {
	t.Parallel()
	s := sharedService(t)
	if got := s.get(t, "/health", "X-Request-ID", "my-request-42").header.Get("X-Request-ID"); got != "my-request-42" {
		t.Errorf("X-Request-ID is %q, want the caller's own", got)
	}
	for _, hostile := range []string{"", canary + " space", canary + "\"quote", strings.Repeat("a", 65), canary + "é", "a_" + canary} {
		if got := s.get(t, "/health", "X-Request-ID", hostile).header.Get("X-Request-ID"); got == hostile || len(got) != 36 {
			t.Errorf("X-Request-ID for %.20q is %q, want an id of the service's own", hostile, got)
		}
	}
}

// Elasticsearch that can't be reached is a 503 that says when to come back, on every path that needs it.
func TestStoreUnavailable(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	link := newLink(t, enginetest.ElasticsearchURL(t))
	s := serve(t, prefix, "--elasticsearch-url="+link.url)
	me := s.register(t, "meets-an-outage")
	s.submit(t, me, observation("before the outage"))
	link.cut()
	for _, tc := range []struct {
		method, path string
		body         any
		headers      []string
	}{
		{"POST", "/intake/register", map[string]any{"name": "another", "type": "bot", "owner": "x"}, nil},
		{"POST", "/intake/submit", observation("during the outage"), me.bearer()},
		{"POST", "/intake/submit", observation("during the outage"), append(me.bearer(), "Idempotency-Key", "outage")},
		{"GET", "/status", nil, nil}, {"GET", "/categories", nil, nil}, {"GET", "/analytics", nil, nil}, {"GET", "/libraries", nil, nil},
		{"GET", "/submissions", nil, nil}, {"GET", "/assets", nil, nil}, {"GET", "/search/all?q=outage", nil, nil},
		{"GET", "/submissions/00000000-0000-7000-8000-000000000000", nil, nil},
	} {
		got := s.send(t, tc.method, tc.path, tc.body, tc.headers...)
		wantProblem(t, got, 503, "store_unavailable")
		if got.header.Get("Retry-After") == "" {
			t.Errorf("%s %s: 503 without Retry-After", tc.method, tc.path)
		}
		if strings.Contains(string(got.body), "127.0.0.1") {
			t.Errorf("the answer tells where the store is: %s", got.body)
		}
	}
	got := s.get(t, "/health").want(t, 503)
	if health := decode[map[string]any](t, got); health["status"] != "unavailable" || health["version"] != "2.0" {
		t.Errorf("health is %v, want unavailable", health)
	}
	s.get(t, "/api/schema").want(t, 200)
	link.mend()
	enginetest.Eventually(t, "the service works again", func() bool { return s.get(t, "/health").status == 200 })
	s.submit(t, me, observation("during the outage"))
}

// link is a way to the store that can be cut.
type link struct {
	url string
	*forwarder
}

func newLink(t *testing.T, to string) link {
	t.Helper()
	parsed, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	f := newForwarder(t, parsed.Host)
	parsed.Host = f.listener.Addr().String()
	return link{parsed.String(), f}
}

// A body that doesn't arrive is given up, and what the client sees is a problem.
func TestSlowBody(t *testing.T) {
	enginetest.Long(t)
	t.Parallel()
	s := sharedService(t)
	me := s.register(t, "slow-writer")
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /intake/submit HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer %s\r\nContent-Length: 100\r\n\r\n{\"summary\"", me.token)
	if err := conn.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 64)
	n, err := conn.Read(line)
	if err != nil {
		t.Fatalf("no answer to half a body: %v", err)
	}
	if !strings.HasPrefix(string(line[:n]), fmt.Sprintf("HTTP/1.1 %d", http.StatusRequestTimeout)) {
		t.Errorf("half a body was answered by %q, want a 408", line[:n])
	}
}
