package main

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fakeStore answers 200 and keeps what it was asked. It packs its answers for who asks for that, as Elasticsearch does.
func fakeStore(t *testing.T) (address string, seen func() []string) {
	var mu sync.Mutex
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.Method+" "+r.URL.RequestURI()+" "+string(body))
		if r.Header.Get("Accept-Encoding") != "gzip" {
			io.WriteString(w, `{"hits":1}`)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		packed := gzip.NewWriter(w)
		io.WriteString(packed, `{"hits":1}`)
		packed.Close()
	}))
	t.Cleanup(server.Close)
	return server.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return append([]string(nil), asked...)
	}
}

func post(t *testing.T, url, body string) string {
	t.Helper()
	response, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

func TestReplaySendsWhatWasRecorded(t *testing.T) {
	address, seen := fakeStore(t)
	recorder, err := newEngine(address, "", "").record("bench_1")
	if err != nil {
		t.Fatal(err)
	}
	defer recorder.close()
	post(t, recorder.url+"/bench_1-submissions,bench_1-assets/_search?a=b", `{"first":1}`)
	post(t, recorder.url+"/bench_1-records/_search", `{"sweep":1}`)
	if answer := post(t, recorder.url+"/_msearch", `{"second":1}`); answer != `{"hits":1}` {
		t.Errorf("the recorder passed on %q", answer)
	}
	before := len(seen())
	transport := newReplay(address, [][]recorded{nil, recorder.take()})
	request, _ := http.NewRequest(http.MethodGet, address, nil)
	request.Header.Set(questionHeader, "1")
	answer, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if body, err := io.ReadAll(answer.Body); err != nil || string(body) != `{"hits":1}` {
		t.Errorf("the answer is %q, %v", body, err)
	}
	want := []string{`POST /bench_1-submissions,bench_1-assets/_search?a=b {"first":1}`, `POST /_msearch {"second":1}`}
	if diff := cmp.Diff(want, seen()[before:]); diff != "" {
		t.Errorf("replayed (-want +got):\n%s", diff)
	}
}

func TestFailuresAreNoFigures(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(questionHeader) == "3" {
			http.Error(w, "too many", http.StatusTooManyRequests)
		}
	}))
	defer server.Close()
	refused := newSide("the service", newTransport(), func(int) string { return server.URL })
	_, err := alternate(t.Context(), 20, time.Second, [][]*side{{refused}}, calmHost)
	if err == nil || !strings.Contains(err.Error(), "429") {
		t.Errorf("a refused request gave %v", err)
	}
}

func TestQuantiles(t *testing.T) {
	var took latencies
	for i := 100; i >= 1; i-- {
		took.all = append(took.all, time.Duration(i)*time.Millisecond)
	}
	if got, want := took.String(), "50.0 / 90.0 / 99.0 / 100.0"; got != want {
		t.Errorf("quantiles are %s, not %s", got, want)
	}
}
