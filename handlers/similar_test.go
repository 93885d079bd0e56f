package handlers

import (
	"context"
	"log/slog"
	"testing"
	"time"

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
	s := &server{lookups: make(chan struct{}, lookupsAtOnce), gates: Capacity{}.gates()}
	s.Similar, s.SimilarWait, s.Log = finder, time.Minute, slog.New(slog.DiscardHandler)
	if found := s.lookUp(t.Context(), scrubber.Scrubbed[lore.Observation]{})("own"); len(found) != 1 {
		t.Fatalf("found %v, want one", found)
	}
	<-finder.asked
	writes := s.gates[classWrite]
	writes.running = company + 1
	if found := s.lookUp(t.Context(), scrubber.Scrubbed[lore.Observation]{})("own"); len(found) != 0 || len(finder.asked) != 0 {
		t.Errorf("found %v while others write", found)
	}
	writes.running = company
	if found := s.lookUp(t.Context(), scrubber.Scrubbed[lore.Observation]{})("own"); len(found) != 1 {
		t.Fatalf("found %v beside few, want one", found)
	}
	<-finder.asked
	reads := s.gates[classRead]
	reads.waiting = append(reads.waiting, make(chan struct{}))
	if found := s.lookUp(t.Context(), scrubber.Scrubbed[lore.Observation]{})("own"); len(found) != 0 || len(finder.asked) != 0 {
		t.Errorf("found %v while others wait", found)
	}
}
