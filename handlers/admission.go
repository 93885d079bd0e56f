package handlers

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"

	"agentlore/handlers/admit"
	"agentlore/handlers/page"
	"agentlore/lore"
)

// Capacity bounds what the service works on at once. What is beyond it is refused with a 503 and Retry-After, so that memory
// doesn't grow and what was taken is answered in time. See admit.Queue for what a slow store does to it. Registrations are writes. They
// are flags of a command that serves.
type Capacity struct {
	Reads  int           `name:"max-reads" env:"AGENTLORE_MAX_READS" default:"32" help:"Reads worked on at once, at most; four times as many may wait, the rest gets a 503."`
	Writes int           `name:"max-writes" env:"AGENTLORE_MAX_WRITES" default:"64" help:"Writes worked on at once, likewise."`
	Wait   time.Duration `name:"queue-wait" env:"AGENTLORE_QUEUE_WAIT" default:"600ms" help:"How long a request may wait for its turn before it gets a 503."`
}

const (
	// queueFactor is how many requests may wait for each one that may work at most.
	queueFactor = 4
	// fewestReads and fewestWrites are how many may always work. Writes share bulk requests, whose cost hardly grows with their size:
	// with few at a time each would pay for one alone.
	fewestReads  = 4
	fewestWrites = 16
	// maxHeldBytes bounds what is held in memory for requests: bodies, what the store sent, answers that are being sent; and
	// maxClientHeldBytes what is held for one client, so that clients that send or read slowly leave room for others.
	maxHeldBytes       = 64 << 20
	maxClientHeldBytes = maxHeldBytes / 4
	// bodyWeight is how many times its size a body takes when it is read, decoded and scrubbed.
	bodyWeight      = 4
	bodyReadTimeout = 15 * time.Second
	// workAfterWait is how long a request that had to wait may work after the longest wait. With others behind it a late answer costs
	// more than it is worth, and by default the rest of a second is for the ways to the queue and back.
	workAfterWait = 200 * time.Millisecond
	// overloadRetryAfter is the Retry-After of a refused request.
	overloadRetryAfter = time.Second
)

// queues returns the queues of reads and writes.
func (c Capacity) queues() (reads, writes *admit.Queue) {
	reads = admit.NewQueue(fewestReads, c.Reads, queueFactor*c.Reads, c.Wait)
	return reads, admit.NewQueue(fewestWrites, c.Writes, queueFactor*c.Writes, c.Wait)
}

// overloaded counts a refused request and returns its problem. Reason names what was full.
func (s *server) overloaded(reason string) *lore.Problem {
	s.Recorder.Shed(reason)
	return &lore.Problem{
		Code: lore.CodeStoreUnavailable, RetryAfter: overloadRetryAfter, Cause: admit.ErrFull,
		Detail: "the service has more requests than it can hold; nothing was stored; try again after the time in Retry-After",
	}
}

// turn is a request's place among those that work. A page has one for all that it asks.
type turn struct {
	queue   *admit.Queue
	name    string // of the queue, as a reason to refuse
	client  netip.Prefix
	free    func() // gives the place back; nil: it has none
	refused bool   // there was no place in time
}

// begin waits for the place. Waited is true where others were before it. The error is the problem of a service that is overloaded.
func (t *turn) begin(ctx context.Context, s *server) (waited bool, err error) {
	if t.free, waited, err = t.queue.Enter(ctx, t.client); err != nil {
		t.free, t.refused = nil, true
		return waited, s.overloaded(t.name)
	}
	return waited, nil
}

// end gives the place back.
func (t *turn) end() {
	if t.free != nil {
		t.free()
		t.free = nil
	}
}

// outside gives a request's place back for a while, and returns when it has one again. Errors: store_unavailable.
func (s *server) outside(ctx context.Context, wait time.Duration) error {
	mine := requestOf(ctx).turn
	if mine != nil {
		mine.end()
	}
	select {
	case <-ctx.Done():
		return lore.StoreUnavailable(ctx.Err())
	case <-time.After(wait):
	}
	if mine == nil {
		return nil
	}
	_, err := mine.begin(ctx, s)
	return err
}

// turnOf returns the turn that a client's request of a class needs; nil: it needs no store.
func (s *server) turnOf(class rateClass, client netip.Addr) *turn {
	networks := admit.Networks(client)
	site := networks[len(networks)-1]
	switch class {
	case "":
		return nil
	case classRead, classExport:
		return &turn{queue: s.reads, name: "reads", client: site}
	}
	return &turn{queue: s.writes, name: "writes", client: site}
}

// admit takes a request through its operation: it counts the request, reads its body, waits for its turn, lets it work, and sends the
// answer. Only the work takes a place in the queue: a client that sends or reads slowly takes none, but memory.
func (s *server) admit(o operation) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		c := humagin.Unwrap(ctx)
		leave, err := s.enter(c, o.Class)
		if err != nil {
			s.writeProblem(c, err)
			return
		}
		if o.Lines { // a stream takes as long as its client does
			next(ctx)
			return
		}
		answer := &heldAnswer{ResponseWriter: c.Writer}
		c.Writer = answer
		func() {
			defer func() { leave(); c.Writer = answer.ResponseWriter }()
			next(ctx)
		}()
		known := requestOf(c.Request.Context())
		if known.held.Drop(); !known.held.Take(int64(answer.body.Len())) {
			s.writeProblem(c, s.overloaded("memory"))
			return
		}
		answer.send(c, o.Tagged)
	}
}

// enter returns when a request of a class may work; leave ends that. What has no class needs no store, and what a page asks has its
// page's turn.
func (s *server) enter(c *gin.Context, class rateClass) (leave func(), err error) {
	known := requestOf(c.Request.Context())
	mine, nothing := known.turn, func() {}
	if mine == nil {
		mine = s.turnOf(class, known.client)
	}
	switch {
	case class == "":
		return nothing, nil
	case mine.refused, mine.free == nil && mine.queue.Full(mine.client): // its body isn't even read
		return nil, s.overloaded(mine.name)
	}
	if err := s.count(c, class); err != nil {
		return nil, err
	}
	if _, err := s.readBody(c, maxBodyBytes+1); err != nil { // one byte more than Huma takes, which refuses what is too long
		return nil, err
	}
	if mine.free != nil || class == classExport { // a stream has a turn for each page
		return nothing, nil
	}
	known.turn = mine
	arrived := time.Now()
	waited, err := mine.begin(c.Request.Context(), s)
	if err != nil {
		return nil, err
	}
	if !waited || class == classRegister { // half a registration would be in the way of the next
		return mine.end, nil
	}
	ctx, cancel := context.WithDeadlineCause(c.Request.Context(), arrived.Add(s.Capacity.Wait+workAfterWait), admit.ErrFull)
	c.Request = c.Request.WithContext(ctx)
	return func() { cancel(); mine.end() }, nil
}

// readBody reads at most limit bytes of a request's body, in a bounded time, and makes them its body. What has arrived counts as the
// client's until the request ends. A body with a Content-Encoding is refused: a small one may become a large one.
func (s *server) readBody(c *gin.Context, limit int64) ([]byte, error) {
	if c.Request.Body == nil || c.Request.Body == http.NoBody {
		return nil, nil
	}
	if encoded(c.Request.Header) {
		c.Header("Accept-Encoding", "identity")
		return nil, &lore.Problem{
			Code: lore.CodeUnsupportedMediaType, Detail: "no Content-Encoding is taken: send the body uncompressed, without that header",
		}
	}
	connection := http.NewResponseController(c.Writer) // a request from within has none, and needs no deadline
	_ = connection.SetReadDeadline(time.Now().Add(bodyReadTimeout))
	known := requestOf(c.Request.Context())
	text, err := io.ReadAll(io.LimitReader(quotaReader{c.Request.Body, func(n int) bool {
		known.body += int64(n)
		return known.held.Take(bodyWeight * int64(n))
	}}, limit))
	switch {
	case errors.Is(err, admit.ErrFull):
		return nil, s.overloaded("memory")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &lore.Problem{Code: lore.CodeRequestTimeout, Detail: "the body did not arrive in time; send it again"}
	case err != nil:
		return nil, &lore.Problem{Code: lore.CodeInvalidJSON, Detail: "the body ended too early; send it again", Cause: err}
	}
	_ = connection.SetReadDeadline(time.Time{}) // what comes now is another request
	c.Request.Body = io.NopCloser(bytes.NewReader(text))
	return text, nil
}

// quotaReader fails where what it reads is more than may be taken.
type quotaReader struct {
	io.Reader
	take func(n int) bool
}

// Read reads on, or returns admit.ErrFull.
func (r quotaReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if !r.take(n) {
		return 0, admit.ErrFull
	}
	return n, err
}

// heldAnswer keeps an answer until the work on it is done. Answers are bounded: see maxPageBytes.
type heldAnswer struct {
	gin.ResponseWriter
	body bytes.Buffer
}

// Write keeps what is to be sent.
func (h *heldAnswer) Write(part []byte) (int, error) { return h.body.Write(part) }

// WriteString keeps what is to be sent.
func (h *heldAnswer) WriteString(part string) (int, error) { return h.body.WriteString(part) }

// WriteHeaderNow does nothing: the status may still become 304.
func (h *heldAnswer) WriteHeaderNow() {}

// send sends the answer. A tagged one has an ETag, and is a 304 where the caller has it. The tag is made of the answer's bytes: it saves
// the way to the caller, not the look into the store, and can't be stale.
func (h *heldAnswer) send(c *gin.Context, tagged bool) {
	if tagged && h.Status() == http.StatusOK {
		page.SendTagged(c.Writer, c.Request, page.TagOf(h.body.Bytes()), h.body.Bytes())
		return
	}
	h.Header().Set("Content-Length", strconv.Itoa(h.body.Len()))
	h.ResponseWriter.WriteHeaderNow()
	_, _ = h.ResponseWriter.Write(h.body.Bytes()) // a caller that went away needs no answer
}
