package handlers

import (
	"context"
	"errors"
	"sync"
	"time"

	"agentlore/lore"
)

const (
	// queueFactor is how many requests may wait for each place that there is at most.
	queueFactor = 4
	// pressedQueueFactor is how many may wait for each place that there is, under pressure. A place is free again about as soon as
	// the shortened wait is over: of more who wait, most would be read and decoded to be refused then, which costs several times
	// what a refusal at the door does.
	pressedQueueFactor = 1
	// slow is the time of a request from which on the store counts as overloaded.
	slow = 300 * time.Millisecond
	// fewestReads and fewestWrites are the numbers of places that a gate opens with, and below which none are taken away. Some
	// requests are slow by nature. Writes share bulk requests, whose cost hardly grows with their size: with few at a time each
	// pays for one alone, and a store that is busy otherwise takes fewer of them for it.
	fewestReads  = 4
	fewestWrites = 16
	// shrinkEvery is the shortest time between two cuts, so that one stall is answered by one.
	shrinkEvery = 200 * time.Millisecond
	// hiccup is for how long the queue must have stood for a refusal to count as pressure. A store that stands still for a moment,
	// while it makes an index or collects garbage, is slow; one whose queue never empties and where some wait in vain is overloaded.
	hiccup = time.Second
	// pressure is how long after the last refusal that counted a gate is under pressure: with short waits the queue empties now
	// and then, and the crowd is still there.
	pressure = 2 * time.Second
	// hurry is by how much the wait is shortened under pressure. Who has waited long is answered late, and who is refused
	// after a long wait has waited for nothing; a short queue serves as many in better time (as CoDel does with packets).
	hurry = 6
	// answerWithin is how long after its arrival a request is given up under pressure: a little above slow. The rest of the second
	// that the design promises is for the way to the caller and back, which on a machine without a free processor takes longer.
	answerWithin = 350 * time.Millisecond
	// lookAgain is how often a request that takes longer looks whether there is pressure now.
	lookAgain = 50 * time.Millisecond
)

// gate lets so many requests through at once, lets so many wait in order, and refuses the rest. Three things keep the
// answers of what it lets through in time, on a machine of any speed:
//
//   - How many are let through follows the store. A gate opens with few places. While all are taken and requests are quick,
//     there are more, at first doubling each round; one that took longer than slow cuts them by a fifth, and from then on
//     they come back one by one (slow start, then additive increase and multiplicative decrease, as TCP does). A fixed
//     number would be right for one machine only: what a quick store does in 50 ms takes a busy one seconds.
//   - Under pressure, which is when somebody waited in vain in a queue that hasn't been empty for a while, or when it is full,
//     nobody waits long for a place.
//   - Under pressure a request that is late is given up with a 503. Without pressure a slow answer is better than none.
type gate struct {
	name   string
	fewest float64
	most   float64
	wait   time.Duration

	mu      sync.Mutex
	places  float64 // at present: fewest..most
	probing bool    // no request was slow yet
	running int
	waiting []chan struct{} // first come, first served; closed when the turn has come
	shrunk  time.Time
	empty   time.Time // when nobody waited, the last time
	refused time.Time // when somebody was refused under pressure, the last time
}

func newGate(name string, fewest, most int, wait time.Duration) *gate {
	fewest = min(fewest, most)
	return &gate{name: name, fewest: float64(fewest), most: float64(most), places: float64(fewest), wait: wait, probing: true}
}

// run does work when its turn has come. It returns errShed where there was no room, or none in time; errLate where the work
// was given up: what it did until then is done. The work's context ends with it.
func (g *gate) run(ctx context.Context, arrived time.Time, work func(context.Context) error) error {
	if !g.enter(ctx) {
		return errShed
	}
	started := time.Now()
	defer func() { g.leave(time.Since(started)) }()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	defer g.endLate(ctx, end, time.Until(arrived.Add(answerWithin))).Stop()
	err := work(ctx)
	if err != nil && errors.Is(context.Cause(ctx), errLate) && unanswered(err) {
		g.mu.Lock()
		g.refuse(time.Now())
		g.mu.Unlock()
		return errLate
	}
	return err
}

// unanswered reports whether an error says that the store's answer didn't come. Any other is an answer, late or not.
func unanswered(err error) bool {
	var problem *lore.Problem
	return errors.Is(err, context.Canceled) || errors.As(err, &problem) && problem.Code == lore.CodeStoreUnavailable
}

// endLate ends a context when its time is over and there is pressure, then or later.
func (g *gate) endLate(ctx context.Context, end context.CancelCauseFunc, left time.Duration) *time.Timer {
	return time.AfterFunc(left, func() {
		switch {
		case ctx.Err() != nil:
		case g.pressed():
			end(errLate)
		default:
			g.endLate(ctx, end, lookAgain)
		}
	})
}

// pressed reports whether the gate is under pressure.
func (g *gate) pressed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.overloaded(time.Now())
}

// busy reports whether anybody waits, or the gate is under pressure.
func (g *gate) busy() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.waiting) > 0 || g.overloaded(time.Now())
}

// inside returns how many are let through at the moment.
func (g *gate) inside() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.running
}

// overloaded is pressed for who holds the lock.
func (g *gate) overloaded(now time.Time) bool {
	return now.Sub(g.refused) < pressure
}

// refuse notes that somebody is refused. By itself that is no pressure: who waited in vain may have met a store that stood still
// for a moment.
func (g *gate) refuse(now time.Time) {
	if stood := len(g.waiting) > 0 && now.Sub(g.empty) > hiccup; stood || g.crowded(now) || g.overloaded(now) {
		g.refused = now
	}
}

// crowded reports whether the queue is full. Under pressure it is as soon as more wait than can have their turn in time: to
// refuse them at once costs least.
func (g *gate) crowded(now time.Time) bool {
	room := queueFactor * g.most
	if g.overloaded(now) {
		room = pressedQueueFactor * g.places
	}
	return len(g.waiting) >= int(room)
}

// full reports whether a request would be refused now.
func (g *gate) full() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	full := g.crowded(now)
	if full {
		g.refuse(now)
	}
	return full
}

// enter waits for its turn. It reports false where there is no room, or none in time.
func (g *gate) enter(ctx context.Context) bool {
	g.mu.Lock()
	now := time.Now()
	if len(g.waiting) == 0 {
		g.empty = now
		if g.running < int(g.places) {
			g.running++
			g.mu.Unlock()
			return true
		}
	}
	if g.crowded(now) {
		g.refuse(now)
		g.mu.Unlock()
		return false
	}
	wait := g.wait
	if g.overloaded(now) {
		wait /= hurry
	}
	turn := make(chan struct{})
	g.waiting = append(g.waiting, turn)
	g.mu.Unlock()

	patience := time.NewTimer(wait)
	defer patience.Stop()
	select {
	case <-turn:
		return true
	case <-patience.C:
		return g.giveUp(turn, true)
	case <-ctx.Done():
		return g.giveUp(turn, false)
	}
}

// giveUp leaves the queue. It reports true where the turn had just come.
func (g *gate) giveUp(turn chan struct{}, refused bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, other := range g.waiting {
		if other == turn {
			if refused {
				g.refuse(time.Now())
			}
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
	used := g.running >= int(g.places)
	g.running--
	now := time.Now()
	switch {
	case took > slow && now.Sub(g.shrunk) >= shrinkEvery:
		g.places, g.shrunk, g.probing = max(g.fewest, g.places*0.8), now, false
	case took > slow || !used: // places that nobody needs say nothing of whether the store could do more
	case g.probing:
		g.places = min(g.most, g.places+1)
	default:
		g.places = min(g.most, g.places+1/g.places)
	}
	for g.running < int(g.places) && len(g.waiting) > 0 {
		g.running++
		close(g.waiting[0])
		g.waiting = g.waiting[1:]
	}
}
