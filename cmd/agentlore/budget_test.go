package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
)

// from returns a client that sends from an address of this machine's own network: services tell clients apart by it.
func from(address string) *http.Client {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	return &http.Client{Timeout: time.Minute, Transport: &http.Transport{DialContext: dialer.DialContext, MaxIdleConnsPerHost: 256, DisableCompression: true}}
}

// ofSize returns an observation whose body takes about so many bytes.
func ofSize(name string, bytes int) map[string]any {
	return map[string]any{"summary": name, "category": "failure", "content": strings.Repeat("Each word counts. ", bytes/18)}
}

// wantQuota checks a refusal because a budget is used up: it says when that ends, and how long to wait.
func wantQuota(t *testing.T, got answer, within time.Duration) {
	t.Helper()
	refused := wantProblem(t, got, 429, "quota")
	wait, err := strconv.Atoi(got.header.Get("Retry-After"))
	if most := within.Seconds() + 60; err != nil || wait < 1 || float64(wait) > most || refused.Retryable == nil || !*refused.Retryable {
		t.Errorf("Retry-After is %q, retryable %v", got.header.Get("Retry-After"), refused.Retryable != nil)
	}
	_, end, found := strings.Cut(refused.Detail, "it ends at ")
	end, _, _ = strings.Cut(end, ";")
	at, err := time.Parse(time.RFC3339, end)
	if left := time.Until(at); !found || err != nil || left < -time.Second || left > within+2*time.Second {
		t.Errorf("it doesn't say when it ends: %s", refused.Detail)
	}
}

// Each newcomer may store a limited number of bytes a day, counted over all replicas; each address may store ten times
// as many. Duplicates and refused reports cost nothing. Standing and an operator's raise allow more.
func TestStoredBytesAreBounded(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{"with Redis": {"--redis-timeout=10s"}, "without Redis": {"--redis-url="}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			both := serveTwo(t, append(flags, "--budget-stored=20kB,100kB", "--budget-read=off", "--rate-write=1000000-M")...)
			one, two := both[0], both[1]
			if name == "without Redis" {
				two = one
			}
			me, other := one.register(t, "stores much"), one.register(t, "stores little")
			one.submit(t, me, ofSize("first", 9_000))
			for range 5 {
				one.send(t, "POST", "/intake/submit", ofSize("first", 9_000), me.bearer()...).want(t, 200)
			}
			wantProblem(t, one.send(t, "POST", "/intake/submit", `{"summary":"`+strings.Repeat("x", 9_000)+`"}`, me.bearer()...), 422, "invalid_fields", "/summary", "/category")
			two.submit(t, me, ofSize("second", 9_000))
			wantQuota(t, one.send(t, "POST", "/intake/submit", ofSize("third", 9_000), me.bearer()...), 24*time.Hour)
			one.submit(t, me, ofSize("what still fits", 500)) // what was refused took nothing
			batch := []any{ofSize("in a batch", 4_000), ofSize("in a batch too", 4_000)}
			wantQuota(t, one.send(t, "POST", "/intake/submit/batch", batch, me.bearer()...), 24*time.Hour)
			one.submit(t, other, ofSize("of another principal", 9_000))
			one.get(t, "/submissions").want(t, 200)

			// The operator raises one, and takes it back.
			lever(t, one.prefix, "raise", me.id, "--times=2", "--why=it reports for a team")
			enginetest.Within(t, 20*time.Second, "it has twice its budget", func() bool {
				got := one.send(t, "POST", "/intake/submit", ofSize("third", 9_000), me.bearer()...)
				return got.status < 300
			})
			if printed := lever(t, one.prefix, "decisions"); !strings.Contains(printed, ", 2 times the usual budgets") || !strings.Contains(printed, "it reports for a team") {
				t.Errorf("the decision isn't kept: %s", printed)
			}
			lever(t, one.prefix, "raise", me.id, "--times=1", "--why=the team is gone")
			enginetest.Within(t, 20*time.Second, "it has the usual budget", func() bool {
				return one.send(t, "POST", "/intake/submit", ofSize("fourth", 2_000), me.bearer()...).status == 429
			})

			// One address has ten times as much for all newcomers on it.
			refused := 0
			for i := range 12 {
				agent := one.register(t, fmt.Sprintf("one of many %d", i))
				for j := range 2 {
					if got := one.send(t, "POST", "/intake/submit", ofSize(fmt.Sprint(i, j), 9_000), agent.bearer()...); got.status == 429 {
						wantQuota(t, got, 24*time.Hour)
						refused++
					}
				}
			}
			if refused < 5 || refused > 10 {
				t.Errorf("%d of 24 reports were refused at the address's budget", refused)
			}
			// Who has standing pays apart from newcomers, out of a larger budget.
			lever(t, one.prefix, "vouch", other.id, "--why=known to us")
			curateOnce(t, one.prefix)
			enginetest.Within(t, 20*time.Second, "standing counts", func() bool {
				return one.send(t, "POST", "/intake/submit", ofSize("with standing", 30_000)["content"], other.bearer()...).status != 429
			})
			one.submit(t, other, ofSize("with standing", 15_000))
			one.submit(t, other, ofSize("with standing too", 15_000))
			if got := lever(t, one.prefix, "raise", "127.0.0.1", "--times=100", "--why=an office"); !strings.Contains(got, "127.0.0.1/32") {
				t.Errorf("raise says %s", got)
			}
			enginetest.Within(t, 20*time.Second, "the address has more", func() bool {
				return one.send(t, "POST", "/intake/register", map[string]any{"name": "of the office", "type": "agent", "owner": "x"}).status == 201
			})
		})
	}
}

// Reads cost what they make the store and the service handle: large pages and long pastes use an address's budget up
// sooner than small ones. Another address, and who shows the token of a principal with a larger budget, are served
// on.
func TestReadsCostWhatTheyHandle(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t), "--budget-read=100kB,10MB", "--budget-stored=off", "--rate-read=1000000-M", "--redis-url=", behindProxy)
	me := s.register(t, "reads much")
	long := strings.Repeat("A long story about wombats. ", 714)[:19_990]
	for i := range 6 {
		s.submit(t, me, map[string]any{"summary": fmt.Sprintf("wombat number %d", i), "category": "failure", "content": fmt.Sprint(long, i), "resolution": long})
	}
	inTime(t, "all are found", func() bool {
		return decode[page](t, s.get(t, "/submissions?limit=1", "X-Forwarded-For", lateAddress()).want(t, 200)).Total == 6
	})
	// served returns how many requests an address has before its budget is used up, 100 at most.
	served := func(address string, send func(headers ...string) answer) (n int) {
		for ; n < 100; n++ {
			if got := send("X-Forwarded-For", address); got.status == 429 {
				wantQuota(t, got, time.Minute)
				return n
			} else if got.status != 200 {
				t.Fatalf("status %d: %.300s", got.status, got.body)
			}
		}
		return n
	}
	get := func(path string) func(...string) answer {
		return func(headers ...string) answer { return s.get(t, path, headers...) }
	}
	ask := func(text string) func(...string) answer {
		return func(headers ...string) answer {
			return s.send(t, "POST", "/ask", map[string]any{"text": text}, headers...)
		}
	}
	for _, test := range []struct {
		what        string
		send        func(headers ...string) answer
		least, most int
	}{
		{"pages of large items", get("/submissions?limit=5"), 2, 5},
		{"single items", get("/categories"), 100, 100},
		{"short questions", ask("execution reverted: AA25"), 100, 100},
		{"long pastes", ask(strings.Repeat("reverted with 0x08c379a0 at block. ", 570)), 2, 6},
		{"deep pages", get("/patterns?offset=9900"), 1, 2},
	} {
		if n := served(lateAddress(), test.send); n < test.least || n > test.most {
			t.Errorf("%s: %d requests within the budget, want %d to %d", test.what, n, test.least, test.most)
		}
	}
	address := lateAddress()
	served(address, get("/submissions?limit=5"))
	lever(t, s.prefix, "raise", me.id, "--times=50", "--why=reads for many")
	enginetest.Within(t, 20*time.Second, "the principal's own budget counts", func() bool {
		wantQuota(t, s.get(t, "/submissions?limit=5", "X-Forwarded-For", address), time.Minute)
		return s.get(t, "/submissions?limit=5", append(me.bearer(), "X-Forwarded-For", address)...).status == 200
	})
}

// Large reports of other sources do not use up the budget of a client whose searches find them.
func TestLargeReportsOfOthersMakeSearchesLittleDearer(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t), "--budget-read=1MB,10MB", "--budget-stored=off", "--redis-url=", behindProxy)
	me := s.register(t, "stores much")
	long := strings.Repeat("A long story about wombats. ", 714)[:19_990]
	for i := range 40 {
		s.submit(t, me, map[string]any{"summary": fmt.Sprintf("wombat number %d", i), "category": "failure", "content": fmt.Sprint(long, i), "resolution": long})
	}
	inTime(t, "all are found", func() bool {
		return decode[page](t, s.get(t, "/submissions?limit=1", "X-Forwarded-For", lateAddress()).want(t, 200)).Total == 40
	})
	asker, searcher := lateAddress(), lateAddress()
	for i := range 16 {
		if got := s.send(t, "POST", "/ask", map[string]any{"text": "wombats"}, "X-Forwarded-For", asker); got.status != 200 {
			t.Fatalf("ask %d: status %d: %.300s", i, got.status, got.body)
		}
		if got := s.get(t, "/search/all?q=wombats", "X-Forwarded-For", searcher); got.status != 200 {
			t.Fatalf("search %d: status %d: %.300s", i, got.status, got.body)
		}
	}
}

// lateAddress returns a client address that no other test uses.
func lateAddress() string {
	n := networks.Add(1)
	return fmt.Sprintf("10.%d.%d.77", n/250%250, n%250)
}

// Exports under way are bounded: one client can't take all places, and what is refused comes again.
func TestExportsUnderWayAreBounded(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t), behindProxy)
	me := s.register(t, "is exported")
	long := strings.Repeat("A long story about wombats. ", 714)[:19_990]
	inParallel(150, 8, func(i int) {
		s.submit(t, me, map[string]any{"summary": fmt.Sprintf("wombat number %d", i), "category": "failure", "content": fmt.Sprint(long, i), "resolution": long})
	})
	enginetest.Elasticsearch(t, "POST", "/"+s.prefix+"-*/_refresh", "")
	var held []*http.Response
	begin := func(address string) int {
		ctx, cancel := context.WithCancel(t.Context())
		t.Cleanup(cancel)
		request, err := http.NewRequestWithContext(ctx, "GET", s.base+"/export?collection=submissions", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-Forwarded-For", address)
		response, err := from("127.0.0.1").Do(request)
		if err != nil {
			t.Fatal(err)
		}
		if response.StatusCode == 200 {
			held = append(held, response)
		} else if response.Header.Get("Retry-After") == "" {
			t.Errorf("a %d without Retry-After", response.StatusCode)
		}
		return response.StatusCode
	}
	statuses := map[int]int{}
	for range 12 {
		statuses[begin("198.51.100.1")]++
	}
	if statuses[200] != 8 || statuses[503] != 4 {
		t.Errorf("12 exports of one client are answered %v, want 8 and 4 refusals", statuses)
	}
	if status := begin("198.51.100.2"); status != 200 {
		t.Errorf("another client's is answered %d", status)
	}
	for _, response := range held {
		response.Body.Close()
	}
	enginetest.Within(t, 10*time.Second, "the places are free again", func() bool { return begin("198.51.100.1") == 200 })
	if whole := s.exported(t, lore.Submissions, ""); strings.Count(whole, "\n") != 150 {
		t.Errorf("an export has %d lines, want 150", strings.Count(whole, "\n"))
	}
}

// A text that normalisation would make many times as long is refused before it is, wherever texts come in; what
// people write is not.
func TestTextsThatExpandAreRefused(t *testing.T) {
	t.Parallel()
	s := sharedService(t)
	me := s.register(t, "writes ligatures")
	bomb := strings.Repeat("\uFDFA", 20_000)
	for path, body := range map[string]map[string]any{
		"/intake/submit":  {"summary": "x", "category": "failure", "content": bomb},
		"/intake/analyze": {"content": bomb}, "/ask": {"text": bomb}, "/intake/question": {"text": bomb},
		"/intake/suggest": {"kind": "feature", "summary": "x", "content": bomb},
	} {
		pointer := map[string]string{"/ask": "/text", "/intake/question": "/text"}[path]
		if pointer == "" {
			pointer = "/content"
		}
		began := time.Now()
		got := wantProblem(t, s.send(t, "POST", path, body, me.bearer()...), 422, "invalid_field", pointer)
		if len(got.Errors) != 1 || got.Errors[0].Code != "expands" {
			t.Errorf("%s: %+v", path, got.Errors)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s takes %s to refuse", path, took)
		}
	}
	for _, text := range []string{
		"النبي محمد \uFDFA قال: إنما الأعمال بالنيات", strings.Repeat("각", 10_000), strings.Repeat("Ｆｕｌｌ　ｗｉｄｔｈ　", 1_000), strings.Repeat("ﬁ ½ ① ℡ ㎏ ", 1_000),
	} {
		s.send(t, "POST", "/intake/submit", map[string]any{"summary": "honest " + text[:0], "category": "failure", "content": text}, me.bearer()...).want(t, 201)
	}
}

// Retries that wait for the request with their key take no place: others write meanwhile.
func TestRetriesWaitOutsideTheQueue(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t), "--max-writes=2", "--queue-wait=1s")
	me := s.register(t, "retries much")
	first := lore.Observation{Summary: "the first is still at work", Category: lore.CategoryFailure}
	first.Normalise()
	record := lore.Record{SourceID: me.id, Body: first.Fingerprint(), CreatedAt: time.Now().UTC().Add(time.Hour), ExpiresAt: time.Now().UTC().Add(2 * time.Hour)}
	text := fmt.Sprintf(`{"source_id":%q,"body_hash":%q,"created_at":%q,"expires_at":%q}`, record.SourceID, record.Body,
		record.CreatedAt.Format(time.RFC3339), record.ExpiresAt.Format(time.RFC3339))
	if status, said := enginetest.Elasticsearch(t, "PUT", "/"+s.prefix+"-records/_doc/"+lore.DerivedID("idempotency", me.id, "k")+"?refresh=true", text); status > 299 {
		t.Fatalf("%d %s", status, said)
	}
	waiting := make(chan answer, 8)
	for range cap(waiting) {
		go func() {
			got, _ := s.try(t.Context(), "POST", "/intake/submit", map[string]any{"summary": first.Summary, "category": "failure"}, append(me.bearer(), "Idempotency-Key", "k")...)
			waiting <- got
		}()
	}
	for i := 0; len(waiting) < cap(waiting); i++ {
		began := time.Now()
		got := s.send(t, "POST", "/intake/submit", observation(fmt.Sprint("meanwhile ", i)), me.bearer()...)
		if took := time.Since(began); got.status != 201 || took > 2*time.Second {
			t.Fatalf("another report, while retries wait: %d after %s", got.status, took)
		}
	}
	for range cap(waiting) {
		if got := <-waiting; got.status != 409 && got.status != 503 {
			t.Errorf("a retry is answered %d: %.200s", got.status, got.body)
		}
	}
}

// Clients that are refused together don't come back together.
func TestRetryAfterDiffers(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t), "--rate-read=1-H", "--redis-url=")
	waits := map[string]bool{}
	for range 30 {
		if got := s.get(t, "/categories"); got.status == 429 {
			waits[got.header.Get("Retry-After")] = true
		}
	}
	if len(waits) < 5 {
		t.Errorf("29 refusals name %d times to wait", len(waits))
	}
}

// A page is one request at the queue, however much it shows, and while the service is healthy it is a page whatever
// else is busy.
func TestPagesAreNeverRefusedWhileHealthy(t *testing.T) {
	t.Parallel()
	way := newLink(t, enginetest.ElasticsearchURL(t))
	prefix := enginetest.Prefix(t)
	s := serve(t, prefix, "--max-reads=1", "--queue-wait=500ms", "--elasticsearch-url="+way.url, "--elasticsearch-timeout=20s")
	me := s.register(t, "is on pages")
	id := s.submit(t, me, observation("the relayer stops")).ID
	inTime(t, "it is found", func() bool { return decode[page](t, s.get(t, "/submissions")).Total == 1 })
	const notice = "parts of this page did not come in time"
	pages := []string{"/", "/?q=relayer+stops", "/web/submissions", "/web/submissions/" + id, "/web/analytics"}
	for range 5 {
		for _, path := range pages {
			enginetest.Within(t, 10*time.Second, path+" is whole", func() bool {
				got := s.get(t, path, html...).want(t, 200)
				return !strings.Contains(string(got.body), notice) && strings.Contains(string(got.body), "relayer stops") == (path != "/web/analytics")
			})
		}
	}
	s.get(t, "/health").want(t, 200)
	way.delay(430 * time.Millisecond) // there and back: all that reads is late, and the store healthy
	for _, path := range pages {
		enginetest.Within(t, 30*time.Second, path+" says that parts are late", func() bool {
			if s.get(t, "/health").status != 200 { // this machine is too busy: health waits two seconds
				return false
			}
			began := time.Now()
			got := s.get(t, path, html...)
			if took := time.Since(began); took > 2*time.Second || got.status != 200 && s.get(t, "/health").status == 200 {
				t.Errorf("%s with a slow store: %d after %s", path, got.status, took)
			}
			return got.status == 200 && strings.Contains(string(got.body), notice) && got.header.Get("Cache-Control") == "no-store"
		})
	}
	way.delay(0)
	enginetest.Eventually(t, "pages are whole again", func() bool {
		return !strings.Contains(string(s.get(t, "/", html...).body), notice)
	})
	way.cut()
	enginetest.Eventually(t, "an unhealthy service says so on its pages", func() bool {
		return s.get(t, "/health").status == 503 && s.get(t, "/", html...).status == 503
	})
}

// An office of thirty agents behind one address and a CI beside them meet no limit and no budget at their defaults;
// an import meets none at all.
func TestAnOfficeMeetsNoLimit(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	args := append([]string{"import", "--collection=submissions"}, storeFlags(t, prefix)...)
	if status, stdout, stderr := run(t, append(args, manyLines(t, 3_000))...); status != 0 || !strings.Contains(stdout, "3000 stored") {
		t.Fatalf("import: %s %s", stdout, stderr)
	}
	if keys := enginetest.Keys(t, enginetest.RedisURL(t), prefix); len(keys) > 0 {
		t.Errorf("an import is counted: %v", keys)
	}
	s := serve(t, prefix, "--rate-register=60-H", "--rate-write=120-M", "--rate-read=1200-M", "--rate-export=10-M", "--budget-stored=5MB,200MB",
		"--budget-read=30MB,120MB", "--redis-timeout=10s")
	paste := strings.Repeat("Error: execution reverted: AA25 invalid account nonce at sendUserOp (bundler.ts:118)\n", 24) // 2 kB
	refusals := make(chan string, 2_000)
	send := func(method, path string, body any, headers ...string) answer {
		got := s.send(t, method, path, body, headers...)
		if got.status >= 400 {
			refusals <- fmt.Sprintf("%s %s: %d %.200s", method, path, got.status, got.body)
		}
		return got
	}
	inParallel(30, 30, func(i int) {
		got := send("POST", "/intake/register", map[string]any{"name": fmt.Sprintf("office %d", i), "type": "agent", "owner": "the office"})
		if got.status != 201 {
			return
		}
		me := agent{token: decode[registered](t, got).APIToken}
		for j := range 3 {
			send("POST", "/intake/submit", ofSize(fmt.Sprintf("seen by %d, number %d", i, j), 3_000), me.bearer()...)
		}
		for range 6 {
			send("POST", "/ask", map[string]any{"text": paste})
		}
		for _, path := range []string{"/submissions?limit=100", "/search/all?q=relayer+stops&detail=full&limit=20", "/feed.json", "/intake/mine"} {
			send("GET", path, nil, me.bearer()...)
		}
	})
	for range 500 { // a tenth of a day
		send("POST", "/ask", map[string]any{"text": paste})
	}
	close(refusals)
	for refused := range refusals {
		t.Error(refused)
	}
}
