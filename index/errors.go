package index

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
)

// What a request by id can meet; each method says what it means for its caller.
var (
	ErrNotFound = errors.New("not found")
	ErrConflict = errors.New("conflict")
	// errWriteBlock is the cause of a write that a migration's write block refused for longer than a write waits.
	errWriteBlock = errors.New("writes wait for a migration")
)

// responseError is an answer that neither the caller nor time will mend: a query or mapping of ours is wrong. It holds
// Elasticsearch's error type but not its reason, because a reason may quote the text of a document or a query.
type responseError struct {
	status int
	kind   string
	causes []string // types of what is behind it
}

// Error names the status and the types of the error and of its causes, never a reason.
func (e *responseError) Error() string {
	text := fmt.Sprintf("elasticsearch answered %d %s", e.status, e.kind)
	if len(e.causes) > 0 {
		text += " (" + strings.Join(e.causes, ", ") + ")"
	}
	return text
}

// TransportError turns a failed round trip into a problem. A caller that went away is not the store's fault; whoever ended the
// request for another reason says by its cause what the caller is to be told.
func TransportError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		var told *lore.Problem
		if errors.As(context.Cause(ctx), &told) {
			return told
		}
		return context.Canceled
	}
	return lore.StoreUnavailable(err)
}

// statusError turns an error answer into one of the package's errors.
func statusError(response *esapi.Response) error {
	text, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorAnswer))
	return readFailure(text).error(response.StatusCode)
}

// Wrapped adds to an error what was being done, and leaves nil as it is.
func Wrapped(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// CodeOf returns the code of a problem, "" for any other error and for none.
func CodeOf(err error) lore.Code {
	var problem *lore.Problem
	if errors.As(err, &problem) {
		return problem.Code
	}
	return ""
}
