package handlers

import (
	"context"
	"log/slog"
	"net/netip"
	"sync"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/handlers/admit"
	"agentlore/lore"
	"agentlore/scrubber"
)

// countingFinder counts the look-ups that it is asked for.
type countingFinder struct {
	Searcher
	asked chan struct{}
}

func (f countingFinder) Similar(context.Context, scrubber.Scrubbed[lore.Observation], string, int) ([]lore.Similar, error) {
	f.asked <- struct{}{}
	return []lore.Similar{{ID: "other"}}, nil
}

// While others wait the store's time goes to what they bring, not to what a submitter is told beside.
func TestABusyServiceLooksForNoSimilarReports(t *testing.T) {
	finder := countingFinder{asked: make(chan struct{}, 1)}
	s := &server{lookups: make(chan struct{}, lookupsAtOnce)}
	s.reads, s.writes = Capacity{Reads: 64, Writes: 64, Wait: time.Minute}.queues()
	s.Searcher, s.SimilarWait, s.Log = finder, time.Minute, slog.New(slog.DiscardHandler)
	for _, test := range []struct {
		name     string
		queue    *admit.Queue
		requests int
		want     int
	}{
		{"alone", s.writes, 0, 1}, {"beside few writes", s.writes, mostWrites, 1}, {"beside many writes", s.writes, mostWrites + 1, 0},
		{"while reads wait", s.reads, fewestReads + 1, 0},
	} {
		var leave []func()
		ctx, end := context.WithCancel(t.Context())
		var waiting sync.WaitGroup
		for i := range min(test.requests, fewestReads+1) {
			client := netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 0, 2, byte(i)}), 32)
			if running, _ := s.reads.Load(); test.queue == s.reads && running == fewestReads {
				waiting.Go(func() { _, _, _ = s.reads.Enter(ctx, client) })
				continue
			}
			done, _, err := test.queue.Enter(ctx, client)
			if err != nil {
				t.Fatal(err)
			}
			leave = append(leave, done)
		}
		enginetest.Within(t, time.Minute, "they are there", func() bool {
			running, waiting := test.queue.Load()
			return running+waiting == test.requests
		})
		found := s.lookUp(t.Context(), scrubber.Scrubbed[lore.Observation]{})("own")
		if len(found) != test.want || len(finder.asked) != test.want {
			t.Errorf("%s: found %v, want %d", test.name, found, test.want)
		}
		if test.want > 0 {
			<-finder.asked
		}
		end()
		waiting.Wait()
		for _, done := range leave {
			done()
		}
	}
}
