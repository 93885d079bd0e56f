package main

import (
	"os"
	"strings"
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
	// The one that got a 503 may have waited in Elasticsearch for its shard to come back: sent again it counts once.
	if got := s.send(t, "POST", "/intake/submit", observation("nowhere to go"), me.bearer()...); got.status != 200 && got.status != 201 {
		t.Errorf("sent again: %d %s", got.status, got.body)
	}
}

// drop removes a prefix's indices.
func (e *engine) drop(prefix string) {
	_, names := e.ask(1, "GET", "/_cat/indices/"+prefix+"-*?h=index", "")
	if list := strings.Fields(names); len(list) > 0 {
		e.ask(1, "DELETE", "/"+strings.Join(list, ","), "")
	}
}

// Three nodes with a replica of each shard: one is killed and another one added under steady traffic. Every 201 is there
// afterwards, word for word; what can't be done for a moment is a 503 with Retry-After, for at most 30 seconds in all.
// AGENTLORE_FAULTS_RATE and _FOR take it to the design's 50 submits and 50 searches a second for 3m.
func TestNodeLostAndAnotherAdded(t *testing.T) {
	e := nodesEngine(t)
	t.Setenv("ENGINE_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1") // of the node that is added: it starts at half the cost
	rate, lasts := rateOr(10), 2*time.Minute
	if given, err := time.ParseDuration(os.Getenv("AGENTLORE_FAULTS_FOR")); err == nil {
		lasts = given
	}
	prefix := enginetest.NewPrefix()
	t.Cleanup(func() { e.drop(prefix) })
	s := serve(t, prefix, "--elasticsearch-url="+e.url, "--redis-url="+e.redis, "--elasticsearch-timeout=10s", "--queue-wait=600ms", "--replicas=1")
	o := newOpen(t, s)
	enginetest.Within(t, 3*time.Minute, "every shard has its replica", func() bool {
		_, health := e.ask(1, "GET", "/_cluster/health/"+prefix+"-*", "")
		return strings.Contains(health, `"status":"green"`)
	})
	o.warmUp(t, rate)
	began := time.Now()
	phase := func(name string) { t.Logf("%3.0f s, %s: %s", time.Since(began).Seconds(), name, o.take()) }
	var used time.Duration // since began, when the new node had its first shard
	o.run(rate, over(lasts), map[time.Duration]func(){
		lasts / 6: func() {
			phase("before a node was killed")
			e.signal(2, syscall.SIGKILL)
		},
		lasts / 3: func() {
			phase("after a node was killed")
			e.run("add")
			phase("while another one started")
			enginetest.Within(t, 5*time.Minute, "the new node has a shard", func() bool {
				_, shards := e.ask(1, "GET", "/_cat/shards/"+prefix+"-*?h=state,node", "")
				return strings.Contains(shards, "STARTED node-4")
			})
			used = time.Since(began)
			phase("until it had its first shard")
		},
	})
	phase("until the end")
	t.Logf("%d submits and %d searches a second for %s: requests were refused in %d seconds", rate, rate, lasts, o.refused)
	if used > lasts {
		t.Errorf("the new node had its first shard %s after the traffic began, which lasted %s", used.Round(time.Second), lasts)
	}
	if len(o.faults) > 0 {
		t.Errorf("%d faults that are no 503 with Retry-After, the first: %s", len(o.faults), o.faults[0])
		for line := range strings.Lines(s.log.String()) {
			if strings.Contains(line, `"level":"ERROR"`) {
				t.Log(line)
			}
		}
	}
	if o.refused > 30 {
		t.Errorf("requests were refused in %d seconds, want at most 30", o.refused)
	}
	if len(o.stored) == 0 {
		t.Error("nothing was stored: that was no traffic")
	}
	o.wantAll(t, e.url, nil)
}
