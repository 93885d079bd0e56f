package handlers

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
	"agentlore/scrubber"
)

// countingFinder counts the look-ups that it is asked for.
type countingFinder struct{ asked chan struct{} }

func (f countingFinder) Similar(context.Context, scrubber.Scrubbed[lore.Observation], string, int) ([]lore.Similar, error) {
	f.asked <- struct{}{}
	return []lore.Similar{{ID: "other"}}, nil
}

// While others wait the store's time goes to what they bring, not to what a submitter is told beside.
func TestNobodyLooksForSimilarReportsWhileOthersWait(t *testing.T) {
	finder := countingFinder{make(chan struct{}, 1)}
	s := &server{lookups: make(chan struct{}, lookupsAtOnce), queues: Capacity{Wait: time.Minute}.queues()}
	s.Similar, s.SimilarWait, s.Log = finder, time.Minute, slog.New(slog.DiscardHandler)
	if found := s.lookUp(t.Context(), scrubber.Scrubbed[lore.Observation]{})("own"); len(found) != 1 {
		t.Fatalf("found %v, want one", found)
	}
	<-finder.asked
	// busy keeps so many requests in a queue, worked on or waiting, until it is told to end.
	busy := func(q queue, requests int) (end func()) {
		var group sync.WaitGroup
		ended := make(chan struct{})
		for range requests {
			group.Go(func() { _ = q.Run(t.Context(), false, func(context.Context) error { <-ended; return nil }) })
		}
		enginetest.Within(t, time.Minute, "they are there", func() bool { return q.Running()+q.Waiting() == requests })
		return func() { close(ended); group.Wait() }
	}
	end := busy(s.queues.writes, company+1)
	if found := s.lookUp(t.Context(), scrubber.Scrubbed[lore.Observation]{})("own"); len(found) != 0 || len(finder.asked) != 0 {
		t.Errorf("found %v while others write", found)
	}
	end()
	end = busy(s.queues.writes, company)
	if found := s.lookUp(t.Context(), scrubber.Scrubbed[lore.Observation]{})("own"); len(found) != 1 {
		t.Fatalf("found %v beside few, want one", found)
	}
	<-finder.asked
	end()
	end = busy(s.queues.reads, fewestReads+1)
	if found := s.lookUp(t.Context(), scrubber.Scrubbed[lore.Observation]{})("own"); len(found) != 0 || len(finder.asked) != 0 {
		t.Errorf("found %v while others wait", found)
	}
	end()
}
