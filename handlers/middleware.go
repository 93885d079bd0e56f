package handlers

import (
	"cmp"
	"context"
	"net/http"
	"net/netip"
	"regexp"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"agentlore/handlers/admit"
	"agentlore/lore"
)

// requestTimeout bounds the work on a request as a whole.
const requestTimeout = 30 * time.Second

// request is what is known of a request besides its input; it is filled along the way and logged once at the end.
type request struct {
	server  *server
	id      string
	route   string     // the route's pattern, as in /knowledge/{id}, or empty: a path may hold anything
	client  netip.Addr // what limits count by and the log names
	page    int        // how many bytes the items of a page may take
	counted *counted   // what a limit said already, of it or of the request that it is made for
	turn    *turn      // its place among those that work; nil: it needs none
	batch   bool       // it is a batch of observations

	held    *admit.Held  // memory: its body, what the store sent, its answer
	body    int64        // how many bytes of its body were read
	handled atomic.Int64 // how many bytes the store handled for it that it was not charged yet
	stored  int64        // how many of its body's bytes were stored; 0: its status tells
	payers  []payer      // who pays for it

	code     lore.Code
	identity lore.Identity
	token    string // what identity was verified by; never logged
}

type requestKey struct{}

// requestOf returns the request that a context belongs to.
func requestOf(ctx context.Context) *request {
	if known, ok := ctx.Value(requestKey{}).(*request); ok {
		return known
	}
	return &request{held: &admit.Held{}}
}

var requestIDPattern = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)

// unmatched is the route of requests for no path of ours.
const unmatched = "unmatched"

// identifyRequest gives each request an id, a client and a deadline. A client's own X-Request-ID is taken only in a form that can hold
// no secret and break no log.
func (s *server) identifyRequest(c *gin.Context) {
	known := &request{server: s, id: c.GetHeader("X-Request-ID"), page: maxPageBytes}
	if !requestIDPattern.MatchString(known.id) || !s.Scrubber.Clean(known.id) {
		known.id = uuid.NewString()
	}
	c.Header("X-Request-ID", known.id)
	known.route = ginParameter.ReplaceAllString(c.FullPath(), "/{$1}")
	if outer, within := c.Request.Context().Value(requestKey{}).(*request); within { // of a tool call or a page
		known.client, known.counted, known.turn = outer.client, outer.counted, outer.turn
		if outer.route == mcpPath {
			known.page = maxToolPageBytes
		}
	} else {
		known.client = s.Proxies.Client(c.Request)
	}
	timeout := requestTimeout
	if known.route == exportPath {
		timeout = exportTimeout
	}
	ctx, cancel := context.WithTimeout(context.WithValue(c.Request.Context(), requestKey{}, known), timeout)
	defer cancel()
	known.held = s.memory.Hold(admit.Networks(known.client))
	defer known.held.End()
	c.Request = c.Request.WithContext(ctx)
	c.Next()
}

// isTool reports whether the request is that of an MCP tool: a model reads the answer.
func (r *request) isTool() bool { return r.page == maxToolPageBytes }

// ginParameter is a parameter in a path of Gin's.
var ginParameter = regexp.MustCompile(`/:(\w+)`)

// logRequest counts each request and logs one line, without path, query and body, which may hold secrets.
func (s *server) logRequest(c *gin.Context) {
	started := time.Now()
	ended := s.Recorder.Started()
	defer ended()
	c.Next()
	known, method, took := requestOf(c.Request.Context()), methodOf(c.Request.Method), time.Since(started)
	s.Recorder.Request(method, cmp.Or(known.route, unmatched), c.Writer.Status(), string(known.code), took)
	attributes := []any{
		"request_id", known.id, "method", method, "route", known.route, "status", c.Writer.Status(),
		"ms", float64(took.Microseconds()) / 1000, "bytes", max(c.Writer.Size(), 0), "client", known.client.String(),
	}
	if known.code != "" {
		attributes = append(attributes, "code", known.code)
	}
	if known.identity.SourceID != "" {
		attributes = append(attributes, "source", known.identity.SourceID)
	}
	s.Log.Info("request", attributes...)
}

// methodOf returns a method that exists; any other word is the client's own and stays out of the log.
func methodOf(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// recoverPanic answers for a handler that panicked. The panic's value may quote a document, so only the stack is logged.
func (s *server) recoverPanic(c *gin.Context) {
	defer func() {
		value := recover()
		if value == nil {
			return
		}
		if value == http.ErrAbortHandler {
			panic(value) // net/http's own way to drop a connection
		}
		s.Log.Error("panic", "request_id", requestOf(c.Request.Context()).id, "stack", string(debug.Stack()))
		if !c.Writer.Written() {
			s.writeProblem(c, internal(nil))
		}
	}()
	c.Next()
}

// Cross-origin rules: any origin may read, and write with a token. There are no cookies that a foreign page could ride on.
const (
	allowedMethods = "GET, POST, PUT, PATCH, DELETE, OPTIONS"
	allowedHeaders = "Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-ID, Mcp-Session-Id, MCP-Protocol-Version"
	exposedHeaders = "ETag, Location, Retry-After, RateLimit, RateLimit-Policy, X-RateLimit-Limit, X-RateLimit-Remaining, " +
		"X-RateLimit-Reset, X-Request-ID, WWW-Authenticate"
	preflightAge = "86400" // a day, in seconds
)

// markAnswers says to browsers that every answer is what its Content-Type says, since stored text could look like a page, and that any
// origin may read it. It answers preflight requests.
func markAnswers(c *gin.Context) {
	c.Header("X-Content-Type-Options", "nosniff")
	c.Header("Access-Control-Allow-Origin", "*")
	if c.Request.Method == http.MethodOptions && c.GetHeader("Access-Control-Request-Method") != "" {
		c.Header("Access-Control-Allow-Methods", allowedMethods)
		c.Header("Access-Control-Allow-Headers", allowedHeaders)
		c.Header("Access-Control-Max-Age", preflightAge)
		c.AbortWithStatus(http.StatusNoContent)
		return
	}
	c.Header("Access-Control-Expose-Headers", exposedHeaders)
}

// Recorder counts what the interface does, for metrics. Its arguments come from fixed lists and never hold what a client sent. Its
// methods are called from many goroutines and must not block.
type Recorder interface {
	// Started counts a request as under way until ended is called.
	Started() (ended func())
	// Request counts an answer; route is a pattern, code the problem's or empty.
	Request(method, route string, status int, code string, took time.Duration)
	// Shed counts a request refused because the service is full.
	Shed(reason string)
	// Searched counts a search by the layers that found something in a search's results.
	Searched(layers []string)
	// Scrubbed counts what was removed from a request, by kind.
	Scrubbed(counts map[string]int)
	// ScrubFailed counts a text that could not be scrubbed: nothing of it is stored.
	ScrubFailed()
	// Queue has metrics of a queue read when they are asked for: how many requests work and wait, and how many may.
	Queue(class string, load, bounds func() (working, waiting int))
}
