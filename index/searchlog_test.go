package index

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
	"agentlore/scrubber"
)

// A log that can't keep up, or can't be written, drops searches and never makes one wait.
func TestSearchLogNeverWaits(t *testing.T) {
	t.Parallel()
	way := enginetest.NewProxy(t)
	client := openClient(t, enginetest.Prefix(t), way.URL)
	rules := scrubber.New(scrubber.Config{})
	log := NewSearchLog(client, rules)
	began := time.Now()
	for range searchLogQueue + 100 {
		log.Add(lore.Searched{Q: "x"})
	}
	if took := time.Since(began); took > 5*time.Second || log.dropped.Load() != 100 {
		t.Errorf("%s, dropped %d; want 100 and no waiting", took, log.dropped.Load())
	}
	way.Set(func(*http.Request) int { return http.StatusServiceUnavailable }, nil)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { log.Run(ctx); close(ended) }()
	enginetest.Eventually(t, "the queue is emptied", func() bool { return len(log.queue) == 0 })
	cancel()
	<-ended
}

// A group that is being written when the service ends is written nevertheless, and what came since as well.
func TestSearchLogIsWrittenToItsEnd(t *testing.T) {
	t.Parallel()
	prefix, way := enginetest.Prefix(t), enginetest.NewProxy(t)
	client := openClient(t, prefix, way.URL)
	migrate(t, client)
	rules := scrubber.New(scrubber.Config{})
	log := NewSearchLog(client, rules)
	ctx, end := context.WithCancel(t.Context())
	way.Set(func(r *http.Request) int {
		if strings.HasSuffix(r.URL.Path, "/_bulk") && ctx.Err() == nil {
			log.Add(lore.Searched{CreatedAt: time.Now().UTC(), Q: "the last one"})
			end()
			select {
			case <-r.Context().Done(): // the write is given up
			case <-time.After(time.Second):
			}
		}
		return 0
	}, nil)
	for range searchLogGroup {
		log.Add(lore.Searched{CreatedAt: time.Now().UTC(), Q: "x"})
	}
	log.Run(ctx)
	enginetest.Elasticsearch(t, "POST", "/"+prefix+"-searchlog/_refresh", "")
	if _, answer := enginetest.Elasticsearch(t, "GET", "/"+prefix+"-searchlog/_count?filter_path=count", ""); string(answer) != `{"count":501}` {
		t.Errorf("of 501 searches the log holds %s", answer)
	}
}
