package page

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// lateAPI answers everything but paths that begin with one of late, for which it waits until the request is given up.
type lateAPI struct {
	late []string
	well int // the status of GET /health
}

// ServeHTTP answers a request.
func (a lateAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/health" {
		w.WriteHeader(a.well)
		return
	}
	for _, late := range a.late {
		if strings.HasPrefix(r.URL.Path, late) {
			<-r.Context().Done()
			w.WriteHeader(http.StatusServiceUnavailable)
			_ = json.NewEncoder(w).Encode(problem{Status: 503, Code: "store_unavailable", Retryable: true, RetryAfter: 2})
			return
		}
	}
	if r.URL.Path == "/status" {
		_, _ = w.Write([]byte(`{"submissions":4711}`))
		return
	}
	_, _ = w.Write([]byte(`{"results":[{"id":"1","summary":"the relayer stops","type":"submission"}],"total":1,"total_relation":"eq"}`))
}

// A page shows what came in time and says that there is more; only what is wholly late is an error page, and a 503
// where the service is not healthy.
func TestLateParts(t *testing.T) {
	for _, test := range []struct {
		path       string
		late       []string
		well       int
		status     int
		has, hasNo string
	}{
		{"/", nil, 200, 200, "4,711", lateNotice},
		{"/", []string{"/knowledge", "/search"}, 200, 200, "4,711", "No agent has reported"},
		{"/", []string{"/knowledge", "/search"}, 200, 200, "the relayer stops", "No agent has reported"},
		{"/", []string{"/"}, 200, 200, lateNotice, "No agent has reported"},
		{"/", []string{"/"}, 503, 503, "Service Unavailable", "4,711"},
		{"/?q=x", []string{"/ask"}, 200, 200, "the relayer stops", "This is known"},
		{"/?q=x", []string{"/"}, 200, 200, lateNotice, "No agent has reported"},
		{"/web/submissions", []string{"/"}, 200, 200, lateNotice, "the relayer stops"},
		{"/web/submissions", []string{"/"}, 503, 503, "Service Unavailable", "the relayer stops"},
	} {
		synctest.Test(t, func(t *testing.T) {
			turns, left := 0, 0
			p, err := New(Config{
				API: lateAPI{test.late, test.well}, Scrub: func(text string) string { return text }, Log: slog.New(slog.DiscardHandler), Now: time.Now,
				Turn: func(context.Context) func() { turns++; return func() { left++ } },
			})
			if err != nil {
				t.Fatal(err)
			}
			mux := http.NewServeMux()
			mux.HandleFunc("GET /{$}", p.Home)
			for _, route := range p.Routes() {
				mux.HandleFunc(route.Method+" "+route.Path, route.Handler)
			}
			answer, began := httptest.NewRecorder(), time.Now()
			mux.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, test.path, nil))
			body := answer.Body.String()
			if took := time.Since(began); answer.Code != test.status || took > time.Second || turns != 1 || left != 1 {
				t.Errorf("%s with %v late: %d after %s, %d turns, %d given back", test.path, test.late, answer.Code, took, turns, left)
			}
			if !strings.Contains(body, test.has) || strings.Contains(body, test.hasNo) {
				t.Errorf("%s with %v late has %v %q, %v %q", test.path, test.late, strings.Contains(body, test.has), test.has, strings.Contains(body, test.hasNo), test.hasNo)
			}
			if late := len(test.late) > 0; late != strings.Contains(body, lateNotice) && test.status == 200 || late && answer.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("%s with %v late: notice %v, %s", test.path, test.late, !late, answer.Header().Get("Cache-Control"))
			}
		})
	}
}

const lateNotice = "did not come in time"
