package importer

import (
	"sync"
	"time"
)

// Summary is what an import did.
type Summary struct {
	Stored   int            // new
	Known    int            // there already
	Changed  int            // there already, with other words; of reports alone
	Skipped  int            // not wanted; of reports alone
	Approved int            // of those stored, changed and known: made knowledge by the operator's act
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
func (s Summary) Lines() int { return s.Stored + s.Known + s.Changed + s.Skipped + s.Refused }

// Rate returns lines per second.
func (s Summary) Rate() float64 { return float64(s.Lines()) / max(s.Elapsed.Seconds(), 0.001) }

// tally is a summary that many lines add to.
type tally struct {
	started  time.Time
	progress func(Summary) // nil: none is wanted; it keeps nothing of the summary
	told     time.Time     // when progress last got the summary
	mu       sync.Mutex
	done     Summary
}

// progressEvery is the time between two reports of progress.
const progressEvery = 2 * time.Second

// count adds what became of a line, refused if there is an error, and reports progress where it is time for that.
func (t *tally) count(line int, became outcome, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch done := &t.done; {
	case err != nil:
		if done.Refused++; len(done.Refusals) < maxRefusals {
			done.Refusals = append(done.Refusals, Refusal{line, err})
		}
	case became.skipped:
		done.Skipped++
	case !became.created && !became.changed:
		done.Known++
	default:
		if became.created {
			done.Stored++
		} else {
			done.Changed++
		}
		for kind, count := range became.report.Counts() {
			done.Scrubbed[kind] += count
		}
		for kind, count := range became.removed {
			done.Scrubbed[kind] += count
		}
	}
	if err == nil && became.approved {
		t.done.Approved++
	}
	if t.progress != nil && time.Since(t.told) >= progressEvery {
		t.told = time.Now()
		t.done.Elapsed = t.told.Sub(t.started)
		t.progress(t.done)
	}
}
