package admit

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// ErrFull says that there was no room for a request, or none in time. Nothing was done for it.
var ErrFull = errors.New("no room for this request")

// ErrLate says that work was given up since it took too long while others waited. What it did until then is done.
var ErrLate = errors.New("given up: it took too long while others waited")

const (
	// slow is the time of a request from which on the store counts as overloaded. Under load the median of the requests' times
	// comes to rest near it.
	slow = 200 * time.Millisecond
	// standing is for how long requests must have waited without a break for one that waited in vain to mean an overload. A store that
	// stands still for a moment, while it collects garbage, is slow; one whose queue never empties is overloaded.
	standing = time.Second
	// shortened is the part of the usual wait that is left while the queue is overloaded, as one in so many. Who has waited long is
	// answered late, and a short queue serves as many in better time (as CoDel does with packets).
	shortened = 6
	// late is how long after its arrival a request is given up while the queue is overloaded. The rest of a second is for its way to the
	// queue, and for the answer's to the caller.
	late = 300 * time.Millisecond
	// pollInterval is how often a request that takes longer looks whether the queue is overloaded now.
	pollInterval = 50 * time.Millisecond
)

// Queue lets a number of requests work at once. A bounded number waits in order of arrival, each for a bounded time; the rest
// is refused at once. It is safe for concurrent use.
//
// How many work at once follows the store, since no fixed number is right for quick and slow machines: each request that took
// longer than slow takes a place away, each quicker one that others wait behind gives one back. While the queue is overloaded,
// requests wait for a shorter time, and those that are late are given up; otherwise a slow answer is better than none.
type Queue struct {
	fewest, most int64
	room         int64 // for those who wait; in an overloaded queue there is room for as many as work
	wait         time.Duration
	places       *semaphore.Weighted // of most; those that are taken away are held by the queue
	waiting      atomic.Int64
	running      atomic.Int64

	mu         sync.Mutex
	usable     int64     // places that aren't taken away: fewest..most
	empty      time.Time // when no request waited, the last time
	overloaded time.Time // when a request was refused by an overloaded queue, the last time
}

// NewQueue returns a queue with fewest to most places, where room requests may wait, each for so long. It begins with the fewest.
func NewQueue(fewest, most, room int, wait time.Duration) *Queue {
	q := &Queue{fewest: int64(min(fewest, most)), most: int64(most), room: int64(room), wait: wait, places: semaphore.NewWeighted(int64(most))}
	q.usable = q.fewest
	q.places.TryAcquire(q.most - q.usable)
	return q
}

// Run does work when its turn has come, and returns its error. It returns ErrFull where there is no room or none in time, and
// ErrLate where the work failed after its time in an overloaded queue was over; the work's context ends then. Patient work has all
// the time that it takes.
func (q *Queue) Run(ctx context.Context, patient bool, work func(context.Context) error) error {
	arrived := time.Now()
	overloaded, room := q.state(arrived)
	wait := q.wait
	if overloaded {
		wait /= shortened
	}
	if !q.enter(ctx, room, wait) {
		return ErrFull
	}
	q.running.Add(1)
	began := time.Now()
	defer func() {
		q.running.Add(-1)
		q.leave(time.Since(began))
	}()
	if !patient {
		var end context.CancelCauseFunc
		ctx, end = context.WithCancelCause(ctx)
		defer end(nil)
		defer q.endLate(ctx, end, time.Until(arrived.Add(late))).Stop()
	}
	err := work(ctx)
	if err != nil && errors.Is(context.Cause(ctx), ErrLate) {
		return ErrLate
	}
	return err
}

// endLate ends a context when its time is over and the queue is overloaded, then or later.
func (q *Queue) endLate(ctx context.Context, end context.CancelCauseFunc, left time.Duration) *time.Timer {
	return time.AfterFunc(left, func() {
		if overloaded, _ := q.state(time.Now()); overloaded {
			end(ErrLate)
		} else if ctx.Err() == nil {
			q.endLate(ctx, end, pollInterval)
		}
	})
}

// state reports whether the queue is overloaded, and how many requests may wait. It is overloaded from a refusal on, and for a moment
// after the last one: with short waits the queue empties now and then, and the crowd is still there.
func (q *Queue) state(now time.Time) (overloaded bool, room int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.waiting.Load() == 0 {
		q.empty = now
	}
	if now.Sub(q.overloaded) < 2*standing {
		return true, min(q.room, q.usable)
	}
	return false, q.room
}

// refuse notes that a request is refused: the queue is overloaded if it is full, has stood for long, or was overloaded before.
func (q *Queue) refuse(full bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if now := time.Now(); full || now.Sub(q.empty) > standing || now.Sub(q.overloaded) < 2*standing {
		q.overloaded = now
	}
}

func (q *Queue) enter(ctx context.Context, room int64, wait time.Duration) bool {
	if q.places.TryAcquire(1) { // it fails while others wait
		return true
	}
	defer q.waiting.Add(-1)
	if q.waiting.Add(1) > room {
		q.refuse(true)
		return false
	}
	within, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	entered := q.places.Acquire(within, 1) == nil
	if !entered && ctx.Err() == nil { // else the caller went away
		q.refuse(false)
	}
	return entered
}

// leave frees the place of a request that took so long.
func (q *Queue) leave(took time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	free := int64(1)
	switch {
	case took > slow && q.usable > q.fewest:
		q.usable--
		free = 0
	case took <= slow && q.usable < q.most && q.waiting.Load() > 0:
		q.usable++
		free = 2
	}
	q.places.Release(free)
}

// Full reports whether a request would be refused now.
func (q *Queue) Full() bool {
	_, room := q.state(time.Now())
	return q.waiting.Load() >= room
}

// Waiting returns how many requests wait for their turn.
func (q *Queue) Waiting() int { return int(q.waiting.Load()) }

// Running returns how many requests are worked on.
func (q *Queue) Running() int { return int(q.running.Load()) }
