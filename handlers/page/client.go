package page

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"agentlore/handlers/local"
	"agentlore/lore"
)

// problem is an error answer of the interface.
type problem struct {
	Status    int               `json:"status"`
	Title     string            `json:"title"`
	Detail    string            `json:"detail"`
	Code      lore.Code         `json:"code"`
	Errors    []lore.FieldError `json:"errors"`
	Retryable bool              `json:"retryable"`
	RequestID string            `json:"request_id"`
	// RetryAfter is how long to wait, in seconds; 0: none given.
	RetryAfter int `json:"retry_after"`
}

// Error makes problem an error.
func (p *problem) Error() string { return string(p.Code) + ": " + p.Detail }

// notFound returns the problem for an address of the page that isn't there.
func notFound(detail string) *problem {
	return &problem{Status: http.StatusNotFound, Detail: detail, Code: lore.CodeNotFound}
}

// results is a list or a search of the interface.
type results struct {
	lore.Page[item]
	Offset     int
	DidYouMean string `json:"did_you_mean"`
	LeftOut    struct {
		Flagged int
	} `json:"left_out"`
	Facets map[string][]lore.FacetCount
	TookMS int64 `json:"took_ms"`
}

// searchPath is where the interface searches: its results say of which collection each is.
const searchPath = "/search/all"

// readList reads a page of a collection, or of a search.
func (p *Page) readList(r *http.Request, path string, query url.Values) (results, error) {
	found, err := read[results](p, r, path, query)
	for i := range found.Results {
		if found.Results[i].In = collectionOf(strings.TrimPrefix(path, "/")); path == searchPath {
			found.Results[i].In = collectionOf(found.Results[i].Type)
		}
	}
	return found, err
}

// read asks the interface for what a path has, on behalf of a request. The error is a *problem.
func read[T any](p *Page, r *http.Request, path string, query url.Values) (T, error) {
	target := url.URL{Path: path, RawQuery: query.Encode()}
	return send[T](p, r, http.MethodGet, target, nil)
}

// send sends a request to the interface on behalf of another: in its context, which says whose limits count, and under its id,
// since their lines in the log belong together.
func send[T any](p *Page, r *http.Request, method string, target url.URL, body []byte) (T, error) {
	var value T
	request, err := http.NewRequestWithContext(r.Context(), method, target.String(), bytes.NewReader(body))
	if err != nil {
		return value, fmt.Errorf("make request: %w", err)
	}
	for _, name := range []string{"X-Request-ID", "User-Agent"} {
		request.Header[name] = r.Header[name]
	}
	request.Header.Set("Accept", "application/json")
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/json")
	}
	if method == http.MethodGet {
		p.awaitTurn(r.Context())
	}
	answer := local.Ask(p.API, request)
	if answer.Status == http.StatusServiceUnavailable {
		visitOf(r.Context()).late.Store(true)
	}
	if answer.Status >= http.StatusBadRequest {
		known := &problem{}
		if err := json.Unmarshal(answer.Body.Bytes(), known); err != nil || known.Status == 0 {
			return value, fmt.Errorf("status %d without a problem", answer.Status)
		}
		return value, known
	}
	if err := json.NewDecoder(&answer.Body).Decode(&value); err != nil && err != io.EOF {
		return value, fmt.Errorf("read answer: %w", err)
	}
	return value, nil
}

// isLate reports whether an error says that a part of a page didn't come in time.
func isLate(err error) bool {
	known, is := errors.AsType[*problem](err)
	return is && known.Status == http.StatusServiceUnavailable
}

// onTime returns the first error that says something else than that a part is late; the page is shown without that part.
func onTime(errs ...error) error {
	for _, err := range errs {
		if err != nil && !isLate(err) {
			return err
		}
	}
	return nil
}

// atOnce runs functions beside each other and returns when all have ended: a page waits for the slowest of its requests, not for their
// sum. A panic of one is raised again here, where the server answers for it.
func atOnce(functions ...func()) {
	var group sync.WaitGroup
	panics := make([]any, len(functions))
	for i, run := range functions {
		group.Go(func() {
			defer func() { panics[i] = recover() }()
			run()
		})
	}
	group.Wait()
	for _, raised := range panics {
		if raised != nil {
			panic(raised)
		}
	}
}
