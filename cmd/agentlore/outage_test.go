package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"agentlore/enginetest"
)

// traffic is a steady crowd of writers and readers over two services.
type traffic struct {
	both  [2]*service
	agent agent
	stop  context.CancelFunc
	group sync.WaitGroup

	mu       sync.Mutex
	statuses map[int]int // since the last take
	slowest  time.Duration
	stored   map[string]string // summary of every 201, by id
	refused  []answer
	failed   []error
}

// startTraffic starts writers, four a service, each sending its next report when the last one was answered; every fourth
// request reads.
func startTraffic(t *testing.T, both [2]*service) *traffic {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	x := &traffic{both: both, agent: both[0].register(t, "traffic"), stop: stop, statuses: map[int]int{}, stored: map[string]string{}}
	for worker := range 8 {
		x.group.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				x.one(both[worker%2], fmt.Sprintf("traffic %d of writer %d", i, worker), i%4 == 3)
			}
		})
	}
	t.Cleanup(x.end)
	return x
}

func (x *traffic) one(s *service, summary string, read bool) {
	began := time.Now()
	var got answer
	var err error
	if read {
		got, err = s.try(context.Background(), "GET", "/sources/"+x.agent.id, nil)
	} else {
		got, err = s.try(context.Background(), "POST", "/intake/submit", observation(summary), x.agent.bearer()...)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.slowest = max(x.slowest, time.Since(began))
	if err != nil {
		x.failed = append(x.failed, err)
		return
	}
	x.statuses[got.status]++
	switch {
	case got.status == http.StatusCreated:
		var stored submitted
		if err := json.Unmarshal(got.body, &stored); err != nil {
			x.failed = append(x.failed, err)
		}
		x.stored[stored.ID] = summary
	case got.status >= 400:
		x.refused = append(x.refused, got)
	}
}

// end stops the traffic and waits for the last answers.
func (x *traffic) end() {
	x.stop()
	x.group.Wait()
}

// take returns how often each status was answered since the last take, and how long the slowest answer took.
func (x *traffic) take() (statuses map[int]int, slowest time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	statuses, slowest = x.statuses, x.slowest
	x.statuses, x.slowest = map[int]int{}, 0
	return statuses, slowest
}

// during lets traffic run for a time, says what was answered and returns it.
func (x *traffic) during(t *testing.T, what string, d time.Duration) map[int]int {
	t.Helper()
	x.take()
	timer := time.NewTimer(d)
	defer timer.Stop()
	<-timer.C
	statuses, slowest := x.take()
	t.Logf("%s, %s: answers by status %v, the slowest after %s", what, d, statuses, slowest.Round(time.Millisecond))
	return statuses
}

// awaitHealth waits until both services report a health.
func awaitHealth(t *testing.T, both [2]*service, want string) {
	t.Helper()
	for _, s := range both {
		enginetest.Within(t, 2*time.Minute, "health is "+want, func() bool {
			return decode[map[string]any](t, s.get(t, "/health"))["status"] == want
		})
	}
}

// Redis that hangs, dies or comes back is nobody's failed request.
func TestRedisOutageUnderTraffic(t *testing.T) {
	t.Parallel()
	redis := enginetest.StartRedis(t)
	both := serveTwo(t, "--redis-url="+redis.URL(), "--rate-write=1000000-M", "--rate-read=1000000-M")
	x := startTraffic(t, both)
	x.during(t, "Redis as it should be", time.Second)

	redis.Stop()
	awaitHealth(t, both, "degraded")
	x.during(t, "Redis hangs (SIGSTOP)", 2*time.Second)
	redis.Continue()
	awaitHealth(t, both, "ok")
	redis.Kill()
	awaitHealth(t, both, "degraded")
	x.during(t, "Redis killed (SIGKILL)", 2*time.Second)
	redis.Restart() // empty
	awaitHealth(t, both, "ok")
	enginetest.Eventually(t, "Redis holds tokens and counts again", func() bool {
		keys := strings.Join(enginetest.Keys(t, redis.URL(), both[0].prefix), "\n")
		return strings.Contains(keys, ":token:") && strings.Contains(keys, ":rate:")
	})
	x.during(t, "Redis is back", time.Second)
	x.end()
	for _, got := range x.refused {
		t.Errorf("a request failed: %d %s", got.status, got.body)
	}
	for _, err := range x.failed {
		t.Errorf("a request failed: %v", err)
	}
	if len(x.stored) < 20 {
		t.Errorf("only %d submissions: that was no traffic", len(x.stored))
	}
	wantAllStored(t, both, x)
}

// wantAllStored checks that every submission that got a 201 is there, and no two for one report.
func wantAllStored(t *testing.T, both [2]*service, x *traffic) {
	t.Helper()
	var mu sync.Mutex
	lost := 0
	ids := make([]string, 0, len(x.stored))
	for id := range x.stored {
		ids = append(ids, id)
	}
	inParallel(len(ids), 32, func(i int) {
		got, err := both[i%2].try(context.Background(), "GET", "/submissions/"+ids[i], nil)
		if err != nil || got.status != http.StatusOK || !strings.Contains(string(got.body), x.stored[ids[i]]) {
			mu.Lock()
			defer mu.Unlock()
			if lost++; lost < 5 {
				t.Errorf("submission %s got a 201 and is lost: %v %d %s", ids[i], err, got.status, got.body)
			}
		}
	})
	t.Logf("%d submissions got a 201, %d of them are lost", len(ids), lost)
}

// wantUnavailable checks that all that was refused was refused as it should be.
func wantUnavailable(t *testing.T, x *traffic) {
	t.Helper()
	for _, err := range x.failed {
		t.Errorf("a request got no answer: %v", err)
	}
	for _, got := range x.refused {
		wantProblem(t, got, 503, "store_unavailable")
		if got.header.Get("Retry-After") == "" {
			t.Error("a 503 without Retry-After")
		}
		if t.Failed() {
			break
		}
	}
}

// A network that fails between the services and Elasticsearch: 503 while it lasts, no 201 lost, and no restart needed.
func TestElasticsearchOutOfReachUnderTraffic(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	way := newLink(t, enginetest.ElasticsearchURL(t))
	both := [2]*service{serve(t, prefix, "--elasticsearch-url="+way.url), serve(t, prefix, "--elasticsearch-url="+way.url)}
	x := startTraffic(t, both)
	x.during(t, "Elasticsearch as it should be", time.Second)
	for range 3 {
		way.cut()
		if statuses := x.during(t, "Elasticsearch out of reach", time.Second); statuses[503] == 0 || statuses[500] > 0 {
			t.Errorf("while Elasticsearch is out of reach: %v, want 503", statuses)
		}
		way.mend()
		awaitHealth(t, both, "ok")
		x.during(t, "Elasticsearch is back", 500*time.Millisecond)
	}
	x.end()
	wantUnavailable(t, x)
	wantAllStored(t, both, x)
}

// Elasticsearch that hangs, is killed and comes back, under traffic.
func TestElasticsearchOutageUnderTraffic(t *testing.T) {
	enginetest.Long(t)
	e := startEngine(t, "faulttest")
	prefix := enginetest.NewPrefix()
	flags := []string{"--elasticsearch-url=" + e.url, "--redis-url=" + e.redis, "--elasticsearch-timeout=3s"}
	both := [2]*service{serve(t, prefix, flags...), serve(t, prefix, flags...)}
	x := startTraffic(t, both)
	x.during(t, "Elasticsearch as it should be", 3*time.Second)

	e.signal(1, syscall.SIGSTOP)
	awaitHealth(t, both, "unavailable")
	hanging := x.during(t, "Elasticsearch hangs (SIGSTOP)", 15*time.Second)
	e.signal(1, syscall.SIGCONT)
	awaitHealth(t, both, "ok")
	x.during(t, "Elasticsearch goes on", 3*time.Second)

	e.signal(1, syscall.SIGKILL)
	awaitHealth(t, both, "unavailable")
	dead := x.during(t, "Elasticsearch killed (SIGKILL)", 5*time.Second)
	began := time.Now()
	e.run("start")
	t.Logf("Elasticsearch started again in %s", time.Since(began).Round(time.Second))
	awaitHealth(t, both, "ok")
	back := x.during(t, "Elasticsearch is back", 3*time.Second)
	x.end()
	if hanging[503] == 0 || dead[503] == 0 || back[201] == 0 || back[503] > 0 {
		t.Errorf("answers while it hangs %v, is dead %v, is back %v; want 503, 503 and 201", hanging, dead, back)
	}
	wantUnavailable(t, x)
	wantAllStored(t, both, x)
}

// A process that is killed: what got a 201 is there.
func TestServiceKilledUnderTraffic(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	stays := serve(t, prefix)
	killed := serveProcess(t, prefix)
	x := startTraffic(t, [2]*service{killed, stays})
	x.during(t, "both run", time.Second)
	killed.process.Process.Kill()
	_ = killed.process.Wait()
	x.during(t, "one was killed", 500*time.Millisecond)
	x.end()
	if len(x.failed) == 0 || len(x.refused) > 0 {
		t.Errorf("%d requests to the killed one failed, %d were refused; want some and none", len(x.failed), len(x.refused))
	}
	wantAllStored(t, [2]*service{stays, stays}, x)
}
