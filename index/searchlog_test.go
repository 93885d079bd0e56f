package index

import (
	"context"
	"net/http"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
	"agentlore/scrubber"
)

// A log that can't keep up, or can't be written, drops searches and never makes one wait.
func TestSearchLogNeverWaits(t *testing.T) {
	t.Parallel()
	way := newFaults(t)
	client := openClient(t, enginetest.Prefix(t), way.url)
	rules, err := scrubber.New(scrubber.Config{})
	if err != nil {
		t.Fatal(err)
	}
	log := NewSearchLog(client, rules, time.Hour)
	began := time.Now()
	for range searchLogQueue + 100 {
		log.Add(lore.Searched{Q: "x"})
	}
	if took := time.Since(began); took > 5*time.Second || log.dropped.Load() != 100 {
		t.Errorf("%s, dropped %d; want 100 and no waiting", took, log.dropped.Load())
	}
	way.set(func(*http.Request) int { return http.StatusServiceUnavailable }, nil)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { log.Run(ctx); close(ended) }()
	enginetest.Eventually(t, "the queue is emptied", func() bool { return len(log.queue) == 0 })
	cancel()
	<-ended
}
