package handlers

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
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
	// maxBodiesBytes bounds the request bodies that are held in memory, maxClientBodiesBytes those of one client, so that clients that
	// send slowly leave room for others. Read, decoded and scrubbed, a body takes several times its size.
	maxBodiesBytes       = 12 << 20
	maxClientBodiesBytes = maxBodiesBytes / 8
	bodyReadTimeout      = 15 * time.Second
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

// admit takes a request through its operation: it counts the request, reads its body, waits for its turn, lets it work, and sends the
// answer. Only the work takes a place in the queue: a client that sends or reads slowly takes none.
func (s *server) admit(o operation) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		c := humagin.Unwrap(ctx)
		leave, err := s.enter(c, o.Class)
		if err != nil {
			s.writeProblem(c, err)
			return
		}
		if o.Lines { // a stream takes as long as its client does
			leave()
			next(ctx)
			return
		}
		held := &heldAnswer{ResponseWriter: c.Writer}
		c.Writer = held
		func() {
			defer func() { leave(); c.Writer = held.ResponseWriter }()
			next(ctx)
		}()
		held.send(c, o.Tagged)
	}
}

// enter returns when a request of a class may work; leave ends that. What has no class needs no store.
func (s *server) enter(c *gin.Context, class rateClass) (leave func(), err error) {
	queue, name := s.writes, "writes"
	switch class {
	case "":
		return func() {}, nil
	case classRead, classExport:
		queue, name = s.reads, "reads"
	}
	if queue.Full() { // its body isn't even read
		return nil, s.overloaded(name)
	}
	if err := s.count(c, class); err != nil {
		return nil, err
	}
	if _, err := s.readBody(c, maxBodyBytes+1); err != nil { // one byte more than Huma takes, which refuses what is too long
		return nil, err
	}
	arrived := time.Now()
	free, waited, err := queue.Enter(c.Request.Context())
	if err != nil {
		return nil, s.overloaded(name)
	}
	if !waited || class == classRegister || class == classExport { // half a registration would be in the way of the next
		return free, nil
	}
	ctx, cancel := context.WithDeadline(c.Request.Context(), arrived.Add(s.Capacity.Wait+workAfterWait))
	c.Request = c.Request.WithContext(ctx)
	return func() { cancel(); free() }, nil
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
		taken := s.bodies.Take(admit.Networks(known.client), int64(n))
		if taken {
			known.body += int64(n)
		}
		return taken
	}}, limit))
	switch {
	case errors.Is(err, admit.ErrFull):
		return nil, s.overloaded("bodies")
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
