package handlers

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"agentlore/handlers/admit"
	"agentlore/lore"
)

// problem is the one shape of every error answer: RFC 9457, with a stable code and what to do next. It never holds what
// the caller sent, but for harmless names of members that are wrong.
type problem struct {
	Type      string            `json:"type" doc:"A URI for this kind of problem"`
	Title     string            `json:"title" doc:"The status in words"`
	Status    int               `json:"status" doc:"HTTP status"`
	Detail    string            `json:"detail" doc:"What is wrong and what to do next"`
	Instance  string            `json:"instance,omitempty" doc:"The route that was called"`
	Code      lore.Code         `json:"code" doc:"Stable name of the problem"`
	Errors    []lore.FieldError `json:"errors,omitempty" doc:"Each faulty field"`
	Retryable bool              `json:"retryable" doc:"Whether the same request may succeed later"`
	// RetryAfter repeats the header Retry-After: a model that calls a tool sees the body alone.
	RetryAfter int    `json:"retry_after,omitempty" doc:"Seconds to wait before the next try, as in the header Retry-After"`
	RequestID  string `json:"request_id" doc:"Name this when you ask about it"`

	headers http.Header
}

// Error makes problem an error; the text is for logs.
func (p *problem) Error() string { return string(p.Code) + ": " + p.Detail }

// GetStatus tells Huma the status.
func (p *problem) GetStatus() int { return p.Status }

// GetHeaders tells Huma the headers.
func (p *problem) GetHeaders() http.Header { return p.headers }

// ContentType tells Huma the media type of a problem.
func (p *problem) ContentType(string) string { return problemType }

// problemType is the media type of problems (RFC 9457).
const problemType = "application/problem+json"

// statuses is the one table from code to HTTP status.
var statuses = map[lore.Code]int{
	lore.CodeInvalidJSON:          http.StatusBadRequest,
	lore.CodeInvalidCursor:        http.StatusBadRequest,
	lore.CodeMissingToken:         http.StatusUnauthorized,
	lore.CodeInvalidToken:         http.StatusUnauthorized,
	lore.CodeBanned:               http.StatusForbidden,
	lore.CodeInviteRequired:       http.StatusForbidden,
	lore.CodeInvalidInvite:        http.StatusUnprocessableEntity,
	lore.CodeNotFound:             http.StatusNotFound,
	lore.CodeErased:               http.StatusGone,
	lore.CodeMethodNotAllowed:     http.StatusMethodNotAllowed,
	lore.CodeRequestTimeout:       http.StatusRequestTimeout,
	lore.CodeNameTaken:            http.StatusConflict,
	lore.CodeIdempotencyInFlight:  http.StatusConflict,
	lore.CodeBodyTooLarge:         http.StatusRequestEntityTooLarge,
	lore.CodeUnsupportedMediaType: http.StatusUnsupportedMediaType,
	lore.CodeInvalidField:         http.StatusUnprocessableEntity,
	lore.CodeInvalidFields:        http.StatusUnprocessableEntity,
	lore.CodeSecretInIdentity:     http.StatusUnprocessableEntity,
	lore.CodeOwnItem:              http.StatusUnprocessableEntity,
	lore.CodeChanged:              http.StatusConflict,
	lore.CodeNotYours:             http.StatusForbidden,
	lore.CodeNotAmendable:         http.StatusConflict,
	lore.CodeTooManyQuestions:     http.StatusConflict,
	lore.CodeNoStanding:           http.StatusForbidden,
	lore.CodePageTooDeep:          http.StatusUnprocessableEntity,
	lore.CodeIdempotencyMismatch:  http.StatusUnprocessableEntity,
	lore.CodeRateLimited:          http.StatusTooManyRequests,
	lore.CodeQuota:                http.StatusTooManyRequests,
	lore.CodeStoreUnavailable:     http.StatusServiceUnavailable,
	lore.CodeInternal:             http.StatusInternalServerError,
}

// statusOf returns a code's status.
func statusOf(code lore.Code) int {
	if status, known := statuses[code]; known {
		return status
	}
	return http.StatusInternalServerError
}

// typeOf returns a code's type URI; exceeding a quota has a registered one.
func typeOf(code lore.Code) string {
	if statusOf(code) == http.StatusTooManyRequests {
		return "https://iana.org/assignments/http-problem-types#quota-exceeded"
	}
	return "urn:agentlore:problem:" + string(code)
}

// problemOf turns any error into the problem that the caller gets and logs what only the operator should know. An
// unknown error becomes a fixed text: its own may quote a document.
func (s *server) problemOf(ctx context.Context, err error) *problem {
	var known *lore.Problem
	switch {
	case errors.As(err, &known):
	case errors.Is(err, context.Canceled): // the caller has gone; counted as our fault it would alert the operator
		known = &lore.Problem{Code: lore.CodeRequestTimeout, Detail: "the connection was closed before the answer", Cause: err}
	case errors.Is(err, context.DeadlineExceeded): // the work took longer than it may, as scrubbing does in an overload
		known = lore.StoreUnavailable(cmp.Or(context.Cause(ctx), err))
	default:
		known = internal(err)
	}
	request := requestOf(ctx)
	// Of callers that went away and of overload the request's own line says enough.
	if statusOf(known.Code) >= 500 && !errors.Is(err, context.Canceled) && !errors.Is(err, admit.ErrFull) {
		s.Log.Error("request failed", "request_id", request.id, "route", request.route, "code", known.Code, "cause", err)
	}
	return newProblem(request, known)
}

// internal returns the problem for a fault of ours.
func internal(cause error) *lore.Problem {
	return &lore.Problem{
		Code: lore.CodeInternal, Detail: "something went wrong on our side; try again, and name request_id if it stays", Cause: cause,
	}
}

// newProblem writes a problem for a request.
func newProblem(request *request, known *lore.Problem) *problem {
	status := statusOf(known.Code)
	p := &problem{
		Type: typeOf(known.Code), Title: http.StatusText(status), Status: status, Detail: known.Detail, Instance: request.route,
		Code: known.Code, Errors: known.Fields, Retryable: known.Retryable(), RequestID: request.id, headers: http.Header{},
	}
	if status == http.StatusUnauthorized {
		challenge := `Bearer realm="agentlore"`
		if known.Code == lore.CodeInvalidToken {
			challenge += `, error="invalid_token"`
		}
		p.headers.Set("WWW-Authenticate", challenge)
	}
	if known.RetryAfter > 0 {
		p.RetryAfter = int(math.Ceil(jittered(known.RetryAfter).Seconds()))
		p.headers.Set("Retry-After", strconv.Itoa(p.RetryAfter))
	}
	request.code = known.Code
	return p
}

// jittered returns a time by which clients that were refused together come back apart: a quarter more at most, from 2 seconds to a
// minute.
func jittered(wait time.Duration) time.Duration {
	return wait + rand.N(min(max(wait/4, 2*time.Second), time.Minute))
}

// writeProblem answers a request with a problem outside of Huma's reach.
func (s *server) writeProblem(c *gin.Context, err error) {
	p := s.problemOf(c.Request.Context(), err)
	for name, values := range p.headers {
		c.Writer.Header()[name] = values
	}
	c.Header("Content-Type", p.ContentType(""))
	c.Status(p.Status)
	_ = json.NewEncoder(c.Writer).Encode(p) // a caller that went away needs no answer
	c.Abort()
}

// useProblems makes Huma answer in our shape. Huma keeps this in package variables.
func useProblems() {
	huma.NewErrorWithContext = func(ctx huma.Context, status int, _ string, faults ...error) huma.StatusError {
		if ctx == nil {
			return &problem{Status: status}
		}
		request := requestOf(ctx.Context())
		return newProblem(request, request.server.rulesOf(ctx.Operation()).problemOf(status, faults))
	}
	huma.NewError = func(status int, _ string, _ ...error) huma.StatusError { return &problem{Status: status} }
}
