package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"agentlore/enginetest"
)

// open is traffic that comes at a rate, whether or not what came before is answered.
type open struct {
	s     *service
	me    agent
	texts *reportTexts
	sent  int // submits, and searches

	mu     sync.Mutex
	stored map[string]string // checksum of the text of every 201, by id
	faults []string          // what is neither an answer as it should be nor a 503 with Retry-After
	counts map[string]int    // since the last take: answers by kind and status
	slow   map[string]time.Duration
	bad    map[int64]bool // seconds in which a 503 was answered

	refused int // seconds with a 503 before the last take
}

// newOpen returns traffic that hasn't begun.
func newOpen(t *testing.T, s *service) *open {
	t.Helper()
	return &open{
		s: s, me: s.register(t, "goes on"), texts: newReportTexts(t),
		stored: map[string]string{}, counts: map[string]int{}, slow: map[string]time.Duration{}, bad: map[int64]bool{},
	}
}

// rateOr is how many submits and how many searches a second AGENTLORE_FAULTS_RATE asks for. The design's rate is 50.
func rateOr(usual int) int {
	if given, err := strconv.Atoi(os.Getenv("AGENTLORE_FAULTS_RATE")); err == nil {
		return given
	}
	return usual
}

func textSum(summary, content string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(summary+"\n"+content)))
}

// submit sends one report.
func (o *open) submit(n int) {
	summary, content := o.texts.report("traffic", n)
	began := time.Now()
	got, err := o.s.try(context.Background(), "POST", "/intake/submit", map[string]any{"summary": summary, "category": "operational", "content": content}, o.me.bearer()...)
	o.note("submit", time.Since(began), got, err)
	if err == nil && got.status == http.StatusCreated {
		var stored submitted
		if err := json.Unmarshal(got.body, &stored); err != nil {
			panic(err)
		}
		o.mu.Lock()
		defer o.mu.Unlock()
		o.stored[stored.ID] = textSum(summary, content)
	}
}

// search asks one question.
func (o *open) search(n int) {
	began := time.Now()
	got, err := o.s.try(context.Background(), "GET", "/search/all?q="+url.QueryEscape(o.texts.question(n)), nil)
	o.note("search", time.Since(began), got, err)
}

func (o *open) note(kind string, took time.Duration, got answer, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err != nil {
		o.faults = append(o.faults, kind+": "+err.Error())
		return
	}
	o.slow[kind] = max(o.slow[kind], took)
	o.counts[fmt.Sprint(kind, " ", got.status)]++
	switch {
	case got.status == 503 && got.header.Get("Retry-After") != "":
		o.bad[time.Now().Unix()] = true
	case got.status >= 400:
		o.faults = append(o.faults, fmt.Sprintf("%s: %d %.200s", kind, got.status, got.body))
	}
}

// over ends traffic after a time.
func over(lasts time.Duration) <-chan struct{} {
	ended := make(chan struct{})
	time.AfterFunc(lasts, func() { close(ended) })
	return ended
}

// run sends rate submits and rate searches a second until it is told to end, calls each of at when so much time is over, and
// waits for what is under way.
func (o *open) run(rate int, ended <-chan struct{}, at map[time.Duration]func()) {
	var group sync.WaitGroup
	defer group.Wait()
	moments := slices.Sorted(maps.Keys(at))
	began, before := time.Now(), o.sent
	for ticker := time.NewTicker(time.Millisecond); ; {
		if len(moments) > 0 && time.Since(began) >= moments[0] {
			group.Go(at[moments[0]])
			moments = moments[1:]
		}
		for ; o.sent-before < int(time.Since(began).Seconds()*float64(rate)); o.sent++ {
			n := o.sent
			group.Go(func() { o.submit(n) })
			group.Go(func() { o.search(n) })
		}
		select {
		case <-ended:
			ticker.Stop()
			return
		case <-ticker.C:
		}
	}
}

// String says how requests were answered.
func (o *open) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var bad []string // the first, to be held against what else says when it did what
	for _, second := range slices.Sorted(maps.Keys(o.bad))[:min(30, len(o.bad))] {
		bad = append(bad, time.Unix(second, 0).Format(time.TimeOnly))
	}
	return fmt.Sprintf("answers %v; the slowest submit %s, search %s; seconds with a 503: %d %v", o.counts, o.slow["submit"].Round(time.Millisecond),
		o.slow["search"].Round(time.Millisecond), len(o.bad), bad)
}

// take is String, and counts anew from there.
func (o *open) take() string {
	said := o.String()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.refused += len(o.bad)
	o.counts, o.bad, o.slow = map[string]int{}, map[int64]bool{}, map[string]time.Duration{}
	return said
}

// warmUp sends traffic until ten seconds pass without a 503, or four minutes in all: the first minutes of a new Elasticsearch are
// its slowest, since it compiles itself while it works.
func (o *open) warmUp(t *testing.T, rate int) {
	t.Helper()
	for range 24 {
		o.run(rate, over(10*time.Second), nil)
		before := o.refused
		t.Logf("warming up: %s", o.take())
		if o.refused == before {
			break
		}
	}
	o.refused = 0
}

// wantAll checks that every 201, and what was there before, is stored once, with the text that was sent. What got a 503 may be
// stored too.
func (o *open) wantAll(t *testing.T, store string, before map[string]string) {
	t.Helper()
	enginetest.ElasticsearchAt(t, store, "POST", "/"+o.s.prefix+"-submissions/_refresh", "")
	response, err := http.Get(o.s.base + "/export?collection=submissions")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	found, texts := map[string]string{}, map[string]bool{}
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		var one struct{ ID, Summary, Content string }
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		sum := textSum(one.Summary, one.Content)
		if texts[sum] {
			t.Errorf("%q is stored twice", one.Summary)
		}
		found[one.ID], texts[sum] = sum, true
	}
	if err := lines.Err(); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("export: %d %v", response.StatusCode, err)
	}
	lost, changed := 0, 0
	for id, sum := range o.stored {
		switch found[id] {
		case sum:
		case "":
			if lost++; lost < 5 {
				got := o.s.get(t, "/submissions/"+id)
				t.Logf("%s got a 201 and isn't exported; asked for by its id: %d %.300s", id, got.status, got.body)
			}
		default:
			changed++
		}
	}
	early := 0
	for sum, ref := range before {
		if !texts[sum] {
			if early++; early < 5 {
				_, answer := enginetest.ElasticsearchAt(t, store, "GET", "/"+o.s.prefix+"-submissions/_search?q=ref:"+ref, "")
				t.Logf("%s was there before and isn't exported; asked for: %.900s", ref, answer)
			}
		}
	}
	t.Logf("%d submissions were there before, %d got a 201; the store holds %d; lost %d and %d, changed %d", len(before), len(o.stored), len(found), early, lost, changed)
	if early > 0 || lost > 0 || changed > 0 {
		t.Errorf("%d submissions of before and %d that got a 201 are lost, %d are changed", early, lost, changed)
	}
}
