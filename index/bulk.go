package index

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esutil"

	"agentlore/lore"
)

// FlushEvery is how long the first of a group waits for others. Measured by the design on two cores: at 2 ms, 64
// concurrent submits reach 72 % of a bare _bulk's rate, where one request a document reaches 16 %.
const FlushEvery = 2 * time.Millisecond

// bulkWriters is how many bulk requests may be under way at once: with two, one group gathers while another is written.
const bulkWriters = 2

// Writer stores documents in groups: concurrent callers share bulk requests, and each gets its own answer after
// Elasticsearch has acknowledged its document on the primary and its in-sync replicas.
type Writer struct {
	bulk esutil.BulkIndexer
}

// NewWriter starts a writer whose groups gather for flushEvery: FlushEvery where somebody waits for each answer, longer
// for an import, which keeps thousands under way. Close it to write out what is waiting.
func (c *Client) NewWriter(flushEvery time.Duration) (*Writer, error) {
	bulk, err := esutil.NewBulkIndexer(esutil.BulkIndexerConfig{
		Client: c.es, NumWorkers: bulkWriters, FlushInterval: flushEvery, FlushBytes: 5 << 20, Timeout: c.timeout,
		OnError: func(_ context.Context, err error) { c.log.Warn("bulk request failed", "cause", causeOf(err)) },
	})
	if err != nil {
		return nil, fmt.Errorf("bulk writer: %w", err)
	}
	return &Writer{bulk: bulk}, nil
}

// Close writes out what is waiting and stops the writer.
func (w *Writer) Close(ctx context.Context) error { return w.bulk.Close(ctx) }

// create stores a document under an id that must be new and returns when it is acknowledged. It returns errConflict when
// the id exists. When ctx ends first, the document may or may not get stored: the caller's id decides on a second try.
func (w *Writer) create(ctx context.Context, alias, id string, document any) error {
	body, err := json.Marshal(document)
	if err != nil {
		return fmt.Errorf("encode document: %w", err)
	}
	done := make(chan error, 1)
	err = w.bulk.Add(ctx, esutil.BulkIndexerItem{
		Action: "create", Index: alias, RequireAlias: true, DocumentID: id, Body: bytes.NewReader(body),
		OnSuccess: func(context.Context, esutil.BulkIndexerItem, esutil.BulkIndexerResponseItem) { done <- nil },
		OnFailure: func(_ context.Context, _ esutil.BulkIndexerItem, answer esutil.BulkIndexerResponseItem, err error) {
			done <- itemError(answer, err)
		},
	})
	if err != nil {
		return transportError(ctx, err)
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return transportError(ctx, ctx.Err())
	}
}

// itemError turns one document's failure into one of the package's errors.
func itemError(answer esutil.BulkIndexerResponseItem, err error) error {
	switch {
	case err != nil:
		return lore.StoreUnavailable(causeError{err})
	case answer.Status == http.StatusConflict:
		return errConflict
	case answer.Status == http.StatusTooManyRequests, answer.Status >= 500,
		answer.Error.Type == "cluster_block_exception", answer.Error.Type == "index_not_found_exception":
		return lore.StoreUnavailable(&responseError{status: answer.Status, kind: answer.Error.Type})
	}
	return &responseError{status: answer.Status, kind: answer.Error.Type}
}

// causeError is an error of the bulk writer with a text that is safe to log.
type causeError struct{ err error }

func (e causeError) Error() string { return causeOf(e.err) }
func (e causeError) Unwrap() error { return e.err }

// maxCause bounds what a log line holds of a failed bulk request. The writer's own errors quote Elasticsearch's answer,
// and behind the first words of that, a reason may quote documents.
const maxCause = 120

// causeOf returns the beginning of an error's text.
func causeOf(err error) string {
	text := err.Error()
	return text[:min(len(text), maxCause)]
}
