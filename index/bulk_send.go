package index

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esutil"

	"agentlore/lore"
)

// bulkAnswer is what is asked of the answer to a bulk request: Elasticsearch would write six more members for each document.
var bulkAnswer = []string{"items.*.status", "items.*.error.type", "items.*.error.reason"}

// bulkLane writes groups, one after the other.
type bulkLane struct {
	bulk     esutil.BulkIndexer
	observer Observer
}

// newBulkLane returns a lane whose BulkIndexer sends a request when it is told to. It has room for any group.
func (c *Client) newBulkLane() (*bulkLane, error) {
	bulk, err := esutil.NewBulkIndexer(esutil.BulkIndexerConfig{
		Client: c.es, NumWorkers: 1, FlushInterval: time.Hour, FlushBytes: 2 * maxGroupBytes, Timeout: c.timeout, FilterPath: bulkAnswer,
		OnError: func(_ context.Context, err error) { c.log.Warn("bulk request failed", "cause", causeOf(err)) },
	})
	return &bulkLane{bulk, c.observer}, err
}

// write sends a group as one request and returns when each caller has its answer.
func (l *bulkLane) write(group []*bulkItem) {
	ctx, started, answered := context.Background(), time.Now(), 0
	for _, item := range group {
		err := l.bulk.Add(ctx, esutil.BulkIndexerItem{
			Action: "create", Index: item.alias, RequireAlias: true, DocumentID: item.id, Body: bytes.NewReader(item.body),
			OnSuccess: func(context.Context, esutil.BulkIndexerItem, esutil.BulkIndexerResponseItem) {
				answered++
				item.answer <- nil
			},
			OnFailure: func(_ context.Context, _ esutil.BulkIndexerItem, answer esutil.BulkIndexerResponseItem, err error) {
				if err != nil { // of the request, and no document's fault
					item.answer <- lore.StoreUnavailable(causeError{err})
					return
				}
				answered++
				item.answer <- itemError(answer)
			},
		})
		if err != nil {
			item.answer <- lore.StoreUnavailable(causeError{err})
		}
	}
	_ = l.bulk.Flush(ctx) // what goes wrong, the callers are told
	if answered > 0 {
		l.observer.Bulk(answered, time.Since(started))
	}
}

// close ends the lane, which has nothing left to write.
func (l *bulkLane) close() { _ = l.bulk.Close(context.Background()) }

// itemError turns one document's failure into one of the package's errors.
func itemError(answer esutil.BulkIndexerResponseItem) error {
	switch {
	case answer.Status == http.StatusConflict:
		return errConflict
	case answer.Error.Type == "cluster_block_exception" && isHeld(answer.Error.Reason):
		return lore.StoreUnavailable(errHeld)
	case answer.Status == http.StatusTooManyRequests, answer.Status >= 500,
		answer.Error.Type == "cluster_block_exception", answer.Error.Type == "index_not_found_exception":
		return lore.StoreUnavailable(&responseError{status: answer.Status, kind: answer.Error.Type})
	}
	return &responseError{status: answer.Status, kind: answer.Error.Type}
}

// causeError is an error of the bulk writer with a text that is safe to log.
type causeError struct{ err error }

// Error returns what the log may hold of the cause.
func (e causeError) Error() string { return causeOf(e.err) }

// Unwrap returns the cause.
func (e causeError) Unwrap() error { return e.err }

// maxCause bounds what a log line holds of a failed bulk request. The writer's own errors quote Elasticsearch's answer,
// and behind the first words of that, a reason may quote documents.
const maxCause = 120

// causeOf returns the beginning of an error's text.
func causeOf(err error) string {
	text := err.Error()
	return text[:min(len(text), maxCause)]
}
