package importer

import (
	"maps"
	"sync"
	"time"
)

// Summary is what an import did.
type Summary struct {
	Stored   int            // new
	Known    int            // there already
	Refused  int            // not valid
	Scrubbed map[string]int // secrets removed, by kind
	Refusals []Refusal      // the first 1,000 refused lines
	Elapsed  time.Duration
}

// Refusal is a line that was not imported.
type Refusal struct {
	Line int // number in the file, from 1
	Err  error
}

// Lines returns how many lines were dealt with.
func (s Summary) Lines() int { return s.Stored + s.Known + s.Refused }

// Rate returns lines per second.
func (s Summary) Rate() float64 { return float64(s.Lines()) / max(s.Elapsed.Seconds(), 0.001) }

// tally is a summary that many lines add to.
type tally struct {
	mu      sync.Mutex
	so      Summary
	started time.Time
}

func newTally(started time.Time) *tally {
	return &tally{so: Summary{Scrubbed: map[string]int{}}, started: started}
}

func (t *tally) add(done outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !done.created {
		t.so.Known++
		return
	}
	t.so.Stored++
	for kind, count := range done.report.Counts() {
		t.so.Scrubbed[kind] += count
	}
}

func (t *tally) refuse(line int, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.so.Refused++
	if len(t.so.Refusals) < maxRefusals {
		t.so.Refusals = append(t.so.Refusals, Refusal{line, err})
	}
}

func (t *tally) summary(now time.Time) Summary {
	t.mu.Lock()
	defer t.mu.Unlock()
	summary := t.so
	summary.Scrubbed = maps.Clone(t.so.Scrubbed)
	summary.Elapsed = now.Sub(t.started)
	return summary
}

// progressEvery is how often an import tells how far it is.
const progressEvery = 2 * time.Second

// report tells progress until the returned function is called.
func (t *tally) report(progress func(Summary)) (stop func()) {
	if progress == nil {
		return func() {}
	}
	ended := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		ticker := time.NewTicker(progressEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ended:
				return
			case now := <-ticker.C:
				progress(t.summary(now))
			}
		}
	})
	return func() { close(ended); group.Wait() }
}
