package main

import (
	"testing"

	"agentlore/enginetest"
)

// A replica without its store is alive but not ready. One that is stopping is not ready either, and still answers requests.
func TestProbes(t *testing.T) {
	t.Parallel()
	prefix := sharedService(t).prefix
	way := newLink(t, enginetest.ElasticsearchURL(t))
	flags := append([]string{"serve", "--listen=127.0.0.1:0", "--redis-url=", "--index-prefix=" + prefix, "--elasticsearch-url=" + way.url,
		"--drain-delay=5s"}, limitsOff...)
	s := start(t, prefix, flags...)
	s.get(t, "/livez").want(t, 200)
	s.get(t, "/readyz").want(t, 200)
	way.cut()
	s.get(t, "/livez").want(t, 200)
	s.get(t, "/readyz").want(t, 503)
	way.mend()
	enginetest.Eventually(t, "it is ready again", func() bool { return s.get(t, "/readyz").status == 200 })
	s.cancel()
	enginetest.Eventually(t, "it isn't ready when it stops", func() bool { return s.get(t, "/readyz").status == 503 })
	s.get(t, "/livez").want(t, 200)
	s.get(t, "/status").want(t, 200)
	if status := <-s.ended; status != 0 {
		t.Errorf("it ended with status %d:\n%s", status, s.log)
	}
}
