package handlers

import (
	"context"
	"net/http"
	"net/netip"
	"regexp"
	"runtime/debug"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"agentlore/lore"
)

// Time-outs of reading a body and of working on a request as a whole.
const (
	bodyReadTimeout = 15 * time.Second
	requestTimeout  = 30 * time.Second
)

// request is what is known of a request besides its input; it is filled along the way and logged once at the end.
type request struct {
	id       string
	client   netip.Addr // who sent it, or the request that it is made for: what limits count by and the log names
	page     int        // how many bytes the items of a page may take
	counted  *counted   // what a limit said already, of it or of the request that it is made for
	route    string     // the route's pattern, as in /knowledge/{id}: a path may hold anything
	code     lore.Code
	identity lore.Identity
	token    string        // what identity was verified by; never logged
	schemas  huma.Registry // of the interface's types
	clean    func(text string) bool
}

type requestKey struct{}

// requestOf returns the request that a context belongs to.
func requestOf(ctx context.Context) *request {
	if known, ok := ctx.Value(requestKey{}).(*request); ok {
		return known
	}
	return &request{}
}

var requestIDPattern = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)

// requestID returns the request's id. A client's own X-Request-ID is taken only in a form that can hold no secret and break no
// log.
func (s *server) requestID(c *gin.Context) string {
	id := c.GetHeader("X-Request-ID")
	if id == "" || !requestIDPattern.MatchString(id) || !s.Scrubber.Clean(id) {
		return uuid.NewString()
	}
	return id
}

// identifyRequest gives each request an id, a client and a deadline.
func (s *server) identifyRequest(c *gin.Context) {
	id := s.requestID(c)
	c.Header("X-Request-ID", id)
	timeout := requestTimeout
	if c.FullPath() == exportPath {
		timeout = exportTimeout
	}
	ctx, cancel := context.WithTimeout(c.Request.Context(), timeout)
	defer cancel()
	known := &request{id: id, page: maxPageBytes, schemas: s.api.OpenAPI().Components.Schemas, clean: s.Scrubber.Clean}
	if outer, within := ctx.Value(requestKey{}).(*request); within { // of a tool call or a page: its own headers say nothing of the client
		known.client, known.counted = outer.client, outer.counted
		if outer.route == mcpPath {
			known.page = maxToolPageBytes
		}
	} else {
		known.client = s.proxies.Client(c.Request)
	}
	c.Request = c.Request.WithContext(context.WithValue(ctx, requestKey{}, known))
	c.Next()
}

// describe tells the request which route it took.
func (s *server) describe(o operation) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		requestOf(ctx.Context()).route = o.Path
		next(ctx)
	}
}

// logRequest writes one line a request: neither path, query nor body, which may hold what nobody should read.
func (s *server) logRequest(c *gin.Context) {
	started := time.Now()
	ended := s.Recorder.Started()
	defer ended()
	c.Next()
	known := requestOf(c.Request.Context())
	took := time.Since(started)
	s.record(c, known, took)
	if c.Writer.Header().Get("Content-Length") != "" {
		c.Writer.Flush() // nobody waits for the log
	}
	attributes := []any{
		"request_id", known.id, "method", methodOf(c.Request.Method), "route", known.route, "status", c.Writer.Status(),
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
			s.writeProblem(c, &lore.Problem{Code: lore.CodeInternal, Detail: "something went wrong on our side; try again, and name request_id if it stays"})
		}
	}()
	c.Next()
}
