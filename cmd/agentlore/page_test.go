package main

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agentlore/enginetest"
)

// html are the headers of a browser that follows a link.
var html = []string{"Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}

// The page is for those who ask for HTML by name; the interface answers JSON whatever a client accepts.
func TestPageIsForBrowsers(t *testing.T) {
	t.Parallel()
	s := sharedService(t)
	enginetest.Eventually(t, "new indices can be searched", func() bool { return s.get(t, "/search/all").status == 200 })
	for accept, wantHTML := range map[string]bool{
		"": false, "*/*": false, "application/json": false, "application/json, */*;q=0.5": false, "text/html;q=0": false, "text/markdown": false,
		"text/html": true, html[1]: true, "application/json;q=0.1, text/html": true, "TEXT/HTML": true,
	} {
		got := s.get(t, "/", "Accept", accept).want(t, 200)
		if isHTML := strings.HasPrefix(got.header.Get("Content-Type"), "text/html"); isHTML != wantHTML {
			t.Errorf("Accept %q gets %s", accept, got.header.Get("Content-Type"))
		}
		if !strings.Contains(strings.Join(got.header.Values("Vary"), ","), "Accept") {
			t.Errorf("Accept %q: a cache would give everybody the same", accept)
		}
	}
	for _, path := range []string{"/search/all?q=x", "/submissions", "/knowledge", "/status"} {
		if kind := s.get(t, path, html...).header.Get("Content-Type"); !strings.Contains(kind, "json") {
			t.Errorf("%s gives a browser %s: agents that accept HTML would no longer read it", path, kind)
		}
	}
}

// An item's address, as feeds and answers give it, shows a browser the item's page and a program JSON; a search typed by hand leads to the page.
func TestItemAddressesShowBrowsersThePage(t *testing.T) {
	t.Parallel()
	s := sharedService(t)
	me := s.register(t, "shown-"+enginetest.NewPrefix())
	id := s.submit(t, me, observation("Quokka vault shows its page to browsers")).ID
	for _, path := range []string{"/submissions/" + id, "/items/" + id} {
		program := s.get(t, path).want(t, 200)
		if kind := program.header.Get("Content-Type"); !strings.Contains(kind, "json") || !strings.Contains(strings.Join(program.header.Values("Vary"), ","), "Accept") {
			t.Errorf("%s gives a program %s", path, kind)
		}
		browser := s.get(t, path, html...).want(t, 200) // where it was sent
		if kind := browser.header.Get("Content-Type"); !strings.HasPrefix(kind, "text/html") || !strings.Contains(string(browser.body), "Quokka vault shows its page") {
			t.Errorf("%s gives a browser %s", path, kind)
		}
	}
	if typed := s.get(t, "/search?q=quokka", html...).want(t, 200); !strings.Contains(string(typed.body), `value="quokka"`) {
		t.Error("a search typed by hand leads nowhere")
	}
}

// A log of 400 lines is pasted as it is, without script: the page says what it is, what to do in steps, and what was removed.
func TestAWholeLogIsPastedIntoThePage(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	if status, _, stderr := run(t, append([]string{"import", "--reference"}, storeFlags(t, prefix)...)...); status != 0 {
		t.Fatal(stderr)
	}
	s := serve(t, prefix)
	form := func(text string) *http.Response {
		t.Helper()
		answer, err := http.PostForm(s.base+"/web/ask", url.Values{"text": {text}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = answer.Body.Close() })
		return answer
	}
	log := strings.Repeat("2026-02-11T09:14:33Z INFO worker idle\n", 400) + "ERROR FailedOp(0, \"AA25 invalid account nonce\") mail " + "ann" + "@" + "example.org\n"
	answer := form(log)
	body, err := io.ReadAll(answer.Body)
	if text := string(body); err != nil || answer.StatusCode != 200 || !strings.Contains(text, "This is known") || !strings.Contains(text, "UserOperation has the wrong nonce") ||
		!strings.Contains(text, "Removed before it was read") || strings.Contains(text, "ann"+"@"+"example.org") {
		t.Errorf("status %d, %v: %.600s", answer.StatusCode, err, text[strings.Index(text, "<main"):])
	}
	if empty := form(" "); empty.StatusCode != 422 {
		t.Errorf("nothing pasted: status %d", empty.StatusCode)
	}
	// A log of JSON is three times as long in a form, and of a longer one the end is read.
	for _, lines := range []int{2500, 5000} {
		answer := form(strings.Repeat(`{"level":"info","msg":"worker idle","slot":17,"root":"0x00"}`+"\n", lines) + `{"err":"FailedOp(0, \"AA25 invalid account nonce\")"}` + "\n")
		body, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != 200 || !strings.Contains(string(body), "UserOperation has the wrong nonce") {
			t.Errorf("%d lines of JSON: status %d, %v", lines, answer.StatusCode, err)
		}
	}
}

// What somebody types into the search box stands in the page and in all its links: a secret never does.
func TestThePageRepeatsNoSecret(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	s.submit(t, s.register(t, "author"), observation("Quokka faucet pays twice"))
	key := strings.Repeat("4c0883a69102937d", 4)
	shown := s.get(t, "/?q="+url.QueryEscape("quokka faucet privateKey="+key), "Accept", "text/html").want(t, 200)
	if text := string(shown.body); strings.Contains(text, key) || !strings.Contains(text, "quokka") {
		t.Errorf("the page has the key (%t) or lost the words", strings.Contains(text, key))
	}
}

var (
	inlineCode = regexp.MustCompile(`(?i)<script(?:>| [^>]*>[^<])|\son[a-z]+\s*=|\sstyle\s*=|<style|javascript:`)
	outsideURL = regexp.MustCompile(`(?i)(?:src|href|action)="(?:https?:)?//`)
)

// Every page has its policy, nothing inline, nothing from outside, and stays small with all that it loads.
func TestPagesAreSmallAndStrict(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t), "--no-curate")
	files := 0
	for _, path := range []string{"/static/page.css", "/static/page.js", "/static/icon.svg"} {
		got := s.get(t, path).want(t, 200)
		files += len(got.body)
		if again := s.get(t, path, "If-None-Match", got.header.Get("ETag")); again.status != 304 {
			t.Errorf("%s is sent anew to who has it: status %d", path, again.status)
		}
	}
	largest := 0
	for _, path := range showcase(t, s, "approve reverts unless the allowance is zero first") {
		got := s.get(t, path, html...)
		if want := map[bool]int{true: 404, false: 200}[path == "/nothing-here"]; got.status != want {
			t.Errorf("%s: status %d, want %d", path, got.status, want)
		}
		policy := got.header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "base-uri 'none'", "frame-ancestors 'none'", "form-action 'self'"} {
			if !strings.Contains(policy, part) {
				t.Errorf("%s has the policy %q, without %s", path, policy, part)
			}
		}
		if strings.Contains(policy, "unsafe") || got.header.Get("X-Content-Type-Options") != "nosniff" || got.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: headers %v", path, got.header)
		}
		if found := inlineCode.Find(got.body); found != nil {
			t.Errorf("%s has inline code: %s", path, found)
		}
		if found := outsideURL.Find(got.body); found != nil {
			t.Errorf("%s refers to another host: %s", path, found)
		}
		largest = max(largest, len(got.body)+files)
	}
	if t.Logf("the largest page has %d bytes with all its files, uncompressed", largest); largest > 100_000 {
		t.Errorf("%d bytes, want at most 100,000", largest)
	}
}

// sameOrigin are the headers of a browser that sends the portal's form.
func (s *service) sameOrigin() []string {
	return append(slices.Clone(html), "Content-Type", "application/x-www-form-urlencoded", "Origin", s.base, "Sec-Fetch-Site", "same-origin")
}

// The portal's form is the interface's registration: its rules, its errors beside their fields, its limit.
func TestPortal(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t), "--rate-register=6-H", "--redis-timeout=10s")
	secret := strings.Join([]string{"someone", "example.org"}, "@")
	form := url.Values{"name": {"by-form"}, "type": {"bot"}, "owner": {"me"}, "ecosystem": {"Ethereum, base"}, "description": {"<b>tests</b>\r\nforms"}}
	with := func(name, value string) string {
		changed := url.Values{}
		for field := range form {
			changed.Set(field, form.Get(field))
		}
		changed.Set(name, value)
		return changed.Encode()
	}
	token := regexp.MustCompile(`<code id="token"[^>]*>(agl-[a-z0-9]+)</code>`)

	got := s.send(t, "POST", "/portal", form.Encode(), s.sameOrigin()...).want(t, 201)
	shown := token.FindSubmatch(got.body)
	if shown == nil || got.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("no token, or one that a cache may keep (%s): %.400s", got.header.Get("Cache-Control"), got.body)
	}
	me := agent{token: string(shown[1])}
	s.submit(t, me, observation("sent with a token of the portal"))
	enginetest.Eventually(t, "the agent is listed as the form said", func() bool {
		found := decode[page](t, s.get(t, "/sources?type=bot").want(t, 200)).Results
		return len(found) == 1 && found[0]["name"] == "by-form" && found[0]["description"] == "<b>tests</b>\nforms" && len(found[0]["ecosystem"].([]any)) == 2
	})

	for _, refused := range []struct {
		what, body, want string
		status           int
	}{
		{"a taken name", form.Encode(), `id="name-fault">Name is taken`, 409},
		{"a name too long", with("name", strings.Repeat("x", 65)), `id="name-fault">Name must be at most 64 characters long`, 422},
		{"no owner", with("owner", " "), `id="owner-fault">Owner is required`, 422},
		{"a type that isn't there", with("type", "human"), `id="type-fault">Type must be one of`, 422},
		{"a name that holds a secret", with("name", secret), `id="name-fault">Name must not hold a secret`, 422},
	} {
		got := s.send(t, "POST", "/portal", refused.body, s.sameOrigin()...)
		if got.status != refused.status || !strings.Contains(string(got.body), refused.want) {
			t.Errorf("%s: status %d, want %d with %q: %.300s", refused.what, got.status, refused.status, refused.want, regexp.MustCompile(`(?s)<main.*?<form`).Find(got.body))
		}
		if strings.Contains(string(got.body), secret) {
			t.Errorf("%s: the answer repeats it", refused.what)
		}
	}
	if got := s.send(t, "POST", "/portal", with("name", "one too many"), s.sameOrigin()...); got.status != 429 || !strings.Contains(string(got.body), "Try again in") {
		t.Errorf("the seventh registration of an hour that allows six: status %d", got.status)
	}
}

// No other site sends the portal's form in a reader's name.
func TestPortalRefusesOtherSites(t *testing.T) {
	t.Parallel()
	s := sharedService(t)
	body := url.Values{"name": {"by-another-site"}, "type": {"agent"}, "owner": {"me"}}.Encode()
	for what, headers := range map[string][]string{
		"Sec-Fetch-Site": {"Sec-Fetch-Site", "cross-site"},
		"same site only": {"Sec-Fetch-Site", "same-site", "Origin", "http://other.example"},
		"Origin":         {"Origin", "https://attacker.example"},
		"null":           {"Origin", "null"},
	} {
		got := s.send(t, "POST", "/portal", body, append([]string{"Content-Type", "application/x-www-form-urlencoded"}, headers...)...)
		if got.status != 403 || strings.Contains(string(got.body), "agl-") {
			t.Errorf("%s: status %d", what, got.status)
		}
	}
	for what, kind := range map[string]string{"JSON": "application/json", "text": "text/plain", "multipart": "multipart/form-data; boundary=x"} {
		if got := s.send(t, "POST", "/portal", body, "Content-Type", kind, "Sec-Fetch-Site", "same-origin"); got.status != 415 {
			t.Errorf("%s: status %d, want 415", what, got.status)
		}
	}
}
