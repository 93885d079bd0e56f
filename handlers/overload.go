package handlers

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"agentlore/lore"
)

// Capacity bounds what the service works on at once. What is beyond it is refused at once with a 503 and Retry-After, so
// that memory doesn't grow and what was taken is answered in time, however many ask. Zero values mean the defaults.
type Capacity struct {
	Reads  int // requests that read the store; 0: DefaultReads
	Writes int // requests that write to it, registrations too; 0: DefaultWrites
	// Wait is how long a request may wait for its turn; 0: DefaultWait. Under pressure it is a sixth of that.
	Wait time.Duration
}

// Defaults of Capacity: the most that is worked on at once while the store is quick. See gate for when it isn't.
const (
	DefaultReads  = 64
	DefaultWrites = 128
	DefaultWait   = 600 * time.Millisecond
)

const (
	// maxBodiesBytes bounds the bodies that are held in memory at once. Read, decoded and scrubbed, a body takes several
	// times its size.
	maxBodiesBytes = 12 << 20
	// shedRetryAfter is what a refused caller is told to wait.
	shedRetryAfter = time.Second
)

// Causes of refusals.
var (
	// errShed: there was no room, and nothing was done.
	errShed = errors.New("no room for this request")
	// errLate: it took too long while others had to be refused.
	errLate = errors.New("given up: it took too long while there was no room for others")
)

func overloaded() *lore.Problem {
	return &lore.Problem{
		Code: lore.CodeStoreUnavailable, Detail: "the service has more requests than it can hold; nothing was stored; try again after the time in Retry-After",
		RetryAfter: shedRetryAfter, Cause: errShed,
	}
}

func late() *lore.Problem {
	return &lore.Problem{
		Code: lore.CodeStoreUnavailable, RetryAfter: shedRetryAfter, Cause: errLate,
		Detail: "the service has more requests than it can answer in time and gave this one up; it may have been carried out: send it again after the time in Retry-After, unchanged, and it counts once",
	}
}

// refusal turns what a gate returned into what the caller gets, and counts what was refused.
func (s *server) refusal(g *gate, err error) error {
	switch {
	case errors.Is(err, errShed):
		s.Recorder.Shed(g.name)
		return overloaded()
	case errors.Is(err, errLate):
		s.Recorder.Shed("late")
		return late()
	}
	return err
}

// complete returns the capacity with its defaults.
func (c Capacity) complete() Capacity {
	if c.Reads < 1 {
		c.Reads = DefaultReads
	}
	if c.Writes < 1 {
		c.Writes = DefaultWrites
	}
	if c.Wait <= 0 {
		c.Wait = DefaultWait
	}
	return c
}

// gates returns the gate of each rate class.
func (c Capacity) gates() map[rateClass]*gate {
	c = c.complete()
	reads, writes := newGate("reads", fewestReads, c.Reads, c.Wait), newGate("writes", fewestWrites, c.Writes, c.Wait)
	return map[rateClass]*gate{classRead: reads, classExport: reads, classWrite: writes, classRegister: writes}
}

// busy reports whether anybody waits to read or to write.
func (s *server) busy() bool {
	for _, gate := range s.gates {
		if gate.busy() {
			return true
		}
	}
	return false
}

// lookUps returns the gate of token look-ups.
func (c Capacity) lookUps() *gate {
	c = c.complete()
	return newGate("tokens", fewestReads, c.Writes, c.Wait)
}

// gatesOf returns the gates that an operation goes through.
func (s *server) gatesOf(o operation) []*gate {
	if o.Bearer {
		return []*gate{s.gates[o.Class], s.tokenGate}
	}
	return []*gate{s.gates[o.Class]}
}

// admitted runs a handler when its turn has come. Its input has been read by then: a client that sends its body byte by byte
// takes nobody's turn.
func (s *server) admitted(ctx context.Context, class rateClass, handle func(context.Context) error) error {
	gate := s.gates[class]
	if gate == nil { // what has no class needs no store
		return handle(ctx)
	}
	arrived := requestOf(ctx).arrived
	if class == classRegister { // half a registration keeps its name from the next try: it gets the time that it takes
		arrived = arrived.Add(requestTimeout)
	}
	return s.refusal(gate, gate.run(ctx, arrived, handle))
}

// boundBodies bounds the memory that bodies take together: what has arrived of them counts until their requests end.
func (s *server) boundBodies(c *gin.Context) {
	if c.Request.Body == nil || c.Request.Body == http.NoBody {
		c.Next()
		return
	}
	body := &countedBody{ReadCloser: c.Request.Body, held: &s.bodies, shed: func() { s.Recorder.Shed("bodies") }}
	defer func() { s.bodies.Add(-body.read) }()
	c.Request.Body = body
	c.Next()
}

// countedBody is a body that fails where all bodies together would take too much memory.
type countedBody struct {
	io.ReadCloser
	held *atomic.Int64
	read int64
	shed func()
}

// Read reads on, or returns errShed.
func (b *countedBody) Read(p []byte) (int, error) {
	if b.held.Load() > maxBodiesBytes {
		b.shed()
		return 0, errShed
	}
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	b.held.Add(int64(n))
	return n, err
}
