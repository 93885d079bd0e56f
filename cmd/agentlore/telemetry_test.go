package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
)

// metric returns the value of a line of /metrics, "" where there is none.
func metric(t *testing.T, s *service, line string) string {
	t.Helper()
	for text := range strings.Lines(s.metrics(t)) {
		if value, found := strings.CutPrefix(strings.TrimSpace(text), line+" "); found {
			return value
		}
	}
	return ""
}

func TestMetricsTellWhatHappened(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	me := s.register(t, "counted")
	s.submit(t, me, map[string]any{"summary": "Metrics are counted for " + "me" + "@" + "example.org", "category": "failure"})
	s.send(t, "POST", "/intake/submit", map[string]any{"summary": "x", "category": "nonsense"}, me.bearer()...).want(t, 422)
	s.get(t, "/submissions/nothing-like-an-id").want(t, 404)
	s.get(t, "/no/such/"+canary).want(t, 404)
	enginetest.Eventually(t, "a search finds it", func() bool {
		return len(decode[page](t, s.get(t, "/search/all?q=metrics+counted")).Results) > 0
	})
	for line, want := range map[string]string{
		`agentlore_requests_total{code="",method="POST",route="/intake/submit",status="201"}`:              "1",
		`agentlore_requests_total{code="invalid_field",method="POST",route="/intake/submit",status="422"}`: "1",
		`agentlore_requests_total{code="not_found",method="GET",route="/submissions/{id}",status="404"}`:   "1",
		`agentlore_requests_total{code="not_found",method="GET",route="unmatched",status="404"}`:           "1",
		`agentlore_request_duration_seconds_count{method="POST",route="/intake/submit"}`:                   "2",
		`agentlore_scrubbed_total{kind="email"}`:                                                           "1",
		`agentlore_bulk_documents_count`:                                                                   "1",
		`agentlore_bulk_documents_sum`:                                                                     "1",
		`agentlore_bulk_wait_seconds_count`:                                                                "1",
		`agentlore_redis_state{state="ok"}`:                                                                "1",
		`agentlore_redis_state{state="down"}`:                                                              "0",
		`agentlore_elasticsearch_up`:                                                                       "1",
		`agentlore_token_lookups_total{by="index"}`:                                                        "1",
		`agentlore_token_lookups_total{by="process"}`:                                                      "",
		`agentlore_requests_in_flight`:                                                                     "0",
	} {
		if want == "" {
			continue // how many hits depends on how fast the test is
		}
		if got := metric(t, s, line); got != want {
			t.Errorf("%s is %q, want %s", line, got, want)
		}
	}
	if got := metric(t, s, `agentlore_search_layers_total{layer="keyword"}`); got == "" || got == "0" {
		t.Error("no search was counted by its layer")
	}
}

// Metrics tell who curates and how far behind it is.
func TestMetricsTellOfTheCurator(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	off := serve(t, prefix)
	me := off.register(t, "curated")
	off.submit(t, me, observation("the bridge relayer loses signed messages after a restart"))
	if got := metric(t, off, "agentlore_curator_lease"); got != "" {
		t.Errorf("a process that doesn't curate has %s leases", got)
	}
	curating := serve(t, prefix, "--curate=true")
	enginetest.Within(t, 2*time.Minute, "a report is curated and nothing waits", func() bool {
		return metric(t, curating, "agentlore_curator_lease") == "1" && metric(t, curating, "agentlore_curator_reports_total") == "1" &&
			metric(t, curating, "agentlore_curator_waiting_reports") == "0" && metric(t, curating, "agentlore_curator_passes_total") != "0"
	})
	if took := metric(t, curating, "agentlore_curator_pass_seconds"); took == "0" {
		t.Error("the pass took no time")
	}
	if lag, err := strconv.ParseFloat(metric(t, curating, "agentlore_curator_lag_seconds"), 64); err != nil || lag <= 0 || lag > 600 {
		t.Errorf("lag %v %v", lag, err)
	}
	if failures := metric(t, curating, "agentlore_curator_failures_total"); failures != "0" {
		t.Errorf("%s passes failed: %s", failures, curating.log)
	}
	// Passes that can't write what they found are counted, and do not stop the service.
	block := func(value string) {
		enginetest.Elasticsearch(t, "PUT", "/"+prefix+"-submissions/_settings", `{"index.blocks.read_only_allow_delete":`+value+`}`)
	}
	var blocked time.Time
	enginetest.Within(t, 2*time.Minute, "a pass fails", func() bool {
		if time.Since(blocked) > 25*time.Second { // again, should a pass have come between
			block("null")
			off.submit(t, me, observation("the bridge relayer pays too much for a late message, "+time.Now().Format(time.TimeOnly)))
			block("true")
			blocked = time.Now()
		}
		return metric(t, curating, "agentlore_curator_failures_total") != "0"
	})
	block("null")
	second := serve(t, prefix, "--curate=true") // waits for the lease
	for _, name := range []string{"lease", "lag_seconds", "waiting_reports", "reports_total"} {
		if got := metric(t, second, "agentlore_curator_"+name); got != "0" {
			t.Errorf("without the lease, agentlore_curator_%s is %s", name, got)
		}
	}
}

// Metrics have a listener of their own, and the public address doesn't show them. Two services of one machine start by default, with the
// metrics of one.
func TestMetricsOnTheirOwnListener(t *testing.T) {
	t.Parallel()
	address := freeAddress(t)
	s := serve(t, sharedService(t).prefix, "--metrics-listen="+address)
	s.get(t, "/metrics").want(t, 404)
	own := &service{base: "http://" + address}
	if got := string(own.get(t, "/metrics").want(t, 200).body); !strings.Contains(got, "agentlore_requests_total") {
		t.Errorf("no metrics on their own listener: %.300s", got)
	}
	own.get(t, "/health").want(t, 200) // whatever comes to the public address
	own.get(t, "/status").want(t, 404)
	silent := 0
	for range 2 {
		by := serve(t, s.prefix, "--metrics-listen="+defaultMetrics)
		by.get(t, "/metrics").want(t, 404)
		if strings.Contains(by.log.String(), "no metrics") {
			silent++
		}
	}
	if silent == 0 {
		t.Error("two services have one address, and none says that it has no metrics")
	}
	off := serve(t, s.prefix, "--metrics-listen=off")
	off.get(t, "/metrics").want(t, 404)
	if address := off.log.String(); !strings.Contains(address, `"metrics":""`) {
		t.Errorf("metrics that are off are at %s", address)
	}
}

// Traces go through Gin, Elasticsearch and Redis, and hold no text of the request. telemetry's own tests have the details.
func TestTracesReachACollector(t *testing.T) {
	t.Parallel()
	var got text
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(&got, r.Body)
	}))
	defer collector.Close()
	first := sharedService(t)
	s := start(t, first.prefix, append([]string{"serve", "--listen=127.0.0.1:0", "--redis-url=" + enginetest.RedisURL(t),
		"--otlp-endpoint=" + collector.URL}, append(storeFlags(t, first.prefix), limitsOff...)...)...)
	me := s.register(t, "traced")
	s.submit(t, me, observation("traced "+canary+"text"))
	s.get(t, "/search/all?q="+canary+"query", "X-Request-ID", "traced-request-1").want(t, 200)
	if err := s.stop(); err != nil { // sends what waits
		t.Fatal(err)
	}
	sent := got.String()
	for _, wanted := range []string{"/search/all", "/intake/submit", "traced-request-1", "elasticsearch", "search", "bulk", "redis", "get"} {
		if !strings.Contains(sent, wanted) {
			t.Errorf("no span tells of %q", wanted)
		}
	}
	if strings.Contains(sent, canary) || strings.Contains(sent, me.token) || regexp.MustCompile(`token:[0-9a-f]{8}`).MatchString(sent) {
		t.Error("a span holds what a client sent")
	}
	if line := s.log.String(); !strings.Contains(line, `"request_id":"traced-request-1"`) {
		t.Error("the log has no line with the request's id")
	}
}

// A process that only curates tells Prometheus that it does.
func TestACuratorShowsItsMetrics(t *testing.T) {
	t.Parallel()
	prefix, address := enginetest.Prefix(t), freeAddress(t)
	process := program(t, prefix, "curate", "--metrics-listen="+address)
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(process) })
	enginetest.Within(t, time.Minute, "it holds the lease", func() bool {
		answer, err := http.Get("http://" + address + "/metrics")
		if err != nil {
			return false
		}
		defer answer.Body.Close()
		shown, err := io.ReadAll(answer.Body)
		return err == nil && strings.Contains(string(shown), "\nagentlore_curator_lease 1\n")
	})
}
