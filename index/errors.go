package index

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"agentlore/lore"
)

// IsRefusal reports whether the store refused a write for what the document holds, as a mapping does: sent again, it would be refused again.
func IsRefusal(err error) bool {
	_, is := errors.AsType[*responseError](err)
	return is && lore.CodeOf(err) != lore.CodeStoreUnavailable
}

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
		if told, is := errors.AsType[*lore.Problem](context.Cause(ctx)); is {
			return told
		}
		return context.Canceled
	}
	return lore.StoreUnavailable(err)
}

// Wrapped adds to an error what was being done, and leaves nil as it is.
func Wrapped(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// maxErrorAnswer bounds what is read of an error answer, in bytes.
const maxErrorAnswer = 64 << 10

// failure is what Elasticsearch says of something that went wrong, and of what caused it.
type failure struct {
	Type         string    `json:"type"`
	Reason       string    `json:"reason"` // never to be logged: it may quote a document or a query
	CausedBy     *failure  `json:"caused_by"`
	RootCause    []failure `json:"root_cause"`
	FailedShards []struct {
		Reason failure `json:"reason"`
	} `json:"failed_shards"`
}

// readFailure reads the body of an error answer. One that names no error has no type.
func readFailure(text []byte) (f failure) {
	var body struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(text, &body) == nil {
		_ = json.Unmarshal(body.Error, &f) // a plain string stays without a type
	}
	return f
}

// causes returns the types of what is behind the failure, in alphabetical order, each once.
func (f failure) causes() (types []string) {
	for cause := f.CausedBy; cause != nil; cause = cause.CausedBy {
		types = append(types, cause.Type)
	}
	for _, root := range f.RootCause {
		types = append(types, root.Type)
	}
	for _, shard := range f.FailedShards {
		types = append(append(types, shard.Reason.Type), shard.Reason.causes()...)
	}
	slices.Sort(types)
	return slices.DeleteFunc(slices.Compact(types), func(kind string) bool { return kind == "" || kind == f.Type })
}

// searchFailed is the type of a search that failed on its shards. Its status is that of one of them, whatever the others say.
const searchFailed = "search_phase_execution_exception"

// blockFailure is the type of a write that a block of its index refused.
const blockFailure = "cluster_block_exception"

// shardStates are types of failures of a shard that say how the cluster is and not what is wrong with a query: a shard that a
// node doesn't have yet or no longer has, that is closed while it is searched, a node that went. Elasticsearch tries another copy
// for most of them, and answers 503 where there is none; but it answers 404 where a shard left between the two phases of a
// search, and 400 where that was a node's last one of its index: the query_shard_exception of such a search is caused by an
// already_closed_exception, of the index's analyzers.
var shardStates = []string{
	"already_closed_exception", "connect_transport_exception", "illegal_index_shard_state_exception", "index_closed_exception",
	"index_not_found_exception", "no_shard_available_action_exception", "search_context_missing_exception", "shard_not_found_exception",
	"task_cancelled_exception", "unavailable_shards_exception",
}

// isRelocatedShard reports whether the failure is a search's that the cluster's state made fail: sent again it may find what it
// looks for. A query that can't be carried out fails on every shard for a reason of its own.
func (f failure) isRelocatedShard() bool {
	if f.Type != searchFailed {
		return false
	}
	causes := f.causes()
	return len(causes) == 0 || slices.ContainsFunc(causes, func(kind string) bool {
		return slices.Contains(shardStates, kind) || strings.HasPrefix(kind, "index_shard_") || strings.HasPrefix(kind, "node_")
	})
}

// isWriteBlock reports whether a migration's write block refused the write.
func (f failure) isWriteBlock() bool {
	return f.Type == blockFailure && strings.Contains(f.Reason, writeBlock)
}

// error returns the package's error for the failure of a request or of one operation of a bulk request. Overload (429), a missing or
// read-only index (a full disk's flood stage sets its block), a shard that is on its way to another node (404 too, with a type)
// and gateway errors are the store's state, not a bug.
func (f failure) error(status int) error {
	cause := &responseError{status: status, kind: f.Type, causes: f.causes()}
	switch {
	case f.isWriteBlock():
		return lore.StoreUnavailable(errWriteBlock)
	case status == http.StatusNotFound && (f.Type == "" || f.Type == "document_missing_exception"):
		return ErrNotFound // a document: its answer carries found:false and no error
	case status == http.StatusConflict:
		return ErrConflict
	case status == http.StatusTooManyRequests, status >= 500, status == http.StatusNotFound, f.Type == blockFailure:
		return lore.StoreUnavailable(cause)
	}
	return cause
}
