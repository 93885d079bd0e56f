package admit

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// ErrFull says that there was no room for a request, or none in time. Nothing was done for it.
var ErrFull = errors.New("no room for this request")

// slow is the time of a request above which the store counts as busy. Under load the median of the requests' times
// settles near it.
const slow = 200 * time.Millisecond

// Queue limits how many requests work at once. The others wait for a bounded time, a bounded number of them. It is
// safe for concurrent use.
//
// The limit follows the store's speed, since no fixed number suits quick and slow machines: a request that takes
// longer than slow lowers it by one, a quicker one that others wait for raises it.
//
// Clients share it: a free place goes to the waiting client that has the fewest at work, and one client has three
// quarters of the places at most, so that another needn't wait for the first's slow requests. Where the room is full,
// the client that waits most often makes room for one that waits less.
//
// Of one client, the request that came last is served first. As long as the queue empties, that makes no difference.
// In an overload a request is either served soon or refused in the end, while in order of arrival each would be
// answered as late as it can be.
type Queue struct {
	fewest, most int
	room         int // how many may wait
	wait         time.Duration

	mu      sync.Mutex
	limit   int // fewest..most
	running int
	works   map[netip.Prefix]int // how many of each client work; none is 0
	waiting []*turn              // in order of arrival
}

// turn is a waiting request.
type turn struct {
	client netip.Prefix
	come   chan struct{} // closed when its turn has come, or when it lost its place
	lost   bool          // set before come is closed
}

// NewQueue returns a queue that lets fewest to most requests work at once, beginning with the fewest. As many as room
// may wait, each for the given time.
func NewQueue(fewest, most, room int, wait time.Duration) *Queue {
	return &Queue{
		fewest: min(fewest, most), most: most, room: room, wait: wait, limit: min(fewest, most),
		works: map[netip.Prefix]int{},
	}
}

// Enter returns when the turn of a client's request has come; leave ends it. Waited is true where others were before
// it. The error is ErrFull: there is no room, or no turn in time or before ctx ends.
func (q *Queue) Enter(ctx context.Context, client netip.Prefix) (leave func(), waited bool, err error) {
	turn, err := q.line(client)
	if err != nil {
		return nil, false, err
	}
	select {
	case <-turn.come:
	default:
		waited = true
		within, cancel := context.WithTimeout(ctx, q.wait)
		defer cancel()
		select {
		case <-turn.come:
		case <-within.Done():
			q.giveUp(turn)
		}
	}
	if turn.lost {
		return nil, waited, ErrFull
	}
	began := time.Now()
	return func() { q.leave(client, time.Since(began)) }, waited, nil
}

// line adds a request, whose turn comes at once where there is a place.
func (q *Queue) line(client netip.Prefix) (*turn, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) >= q.room {
		most, ok := q.crowding(client)
		if !ok {
			return nil, ErrFull
		}
		q.drop(slices.IndexFunc(q.waiting, func(t *turn) bool { return t.client == most }))
	}
	added := &turn{client: client, come: make(chan struct{})}
	q.waiting = append(q.waiting, added)
	q.serve()
	return added, nil
}

// crowding returns the client that waits most often, if that is more often than another client would with one more.
func (q *Queue) crowding(client netip.Prefix) (most netip.Prefix, ok bool) {
	waits := map[netip.Prefix]int{}
	for _, turn := range q.waiting {
		if waits[turn.client]++; waits[turn.client] > waits[most] {
			most = turn.client
		}
	}
	return most, waits[most] > waits[client]+1
}

// drop takes a waiting request's place away.
func (q *Queue) drop(i int) {
	turn := q.waiting[i]
	q.waiting = slices.Delete(q.waiting, i, i+1)
	turn.lost = true
	close(turn.come)
}

// giveUp removes a waiting request, unless its turn came at the same moment.
func (q *Queue) giveUp(turn *turn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.waiting, turn); i >= 0 {
		q.drop(i)
	}
}

// leave frees the place of a client's request that took so long, and changes the limit.
func (q *Queue) leave(client netip.Prefix, took time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running--
	if q.works[client]--; q.works[client] == 0 {
		delete(q.works, client)
	}
	if took > slow {
		q.limit = max(q.limit-1, q.fewest)
	} else if len(q.waiting) > 0 {
		q.limit = min(q.limit+1, q.most)
	}
	q.serve()
}

// serve gives free places to those that wait.
func (q *Queue) serve() {
	for q.running < q.limit {
		next, fewest := -1, q.limit-q.limit/4
		for i, turn := range slices.Backward(q.waiting) {
			if works := q.works[turn.client]; works < fewest {
				next, fewest = i, works
			}
		}
		if next < 0 {
			return
		}
		turn := q.waiting[next]
		q.waiting = slices.Delete(q.waiting, next, next+1)
		q.running++
		q.works[turn.client]++
		close(turn.come)
	}
}

// Full reports whether a client's request would be refused now.
func (q *Queue) Full(client netip.Prefix) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) < q.room {
		return false
	}
	_, ok := q.crowding(client)
	return !ok
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
