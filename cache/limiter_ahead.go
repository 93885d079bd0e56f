package cache

import (
	"context"
	"sync"
	"time"

	"github.com/ulule/limiter/v3"
)

const (
	// aheadShare and aheadMost bound how many requests of a client are counted at once: a hundredth of its limit, ten at most. So a
	// limit below 200 is counted one by one, and the default of 1,200 reads a minute by tens.
	aheadShare = 100
	aheadMost  = 10
	// aheadWhile is the share of a limit, as one in so many, that must be left: nearer to its end requests are counted one by one, so
	// that the last of them are there for whichever replica is asked.
	aheadWhile = 4
	// aheadKeys bounds the clients that are remembered, at some 200 bytes each. Beyond it they are counted one by one.
	aheadKeys = 10_000
	// aheadSweep is the shortest time between two looks for clients whose windows are over.
	aheadSweep = time.Second
)

// aheadStore counts the requests of a busy client several at a time: the first in a window one by one, then ten, which are used up
// here. To ask Redis is a twentieth of a search that finds at once, and a busy client need not wait for it every time. No
// more pass than the limit allows, over all replicas, for all are counted before they pass; what a replica has counted and not
// used is lost to the others until the window ends.
type aheadStore struct {
	limiter.Store

	mu    sync.Mutex
	known map[string]*aheadCount
	swept time.Time
}

// aheadCount is what is known of a client in its window.
type aheadCount struct {
	limiter.Context       // as the store said
	left            int64 // counted there, and not used yet
	asking          bool  // somebody counts ahead for it
}

func newAheadStore(store limiter.Store) *aheadStore {
	return &aheadStore{Store: store, known: map[string]*aheadCount{}}
}

// Get counts one and returns where the key stands.
func (s *aheadStore) Get(ctx context.Context, key string, rate limiter.Rate) (limiter.Context, error) {
	most := min(aheadMost, rate.Limit/aheadShare)
	if most < 2 {
		return s.Store.Get(ctx, key, rate)
	}
	standing, count := s.use(key, most)
	if count == 0 {
		return standing, nil
	}
	standing, err := s.Store.Increment(ctx, key, count, rate)
	if err != nil {
		return standing, err
	}
	return s.keep(key, standing, count), nil
}

// Peek returns where the key stands.
func (s *aheadStore) Peek(ctx context.Context, key string, rate limiter.Rate) (limiter.Context, error) {
	standing, err := s.Store.Peek(ctx, key, rate)
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.current(key); known != nil {
		standing.Remaining += known.left
	}
	return standing, err
}

// Reset sets the key's count to zero.
func (s *aheadStore) Reset(ctx context.Context, key string, rate limiter.Rate) (limiter.Context, error) {
	s.mu.Lock()
	delete(s.known, key)
	s.mu.Unlock()
	return s.Store.Reset(ctx, key, rate)
}

// current returns what is known of a key in the present window, nil if nothing is. A window's end is known with the fraction of
// its second cut off, so what is known is never of a window that is over. The caller holds the lock.
func (s *aheadStore) current(key string) *aheadCount {
	known := s.known[key]
	if known == nil || time.Now().Unix() >= known.Reset {
		return nil
	}
	return known
}

// use takes one of those that are counted already. Where there is none it returns how many to count now, most at most.
func (s *aheadStore) use(key string, most int64) (standing limiter.Context, count int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.current(key)
	switch {
	case known == nil:
		return limiter.Context{}, 1
	case known.left > 0:
		known.left--
		return known.standing(), 0
	case known.asking || known.Remaining < known.Limit/aheadWhile:
		return limiter.Context{}, 1
	}
	known.asking = true
	return limiter.Context{}, most
}

// keep remembers what the store said of count more, and returns where the key stands with what is left of them. Of a count that
// went beyond the limit nothing is left.
func (s *aheadStore) keep(key string, said limiter.Context, count int64) limiter.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.current(key)
	if known == nil {
		known = &aheadCount{Context: said}
		if s.room() {
			s.known[key] = known
		}
	}
	known.Remaining = min(known.Remaining, said.Remaining) // of two who ask at once the later count may be heard first
	if count > 1 {
		known.asking = false
	}
	if !said.Reached {
		known.left += count - 1
	}
	standing := known.standing()
	standing.Reached = said.Reached
	return standing
}

// standing returns where the key stands for a request that is counted already.
func (c *aheadCount) standing() limiter.Context {
	return limiter.Context{Limit: c.Limit, Remaining: c.Remaining + c.left, Reset: c.Reset}
}

// room reports whether another key may be remembered. The caller holds the lock.
func (s *aheadStore) room() bool {
	now := time.Now()
	if len(s.known) >= aheadKeys && now.Sub(s.swept) >= aheadSweep {
		s.swept = now
		for key := range s.known {
			if s.current(key) == nil {
				delete(s.known, key)
			}
		}
	}
	return len(s.known) < aheadKeys
}
