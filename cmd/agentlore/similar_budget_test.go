package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"agentlore/enginetest"
)

// slowStore stands before Elasticsearch and holds the searches over submissions back until it is released; all else goes through.
type slowStore struct {
	server   *httptest.Server
	release  chan struct{}
	searches atomic.Int64 // held back so far
}

func newSlowStore(t *testing.T) *slowStore {
	t.Helper()
	target, err := url.Parse(enginetest.ElasticsearchURL(t))
	if err != nil {
		t.Fatal(err)
	}
	through := httputil.NewSingleHostReverseProxy(target)
	s := &slowStore{release: make(chan struct{})}
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "-submissions/_search") {
			s.searches.Add(1)
			select {
			case <-s.release:
			case <-r.Context().Done(): // given up
				return
			}
		}
		through.ServeHTTP(w, r)
	}))
	t.Cleanup(s.server.Close)
	return s
}

// A submit's answer doesn't wait for reports like it beyond its budget, and begins no third look-up while two are under way: a
// store that never answers them costs a submit the budget.
func TestASubmitDoesNotWaitForASlowLookUp(t *testing.T) {
	t.Parallel()
	slow := newSlowStore(t)
	s := serve(t, enginetest.Prefix(t), "--elasticsearch-url="+slow.server.URL, "--similar-wait=20ms")
	me := s.register(t, "patient")
	s.submit(t, me, observation("Numbat bridge loses the first message of a day"))
	enginetest.Elasticsearch(t, "POST", "/"+s.prefix+"-*/_refresh", "")
	for i := range 8 {
		answered := decode[seen](t, s.send(t, "POST", "/intake/submit", observation(fmt.Sprintf("Numbat bridge loses the first message of a day, again in week %d", i)), me.bearer()...).want(t, 201))
		if len(answered.Similar) > 0 || answered.Advice != "" || answered.Pattern != "" {
			t.Fatalf("an answer names what no search found: %+v", answered)
		}
	}
	if held := slow.searches.Load(); held == 0 {
		t.Error("no look-up was begun: this shows nothing")
	}
	close(slow.release)
	enginetest.Within(t, time.Minute, "a store that answers again is asked again", func() bool {
		answered := decode[seen](t, s.send(t, "POST", "/intake/submit", observation("Numbat bridge loses the first message of a day, as of "+time.Now().String()), me.bearer()...).want(t, 201))
		return len(answered.Similar) > 0 && answered.Advice != ""
	})
}

// What looking for similar reports costs a submit: two services over one store with 2,000 real reports, one of which never
// looks, asked in turn.
func TestWhatSimilarReportsCost(t *testing.T) {
	enginetest.Long(t)
	const asked = 400
	prefix := enginetest.Prefix(t)
	corpus, _, _ := manyReports(t, enginetest.Data(t, "observations.jsonl.gz"), 2_000)
	with, without := serve(t, prefix), serve(t, prefix, "--similar-wait=0")
	importLines(t, prefix, corpus)
	enginetest.Elasticsearch(t, "POST", "/"+prefix+"-*/_refresh", "")
	me := with.register(t, "hurried")
	var took [2]times
	named := 0
	for i := range 2*asked + 100 {
		s, which := with, i%2
		if which == 1 {
			s = without
		}
		began := time.Now()
		answered := decode[seen](t, s.send(t, "POST", "/intake/submit", observation(fmt.Sprintf("Missing check of the oracle price lets a caller withdraw more than number %d", i)), me.bearer()...).want(t, 201))
		if i < 100 {
			continue // warming up
		}
		took[which] = append(took[which], time.Since(began))
		if len(answered.Similar) > 0 {
			named++
		}
	}
	for i := range took {
		slices.Sort(took[i])
	}
	ratio := func(at int) float64 { return float64(took[0][at]) / float64(took[1][at]) }
	t.Logf("with: %s; %d answers named reports", took[0], named)
	t.Logf("without: %s", took[1])
	t.Logf("with / without: median %.2f, p99 %.2f", ratio(asked/2), ratio(asked*99/100))
}
