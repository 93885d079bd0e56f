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
	started time.Time
	mu      sync.Mutex
	done    Summary
}

func newTally(started time.Time) *tally {
	return &tally{started: started, done: Summary{Scrubbed: map[string]int{}}}
}

func (t *tally) add(line outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !line.created {
		t.done.Known++
		return
	}
	t.done.Stored++
	for kind, count := range line.report.Counts() {
		t.done.Scrubbed[kind] += count
	}
}

func (t *tally) refuse(line int, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done.Refused++
	if len(t.done.Refusals) < maxRefusals {
		t.done.Refusals = append(t.done.Refusals, Refusal{line, err})
	}
}

func (t *tally) summary(now time.Time) Summary {
	t.mu.Lock()
	defer t.mu.Unlock()
	summary := t.done
	summary.Scrubbed, summary.Elapsed = maps.Clone(t.done.Scrubbed), now.Sub(t.started)
	return summary
}

// progressEvery is the time between two reports of progress.
const progressEvery = 2 * time.Second

// report reports progress, if progress is set, until the returned function is called.
func (t *tally) report(progress func(Summary)) (stop func()) {
	ticker, ended := time.NewTicker(progressEvery), make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for {
			select {
			case <-ended:
				return
			case now := <-ticker.C:
				if progress != nil {
					progress(t.summary(now))
				}
			}
		}
	})
	return func() { ticker.Stop(); close(ended); group.Wait() }
}
