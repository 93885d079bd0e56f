package tokens

import (
	"sync"
	"time"

	"agentlore/lore"
)

// flights lets callers who ask for one token at the same time share one look-up.
type flights struct {
	mu      sync.Mutex
	running map[sum]*flight
}

// flight is one look-up under way. identity and err are set before done is closed.
type flight struct {
	started  time.Time
	done     chan struct{}
	identity lore.Identity
	err      error
}

// join returns the look-up for key, and whether the caller must carry it out. One that began longer ago than maxAge is not
// joined: its answer may be older than an answer may be.
func (f *flights) join(key sum, now time.Time, maxAge time.Duration) (shared *flight, lead bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if running, found := f.running[key]; found && now.Sub(running.started) < maxAge {
		return running, false
	}
	mine := &flight{started: now, done: make(chan struct{})}
	f.running[key] = mine
	return mine, true
}

// land gives the answer to all who wait for it.
func (f *flights) land(key sum, landed *flight) {
	f.mu.Lock()
	if f.running[key] == landed {
		delete(f.running, key)
	}
	f.mu.Unlock()
	close(landed.done)
}

// forget makes later callers start a look-up of their own.
func (f *flights) forget(key sum) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.running, key)
}
