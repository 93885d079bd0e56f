package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"agentlore/enginetest"
)

// nodesEngine is the engine of three nodes that tests of lost nodes share; it takes minutes to start on a small machine.
func nodesEngine(t *testing.T) *engine {
	t.Helper()
	enginetest.Faults(t)
	name := os.Getenv("AGENTLORE_FAULTS_NODES")
	if name == "" {
		t.Skip("needs an engine of three nodes: make test-faults starts one")
	}
	return startEngine(t, name)
}

// A red index: the node that holds its only copy is lost. What needs it gets a 503, never a short list that looks whole; the
// rest goes on.
func TestRedShard(t *testing.T) {
	e := nodesEngine(t)
	prefix := enginetest.NewPrefix()
	t.Cleanup(func() { e.drop(prefix) })
	s := serve(t, prefix, "--elasticsearch-url="+e.url, "--redis-url=", "--replicas=0")
	me := s.register(t, "loses a shard")
	stored := s.submit(t, me, observation("in the shard that goes away"))
	const lost = 3
	move := func(index, rule string) {
		if status, answer := e.ask(1, "PUT", "/"+prefix+"-"+index+"/_settings", `{"index.routing.allocation.`+rule+`":"node-3"}`); status != 200 {
			t.Fatalf("%d %s", status, answer)
		}
	}
	move("*", "exclude._name")
	e.ask(1, "PUT", "/"+prefix+"-submissions/_settings", `{"index.routing.allocation.exclude._name":null}`)
	move("submissions", "require._name")
	enginetest.Within(t, 5*time.Minute, "the node holds that shard alone", func() bool {
		_, shards := e.ask(1, "GET", "/_cat/shards/"+prefix+"-*?h=index,state,node", "")
		return strings.Count(shards, "node-3") == 1 && strings.Count(shards, "STARTED") == strings.Count(strings.TrimSpace(shards), "\n")+1
	})
	e.signal(lost, syscall.SIGKILL)
	enginetest.Within(t, 2*time.Minute, "health is unavailable and says red", func() bool {
		got := s.get(t, "/health")
		return got.status == 503 && strings.Contains(string(got.body), `"elasticsearch":"red"`)
	})
	for _, path := range []string{
		"/submissions", "/submissions?since=2020-01-01T00:00:00Z", "/search/all?q=shard", "/search/all", "/search/all?q=shrad&facets=true", "/analytics", "/status",
		"/submissions/" + stored.ID, "/export?collection=submissions",
	} {
		got := s.get(t, path)
		wantProblem(t, got, 503, "store_unavailable")
		if got.header.Get("Retry-After") == "" {
			t.Errorf("%s: a 503 without Retry-After", path)
		}
	}
	wantProblem(t, s.send(t, "POST", "/intake/submit", observation("nowhere to go"), me.bearer()...), 503, "store_unavailable")
	s.get(t, "/knowledge").want(t, 200)
	s.get(t, "/sources/"+me.id).want(t, 200)
	s.register(t, "another one")
	e.run("start")
	enginetest.Within(t, 5*time.Minute, "it works again", func() bool { return s.get(t, "/submissions/"+stored.ID).status == 200 })
	s.submit(t, me, observation("nowhere to go"))
}

// drop removes a prefix's indices.
func (e *engine) drop(prefix string) {
	_, names := e.ask(1, "GET", "/_cat/indices/"+prefix+"-*?h=index", "")
	if list := strings.Fields(names); len(list) > 0 {
		e.ask(1, "DELETE", "/"+strings.Join(list, ","), "")
	}
}

// open is traffic that comes at a rate, whether or not what came before is answered.
type open struct {
	s  *service
	me agent

	mu     sync.Mutex
	stored map[string]string // checksum of the text of every 201, by id
	counts map[string]int    // answers by kind and status
	slow   time.Duration
	faults []string
	bad    map[int64]bool // seconds in which a 503 was answered
}

func textSum(summary, content string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(summary+"\n"+content)))
}

// submit sends one report.
func (o *open) submit(n int) {
	summary, content := fmt.Sprintf("report %d of a cluster that loses a node", n), strings.TrimSpace(strings.Repeat(fmt.Sprintf("Word %d of it. ", n*7919), 40))
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
	got, err := o.s.try(context.Background(), "GET", fmt.Sprintf("/search/all?q=report+%d+cluster+node", n), nil)
	o.note("search", time.Since(began), got, err)
}

func (o *open) note(kind string, took time.Duration, got answer, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err != nil {
		o.faults = append(o.faults, kind+": "+err.Error())
		return
	}
	o.slow = max(o.slow, took)
	o.counts[fmt.Sprint(kind, " ", got.status)]++
	switch {
	case got.status == 503 && got.header.Get("Retry-After") != "":
		o.bad[time.Now().Unix()] = true
	case got.status >= 400:
		o.faults = append(o.faults, fmt.Sprintf("%s: %d %.200s", kind, got.status, got.body))
	}
}

// run sends rate submits and rate searches a second for a time, and calls at when its share of the time is over.
func (o *open) run(rate int, lasts time.Duration, at map[float64]func()) {
	var group sync.WaitGroup
	moments := slices.Sorted(maps.Keys(at))
	began := time.Now()
	for sent := 0; time.Since(began) < lasts; time.Sleep(time.Millisecond) {
		if len(moments) > 0 && time.Since(began).Seconds() >= moments[0]*lasts.Seconds() {
			group.Go(at[moments[0]])
			moments = moments[1:]
		}
		for ; sent < int(time.Since(began).Seconds()*float64(rate)); sent++ {
			n := sent
			group.Go(func() { o.submit(n) })
			group.Go(func() { o.search(n) })
		}
	}
	group.Wait()
}

// Three nodes with a replica of each shard: one is killed and another one added under steady traffic. Every 201 is there
// afterwards, word for word; what can't be done for a moment is a 503 with Retry-After, for at most 30 seconds in all.
// AGENTLORE_FAULTS_RATE and _FOR take it to the design's 50 submits and 50 searches a second for 3m.
func TestNodeLostAndAnotherAdded(t *testing.T) {
	e := nodesEngine(t)
	rate, lasts := 10, time.Minute
	if given, err := strconv.Atoi(os.Getenv("AGENTLORE_FAULTS_RATE")); err == nil {
		rate = given
	}
	if given, err := time.ParseDuration(os.Getenv("AGENTLORE_FAULTS_FOR")); err == nil {
		lasts = given
	}
	prefix := enginetest.NewPrefix()
	t.Cleanup(func() { e.drop(prefix) })
	s := serve(t, prefix, "--elasticsearch-url="+e.url, "--redis-url="+e.redis, "--elasticsearch-timeout=10s", "--queue-wait=400ms", "--replicas=1")
	o := &open{s: s, me: s.register(t, "goes on"), stored: map[string]string{}, counts: map[string]int{}, bad: map[int64]bool{}}
	enginetest.Within(t, 3*time.Minute, "every shard has its replica", func() bool {
		_, health := e.ask(1, "GET", "/_cluster/health/"+prefix+"-*", "")
		return strings.Contains(health, `"status":"green"`)
	})
	o.run(rate, 10*time.Second, nil) // the first seconds of a new cluster are its slowest
	t.Logf("before: %v, the slowest %s; seconds with a 503: %d", o.counts, o.slow.Round(time.Millisecond), len(o.bad))
	o.mu.Lock()
	o.counts, o.bad, o.slow = map[string]int{}, map[int64]bool{}, 0
	o.mu.Unlock()
	var added string
	o.run(rate, lasts, map[float64]func(){
		0.2: func() { e.signal(2, syscall.SIGKILL) },
		0.4: func() { added = e.run("add") },
	})
	t.Logf("%d submits and %d searches a second for %s: %v, the slowest %s; seconds with a 503: %d; %s", rate, rate, lasts, o.counts,
		o.slow.Round(time.Millisecond), len(o.bad), strings.TrimSpace(added))
	if len(o.faults) > 0 {
		t.Errorf("%d faults that are no 503 with Retry-After, the first: %s", len(o.faults), o.faults[0])
	}
	if len(o.bad) > 30 {
		t.Errorf("requests were refused in %d seconds, want at most 30", len(o.bad))
	}
	if o.counts["submit 201"] == 0 || o.counts["search 200"] == 0 {
		t.Error("nothing was done: that was no traffic")
	}
	o.wantAll(t, e)
}

// wantAll checks that every 201 is stored once, with the text that was sent.
func (o *open) wantAll(t *testing.T, e *engine) {
	t.Helper()
	e.ask(1, "POST", "/"+o.s.prefix+"-submissions/_refresh", "")
	got := o.s.get(t, "/export?collection=submissions").want(t, 200)
	found, texts := map[string]string{}, map[string]bool{}
	for line := range strings.Lines(string(got.body)) {
		var one struct{ ID, Summary, Content string }
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatal(err)
		}
		sum := textSum(one.Summary, one.Content)
		if texts[sum] {
			t.Errorf("%q is stored twice", one.Summary)
		}
		found[one.ID], texts[sum] = sum, true
	}
	lost, changed := 0, 0
	for id, sum := range o.stored {
		switch found[id] {
		case sum:
		case "":
			lost++
		default:
			changed++
		}
	}
	t.Logf("%d submissions got a 201; the store holds %d; lost %d, changed %d", len(o.stored), len(found), lost, changed)
	if lost > 0 || changed > 0 {
		t.Errorf("of %d submissions that got a 201, %d are lost and %d are changed", len(o.stored), lost, changed)
	}
}
