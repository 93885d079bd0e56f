package admit

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrFull says that there was no room for a request, or none in time. Nothing was done for it.
var ErrFull = errors.New("no room for this request")

// slow is the time of a request above which the store counts as busy. Under load the median of the requests' times settles near it.
const slow = 200 * time.Millisecond

// Queue limits how many requests work at once. The others wait for a bounded time, a bounded number of them. It is safe for concurrent
// use.
//
// The limit follows the store's speed, since no fixed number suits quick and slow machines: a request that takes longer than slow lowers
// it by one, a quicker one that others wait for raises it.
//
// The request that came last is served first. As long as the queue empties, that makes no difference. In an overload a request is
// either served soon or refused in the end, while in order of arrival each would be answered as late as it can be.
type Queue struct {
	fewest, most int
	room         int // how many may wait
	wait         time.Duration

	mu      sync.Mutex
	limit   int // fewest..most
	running int
	waiting []chan struct{} // each is closed when its request's turn has come; in order of arrival
}

// NewQueue returns a queue that lets fewest to most requests work at once, beginning with the fewest. As many as room may wait, each for
// the given time.
func NewQueue(fewest, most, room int, wait time.Duration) *Queue {
	return &Queue{fewest: min(fewest, most), most: most, room: room, wait: wait, limit: min(fewest, most)}
}

// Enter returns when the request's turn has come; leave ends it. Waited is true where others were before it. The error is ErrFull: there
// is no room, or no turn in time or before ctx ends.
func (q *Queue) Enter(ctx context.Context) (leave func(), waited bool, err error) {
	turn, err := q.line()
	if err != nil {
		return nil, false, err
	}
	select {
	case <-turn:
	default:
		waited = true
		within, cancel := context.WithTimeout(ctx, q.wait)
		defer cancel()
		select {
		case <-turn:
		case <-within.Done():
			if err := q.giveUp(turn); err != nil {
				return nil, true, err
			}
		}
	}
	began := time.Now()
	return func() { q.leave(time.Since(began)) }, waited, nil
}

// line adds a request and returns what is closed when its turn has come, at once where there is a place.
func (q *Queue) line() (turn chan struct{}, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) >= q.room {
		return nil, ErrFull
	}
	turn = make(chan struct{})
	q.waiting = append(q.waiting, turn)
	q.serve()
	return turn, nil
}

// giveUp removes a waiting request. It returns nil where its turn came at the same moment.
func (q *Queue) giveUp(turn chan struct{}) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiting, turn)
	if i < 0 {
		return nil
	}
	q.waiting = slices.Delete(q.waiting, i, i+1)
	return ErrFull
}

// leave frees the place of a request that took so long, and changes the limit.
func (q *Queue) leave(took time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running--
	if took > slow {
		q.limit = max(q.limit-1, q.fewest)
	} else if len(q.waiting) > 0 {
		q.limit = min(q.limit+1, q.most)
	}
	q.serve()
}

// serve gives free places to those that wait.
func (q *Queue) serve() {
	for q.running < q.limit && len(q.waiting) > 0 {
		last := len(q.waiting) - 1
		close(q.waiting[last])
		q.waiting = q.waiting[:last]
		q.running++
	}
}

// Full reports whether a request would be refused now.
func (q *Queue) Full() bool {
	_, waiting := q.Load()
	return waiting >= q.room
}

// Bounds returns how many requests may work now, and how many may wait.
func (q *Queue) Bounds() (limit, room int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.limit, q.room
}

// Load returns how many requests work, and how many wait.
func (q *Queue) Load() (running, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.running, len(q.waiting)
}
