package main

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"
)

// times are how long answers took, in order of length.
type times []time.Duration

func (t times) p99() time.Duration { return t[len(t)*99/100] }

func (t times) String() string {
	if len(t) == 0 {
		return "none was answered"
	}
	return fmt.Sprintf("%d, median %s, p99 %s, slowest %s", len(t), t[len(t)/2].Round(time.Millisecond/10), t.p99().Round(time.Millisecond/10), t[len(t)-1].Round(time.Millisecond/10))
}

// searchFor is search for a while.
func searchFor(t *testing.T, s *service, questions []string, long time.Duration) times {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	var asked askedSoFar
	asked.search(ctx, s, questions)
	return asked.since(0)
}

// askedSoFar are searches' times in order of asking; nil: there are none.
type askedSoFar struct {
	mu   sync.Mutex
	took times
}

// search asks one question after the other, evenly in time, until ctx ends. One that fails took for ever.
func (a *askedSoFar) search(ctx context.Context, s *service, questions []string) {
	ticker := time.NewTicker(time.Second / searchesPerSecond)
	defer ticker.Stop()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		began := time.Now()
		found, err := s.try(ctx, "GET", "/search/all?q="+url.QueryEscape(questions[i%len(questions)]), nil)
		took := time.Since(began)
		if err != nil || found.status != 200 {
			took = time.Hour
		}
		if ctx.Err() == nil {
			a.mu.Lock()
			a.took = append(a.took, took)
			a.mu.Unlock()
		}
	}
}

// count returns how many searches have been answered.
func (a *askedSoFar) count() int {
	if a == nil {
		return 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.took)
}

// since returns the times of the searches but the first so many, in order of length.
func (a *askedSoFar) since(first int) times {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Sorted(slices.Values(a.took[first:]))
}
