package handlers

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"

	"agentlore/handlers/admit"
	"agentlore/lore"
)

// Capacity bounds what the service works on at once. What is beyond it is refused with a 503 and Retry-After, so that memory
// doesn't grow and what was taken is answered in time, however many ask. Zero values mean the defaults.
type Capacity struct {
	Reads  int           // requests that read the store; 0: DefaultReads
	Writes int           // requests that write to it, registrations too; 0: DefaultWrites
	Wait   time.Duration // how long a request may wait for its turn; 0: DefaultWait
}

// Defaults of Capacity: the most that is worked on at once while the store is quick. See admit.Queue for when it isn't.
const (
	DefaultReads  = 64
	DefaultWrites = 128
	DefaultWait   = 600 * time.Millisecond
)

const (
	// queueFactor is how many requests may wait for each place that there is at most.
	queueFactor = 4
	// fewestReads and fewestWrites are the numbers of places that a queue begins with, and below which none are taken away. Some
	// requests are slow by nature. Writes share bulk requests, whose cost hardly grows with their size: with few at a time each
	// pays for one alone, and a store that is busy otherwise takes fewer of them for it.
	fewestReads  = 4
	fewestWrites = 16
	// maxBodiesBytes bounds the bodies that are held in memory at once. Read, decoded and scrubbed, a body takes several
	// times its size. maxClientBodiesBytes bounds those of one client, so that some that send slowly leave room for others.
	maxBodiesBytes       = 12 << 20
	maxClientBodiesBytes = maxBodiesBytes / 8
	// shedRetryAfter is what a refused caller is told to wait.
	shedRetryAfter = time.Second
)

func overloaded() *lore.Problem {
	return &lore.Problem{
		Code: lore.CodeStoreUnavailable, Detail: "the service has more requests than it can hold; nothing was stored; try again after the time in Retry-After",
		RetryAfter: shedRetryAfter, Cause: admit.ErrFull,
	}
}

func late() *lore.Problem {
	return &lore.Problem{
		Code: lore.CodeStoreUnavailable, RetryAfter: shedRetryAfter, Cause: admit.ErrLate,
		Detail: "the service has more requests than it can answer in time and gave this one up; it may have been carried out: send it again after the time in Retry-After, unchanged, and it counts once",
	}
}

// queue is a queue with the name that metrics know it by.
type queue struct {
	*admit.Queue
	name string
}

// queues are where requests wait for their turn: readers, writers and look-ups of tokens.
type queues struct{ reads, writes, tokens queue }

// queues returns the queues, with room for as much as the capacity says.
func (c Capacity) queues() queues {
	if c.Reads < 1 {
		c.Reads = DefaultReads
	}
	if c.Writes < 1 {
		c.Writes = DefaultWrites
	}
	if c.Wait <= 0 {
		c.Wait = DefaultWait
	}
	return queues{
		reads:  queue{admit.NewQueue(fewestReads, c.Reads, queueFactor*c.Reads, c.Wait), "reads"},
		writes: queue{admit.NewQueue(fewestWrites, c.Writes, queueFactor*c.Writes, c.Wait), "writes"},
		tokens: queue{admit.NewQueue(fewestReads, c.Writes, queueFactor*c.Writes, c.Wait), "tokens"},
	}
}

// of returns the queue of a class.
func (q queues) of(class rateClass) queue {
	if class == classRead || class == classExport {
		return q.reads
	}
	return q.writes
}

// waiting reports whether any request waits to read or to write.
func (q queues) waiting() bool { return q.reads.Waiting() > 0 || q.writes.Waiting() > 0 }

// inTurn does work when its turn in a queue has come. The request's body has been read by then: a client that sends it slowly
// takes no place.
func (s *server) inTurn(ctx context.Context, q queue, patient bool, work func(context.Context) error) error {
	err := q.Run(ctx, patient, work)
	switch {
	case errors.Is(err, admit.ErrFull):
		s.Recorder.Shed(q.name)
		return overloaded()
	case errors.Is(err, admit.ErrLate):
		s.Recorder.Shed("late")
		return late()
	}
	return err
}

// refuseFull refuses a request before anything is read or looked up for it, where it has no chance of its turn.
func (s *server) refuseFull(o operation) func(huma.Context, func(huma.Context)) {
	ways := []queue{s.queues.of(o.Class)}
	if o.Bearer {
		ways = append(ways, s.queues.tokens)
	}
	return func(ctx huma.Context, next func(huma.Context)) {
		for _, q := range ways {
			if q.Full() {
				s.Recorder.Shed(q.name)
				s.writeProblem(humagin.Unwrap(ctx), overloaded())
				return
			}
		}
		next(ctx)
	}
}

// boundBodies bounds the memory that bodies take together, and the time that each may take to arrive. What has arrived of a body
// counts until its request ends.
func (s *server) boundBodies(c *gin.Context) {
	if c.Request.Body == nil || c.Request.Body == http.NoBody {
		c.Next()
		return
	}
	body := &boundedBody{
		ReadCloser: c.Request.Body, memory: s.bodies, client: admit.Networks(requestOf(c.Request.Context()).client)[0],
		connection: http.NewResponseController(c.Writer), shed: func() { s.Recorder.Shed("bodies") },
	}
	_ = body.connection.SetReadDeadline(time.Now().Add(bodyReadTimeout)) // a request from within has no connection
	defer func() { s.bodies.Free(body.client, body.read) }()
	c.Request.Body = body
	c.Next()
}

// boundedBody is a body that fails where bodies would take too much memory.
type boundedBody struct {
	io.ReadCloser
	memory     *admit.Memory
	client     netip.Prefix
	connection *http.ResponseController
	read       int64
	shed       func()
}

// Read reads on, or returns admit.ErrFull.
func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if !b.memory.Take(b.client, int64(n)) {
		b.shed()
		return 0, admit.ErrFull
	}
	b.read += int64(n)
	if err == io.EOF {
		_ = b.connection.SetReadDeadline(time.Time{}) // what comes now is another request, and the work on this one takes its own time
	}
	return n, err
}
