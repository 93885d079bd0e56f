package index

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
)

// What a request by id can meet; each method says what it means for its caller.
var (
	errNotFound = errors.New("not found")
	errConflict = errors.New("conflict")
)

// responseError is an answer that neither the caller nor time will mend: a query or mapping of ours is wrong. It holds
// Elasticsearch's error type but not its reason, because a reason may quote the text of a document or a query.
type responseError struct {
	status int
	kind   string
}

// Error names the status and the type of the error, never its reason.
func (e *responseError) Error() string {
	return fmt.Sprintf("elasticsearch answered %d %s", e.status, e.kind)
}

// transportError turns a failed round trip into a problem. A caller that went away is not the store's fault; whoever ended the
// request for another reason says by its cause what the caller is to be told.
func transportError(ctx context.Context, err error) error {
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

// statusError turns an error answer into one of the package's errors. Overload (429), a missing or read-only index
// (cluster_block_exception: a full disk's flood stage sets it), a shard that is on its way to another node (404 too, with a type) and
// gateway errors are the store's state, not a bug.
func statusError(response *esapi.Response) error {
	var body struct {
		Error json.RawMessage `json:"error"`
	}
	var detail struct {
		Type   string `json:"type"`
		Reason string `json:"reason"`
	}
	text, _ := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	if json.Unmarshal(text, &body) == nil {
		_ = json.Unmarshal(body.Error, &detail) // a plain string stays without a type
	}
	cause := &responseError{status: response.StatusCode, kind: detail.Type}
	switch {
	case detail.Type == "cluster_block_exception" && isHeld(detail.Reason):
		return lore.StoreUnavailable(errHeld)
	case response.StatusCode == http.StatusNotFound && detail.Type == "":
		return errNotFound // a document: its answer carries found:false and no error
	case response.StatusCode == http.StatusConflict:
		return errConflict
	case response.StatusCode == http.StatusTooManyRequests, response.StatusCode >= 500, response.StatusCode == http.StatusNotFound,
		detail.Type == "cluster_block_exception":
		return lore.StoreUnavailable(cause)
	}
	return cause
}
