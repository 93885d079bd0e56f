// Package worker is the curator at work: it takes new reports through the rules of package curator, beside traffic and
// off the request path, and can be killed at any point.
//
// A pass goes through phases, each of which can be done again from where it was left without another result:
//
//	compare    every new report with those that share its telling terms, then what shares a neighbour; links are stored
//	group      what changed links reach is divided into patterns; patterns, units and submissions are written
//	settle     what outcomes, flags, decisions and standing that was gained or lost change
//	family     families whose reports were judged are counted and written anew
//
// Nothing is written into submissions before all comparing is done, so that what is compared doesn't depend on how far a
// killed pass had come. New reports are those without a fingerprint: none can be missed, whenever and however it came.
//
// An item that the store refuses, or whose judging fails, is set aside with its reason: all others are curated.
//
// The links of all reports stay in memory from pass to pass, a kilobyte a report. Only the holder of the lease changes them.
package worker

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"agentlore/curator"
	"agentlore/lore"
)

// Config is what a worker works with.
type Config struct {
	Store      Store
	Similarity *curator.Similarity
	// Library returns the library that a pass knows kinds of problems by; nil: none. As long as it stays the same, so does what is returned.
	Library func(context.Context) (Library, error)
	Rules   curator.Rules
	// Malicious are known malicious addresses; may be nil.
	Malicious curator.AddressList
	// Progress, if set, is told how far a pass is every now and then.
	Progress func(Progress)
	Log      *slog.Logger
	Now      func() time.Time
	// Version is that of the program: what one version set aside, another tries again.
	Version string
	// Rescored is how many reports a pass scores anew at most because of their source's reputation; 0: 1,000.
	Rescored int
	// Profiles is how many bytes of profiles are kept in memory; 0: 96 MiB, those of some 60,000 reports. Others are made anew.
	Profiles int
}

// Progress is how far a pass is.
type Progress struct {
	Phase string
	Done  int64
	Of    int64 // 0: unknown
}

// Stats counts what a worker has done since it was made.
type Stats struct {
	Passes      int64         // completed
	Reports     int64         // compared
	Comparisons int64         // pairs of reports
	Links       int64         // found
	Written     int64         // items changed
	Waiting     int64         // reports that are not compared yet, as far as the worker has looked
	LastPass    time.Duration // of the last completed pass
	LastPassAt  time.Time     // when it ended; zero: none yet
	Phase       string        // of the pass under way; empty: none is
	SetAside    int64         // items that passes leave out
	CaughtUpAt  time.Time     // what came before is curated; until a first pass ends: when the worker was made
}

// Worker does passes. It is for one goroutine; Stats may be called from any.
type Worker struct {
	Config
	profiles    *profileCache
	library     Library              // of the pass under way; nil: none
	graph       *curator.LinkGraph   // nil: not read yet
	frequencies *curator.Frequencies // nil: not read yet

	mu    sync.Mutex
	stats Stats
	told  time.Time
}

// New returns a worker.
func New(config Config) *Worker {
	profiles := newProfileCache(cmp.Or(config.Profiles, profileCacheBytes))
	return &Worker{Config: config, profiles: profiles, stats: Stats{CaughtUpAt: time.Now()}}
}

// Stats returns what the worker has done so far.
func (w *Worker) Stats() Stats {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stats
}

// count changes the statistics.
func (w *Worker) count(change func(*Stats)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change(&w.stats)
}

// tellEvery is how often a pass tells how far it is.
const tellEvery = 2 * time.Second

// tell reports progress, not more often than every tellEvery but for the beginning of a phase.
func (w *Worker) tell(phase string, done, of int) {
	w.count(func(s *Stats) { s.Phase = phase })
	if w.Progress == nil || done > 0 && time.Since(w.told) < tellEvery {
		return
	}
	w.told = time.Now()
	w.Progress(Progress{phase, int64(done), int64(of)})
}

// Pass does one pass, going on where an unfinished one stopped. With rebuild, it compares all reports anew. It returns how
// many items it changed. A pass over nothing new changes nothing.
func (w *Worker) Pass(ctx context.Context, rebuild bool) (written int64, err error) {
	began, before := time.Now(), w.Stats().Written
	p := &pass{Worker: w, ctx: ctx}
	if err = p.run(rebuild); err != nil {
		w.keep(err)
	}
	w.count(func(s *Stats) {
		s.Phase = ""
		if err != nil {
			return
		}
		s.Passes++
		s.LastPass, s.LastPassAt, s.CaughtUpAt = time.Since(began), time.Now(), began
	})
	return w.Stats().Written - before, err
}

// keep decides what stays in memory after a pass that failed. A store that is overloaded for a moment is not asked for the whole corpus again:
// links that it did not take are still marked as unsaved, and nothing counts as judged. After any other error what is stored isn't known.
func (w *Worker) keep(err error) {
	if lore.CodeOf(err) == lore.CodeStoreUnavailable && w.graph != nil {
		w.graph.Unjudge()
		return
	}
	w.graph, w.frequencies = nil, nil
}
