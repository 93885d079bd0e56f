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

// slow is the time of a request from which on the store counts as overloaded. Under load the median of the requests' times comes
// to rest near it.
const slow = 200 * time.Millisecond

// Queue lets a number of requests work at once. A bounded number waits in order of arrival, each for a bounded time; the rest
// is refused at once. It is safe for concurrent use.
//
// How many work at once follows the store, since no fixed number is right for quick and slow machines: each request that took
// longer than slow takes a place away, each quicker one that others wait behind gives one back.
type Queue struct {
	fewest, most int64
	room         int64 // for those who wait
	wait         time.Duration
	places       *semaphore.Weighted // of most; those that are taken away are held by the queue
	waiting      atomic.Int64
	running      atomic.Int64

	mu     sync.Mutex
	usable int64 // places that aren't taken away: fewest..most
}

// NewQueue returns a queue with fewest to most places, where room requests may wait, each for so long. It begins with the fewest.
func NewQueue(fewest, most, room int, wait time.Duration) *Queue {
	q := &Queue{fewest: int64(min(fewest, most)), most: int64(most), room: int64(room), wait: wait, places: semaphore.NewWeighted(int64(most))}
	q.usable = q.fewest
	q.places.TryAcquire(q.most - q.usable)
	return q
}

// Run does work when its turn has come, and returns its error. It returns ErrFull where there is no room or none in time.
func (q *Queue) Run(ctx context.Context, work func(context.Context) error) error {
	if !q.enter(ctx) {
		return ErrFull
	}
	q.running.Add(1)
	began := time.Now()
	defer func() {
		q.running.Add(-1)
		q.leave(time.Since(began))
	}()
	return work(ctx)
}

func (q *Queue) enter(ctx context.Context) bool {
	if q.places.TryAcquire(1) { // it fails while others wait
		return true
	}
	defer q.waiting.Add(-1)
	if q.waiting.Add(1) > q.room {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, q.wait)
	defer cancel()
	return q.places.Acquire(ctx, 1) == nil
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
func (q *Queue) Full() bool { return q.waiting.Load() >= q.room }

// Waiting returns how many requests wait for their turn.
func (q *Queue) Waiting() int { return int(q.waiting.Load()) }

// Running returns how many requests are worked on.
func (q *Queue) Running() int { return int(q.running.Load()) }
