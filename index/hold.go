package index

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

// errHeld is the cause of a write that a migration's write block refused.
var errHeld = errors.New("writes are held for a migration")

const (
	// writeBlock is how Elasticsearch words the block that a migration sets for its last moment. Other blocks have other
	// numbers: 12 is a full disk's, which a wait won't mend.
	writeBlock = "FORBIDDEN/8/"
	// holdPause is how long a held write waits before it is sent again. A block is meant to last well under a second.
	holdPause = 50 * time.Millisecond
	// holdAtMost is how long a write is held. It leaves a request time to answer that the store is unavailable.
	holdAtMost = 20 * time.Second
)

// holding sends requests again that met a migration's write block, until it is lifted: the alias then leads to the new
// index. So a migration costs a writer a moment and no error.
type holding struct{ http.RoundTripper }

// RoundTrip sends the request.
func (h holding) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Body == nil || request.Body == http.NoBody {
		return h.again(request, func() (io.ReadCloser, error) { return request.Body, nil })
	}
	if request.GetBody != nil { // the client keeps the body for retries of its own: a group's MiB isn't read once more
		_ = request.Body.Close()
		return h.again(request, request.GetBody)
	}
	body, err := io.ReadAll(request.Body)
	_ = request.Body.Close()
	if err != nil {
		return nil, err
	}
	return h.again(request, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil })
}

// again sends the request, each time with a body anew.
func (h holding) again(request *http.Request, body func() (io.ReadCloser, error)) (*http.Response, error) {
	for until := time.Now().Add(holdAtMost); ; {
		attempt := request.Clone(request.Context())
		var err error
		if attempt.Body, err = body(); err != nil {
			return nil, err
		}
		response, err := h.RoundTripper.RoundTrip(attempt)
		if err != nil || response.StatusCode != http.StatusForbidden {
			return response, err
		}
		text, err := io.ReadAll(io.LimitReader(response.Body, maxErrorAnswer))
		_ = response.Body.Close()
		if err != nil {
			return nil, err
		}
		response.Body = io.NopCloser(bytes.NewReader(text))
		if !bytes.Contains(text, []byte(writeBlock)) || !pause(request.Context(), until) {
			return response, nil
		}
	}
}

// held runs a write again that met a migration's write block. It is for bulk requests, whose refusals are inside an answer of
// 200.
func held(ctx context.Context, write func() error) error {
	for until := time.Now().Add(holdAtMost); ; {
		if err := write(); !errors.Is(err, errHeld) || !pause(ctx, until) {
			return err
		}
	}
}

// pause waits a little and reports whether it is worth another try.
func pause(ctx context.Context, until time.Time) bool {
	if time.Now().After(until) {
		return false
	}
	timer := time.NewTimer(holdPause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// isHeld reports whether Elasticsearch's words for a refusal are those of a migration's block.
func isHeld(reason string) bool { return strings.Contains(reason, writeBlock) }
