package index

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"
	"github.com/elastic/go-elasticsearch/v8/esutil"

	"agentlore/lore"
)

// bulkAnswer is what is asked of the answer to a bulk request: Elasticsearch would write six more members for each document.
var bulkAnswer = []string{"items.*.status", "items.*.error.type", "items.*.error.reason"}

// errNoAnswer is the cause where the answer to a bulk request lacks a document.
var errNoAnswer = errors.New("the bulk answer is short")

// write sends a group as one request and gives each caller its answer.
func (w *Writer) write(group []*bulkItem) {
	var body bytes.Buffer
	size := 0
	for _, item := range group {
		size += len(item.operation)
	}
	body.Grow(size)
	for _, item := range group {
		body.Write(item.operation)
		item.operation = nil
	}
	var answer esutil.BulkIndexerResponse
	started := time.Now()
	err := w.client.do(context.Background(), esapi.BulkRequest{Body: &body, FilterPath: bulkAnswer}, &answer)
	if err != nil {
		w.client.log.Warn("bulk request failed", "cause", causeOf(err))
		if code(err) != lore.CodeStoreUnavailable { // whatever it is, no document is at fault
			err = lore.StoreUnavailable(causeError{err})
		}
	} else {
		w.client.observer.Bulk(len(group), time.Since(started))
	}
	for i, item := range group {
		switch {
		case err != nil:
			item.answer <- err
		case i >= len(answer.Items):
			item.answer <- lore.StoreUnavailable(errNoAnswer)
		default:
			item.answer <- resultOf(answer.Items[i])
		}
	}
}

// resultOf returns the error of one document, nil where it is stored.
func resultOf(item map[string]esutil.BulkIndexerResponseItem) error {
	for _, result := range item {
		if result.Status < http.StatusMultipleChoices {
			return nil
		}
		return itemError(result)
	}
	return lore.StoreUnavailable(errNoAnswer)
}

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
