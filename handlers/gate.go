package handlers

import (
	"context"
	"sync"
	"time"
)

const (
	// queueFactor is how many requests may wait for each place there is at most.
	queueFactor = 4
	// slow is the time of a request from which on the store counts as overloaded. With the wait before it, what was accepted
	// is answered within the design's second.
	slow = 400 * time.Millisecond
	// fewest is the number of places below which none are taken away: some requests are slow by nature.
	fewest = 8
	// shrinkEvery is the shortest time between two cuts, so that one stall is answered by one.
	shrinkEvery = 200 * time.Millisecond
)

// gate lets so many requests through at once, lets so many wait in order, and refuses the rest.
//
// How many are let through follows the store: a request that took longer than slow cuts the places by a fifth, quick ones
// bring them back one by one (additive increase, multiplicative decrease, as TCP does). A fixed number would be right for
// one machine only: what a quick store does in 50 ms takes a busy one seconds, and nobody is served in time.
type gate struct {
	name string
	most float64
	wait time.Duration

	mu      sync.Mutex
	places  float64 // at present: fewest..most
	running int
	waiting []chan struct{} // first come, first served; closed when the turn has come
	shrunk  time.Time
}

func newGate(name string, places int, wait time.Duration) *gate {
	return &gate{name: name, most: float64(places), places: float64(places), wait: wait}
}

// full reports whether a request would be refused now.
func (g *gate) full() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.waiting) >= queueFactor*int(g.most)
}

// enter waits for its turn. It reports false where there is no room, or none in time.
func (g *gate) enter(ctx context.Context) bool {
	g.mu.Lock()
	if g.running < int(g.places) && len(g.waiting) == 0 {
		g.running++
		g.mu.Unlock()
		return true
	}
	if len(g.waiting) >= queueFactor*int(g.most) {
		g.mu.Unlock()
		return false
	}
	turn := make(chan struct{})
	g.waiting = append(g.waiting, turn)
	g.mu.Unlock()

	patience := time.NewTimer(g.wait)
	defer patience.Stop()
	select {
	case <-turn:
		return true
	case <-patience.C:
	case <-ctx.Done():
	}
	return g.giveUp(turn)
}

// giveUp leaves the queue. It reports true where the turn had just come.
func (g *gate) giveUp(turn chan struct{}) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, other := range g.waiting {
		if other == turn {
			g.waiting = append(g.waiting[:i], g.waiting[i+1:]...)
			return false
		}
	}
	return true
}

// leave gives a place back after a request that took so long.
func (g *gate) leave(took time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running--
	now := time.Now()
	switch {
	case took <= slow:
		g.places = min(g.most, g.places+1/g.places)
	case now.Sub(g.shrunk) >= shrinkEvery:
		g.places, g.shrunk = max(min(g.most, fewest), g.places*0.8), now
	}
	for g.running < int(g.places) && len(g.waiting) > 0 {
		g.running++
		close(g.waiting[0])
		g.waiting = g.waiting[1:]
	}
}
