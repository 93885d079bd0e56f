package main

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"agentlore/enginetest"
)

// Two services of the version whose binary AGENTLORE_PREVIOUS names give way to two of this one, one after the other behind a
// balancer, while agents submit and search: what was acknowledged is there once, and nothing is answered but as it should be or by a
// 503 with Retry-After. Then the store is migrated, as docs/operations/upgrade.md says, and gets more shards. On an engine of three nodes, one
// is killed during the upgrade and comes back.
func TestUpgradeUnderTraffic(t *testing.T) {
	previous := os.Getenv("AGENTLORE_PREVIOUS")
	if previous == "" {
		t.Skip("AGENTLORE_PREVIOUS names the binary of the version before")
	}
	kill, comeBack, usual := func() {}, func() {}, 20
	if os.Getenv("AGENTLORE_FAULTS_NODES") != "" {
		e := nodesEngine(t)
		kill, comeBack, usual = func() { e.signal(2, syscall.SIGKILL) }, func() { e.run("start") }, 10
	}
	prefix, rate := enginetest.Prefix(t), rateOr(usual)
	flags := []string{"--queue-wait=600ms", "--elasticsearch-timeout=10s"}
	var backends [2]atomic.Pointer[httputil.ReverseProxy]
	point := func(i int, at *service) {
		address, err := url.Parse(at.base)
		if err != nil {
			t.Fatal(err)
		}
		backends[i].Store(httputil.NewSingleHostReverseProxy(address))
	}
	var old [2]*service
	for i := range old {
		old[i] = serveBinary(t, previous, prefix, flags...)
		point(i, old[i])
	}
	var turn atomic.Int64
	balancer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		backends[turn.Add(1)%2].Load().ServeHTTP(w, r)
	}))
	defer balancer.Close()

	front := &service{base: balancer.URL, prefix: prefix}
	o := newOpen(t, front)
	o.warmUp(t, rate)
	phase := func(name string, step func()) {
		ended := make(chan struct{})
		o.run(rate, ended, map[time.Duration]func(){
			time.Second: func() {
				defer close(ended)
				step()
				<-over(10 * time.Second)
			},
		})
		t.Logf("%s: %s", name, o.take())
	}
	for i := range old {
		phase("a new service takes the place of an old one", func() {
			if i == 1 {
				kill()
			}
			point(i, serve(t, prefix, flags...))
			<-over(time.Second) // what the balancer has sent there is answered
			if err := old[i].process.Process.Signal(syscall.SIGTERM); err != nil {
				t.Error(err)
			}
		})
	}
	phase("a lost node comes back", comeBack)
	for _, command := range [][]string{{"migrate"}, {"scale", "--shards=submissions=3"}} {
		phase(command[0], func() {
			if status, said, complaint := run(t, append(command, storeFlags(t, prefix)...)...); status != 0 {
				t.Errorf("%v: status %d, %s", command, status, complaint)
			} else {
				t.Log(said)
			}
		})
	}
	if len(o.faults) > 0 {
		t.Errorf("%d faults that are no 503 with Retry-After, the first: %s", len(o.faults), o.faults[0])
	}
	o.wantAll(t, enginetest.ElasticsearchURL(t), nil)
}
