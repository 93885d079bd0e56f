package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esutil"

	"agentlore/lore"
)

// FlushEvery is how long the first of a group waits for others where somebody waits for each answer. Measured by the
// design on two cores: at 2 ms, 64 concurrent submits reach 72 % of a bare _bulk's rate, where one request a document
// reaches 16 %.
const FlushEvery = 2 * time.Millisecond

const (
	// bulkLanes is how many bulk requests may be under way at once: one group gathers while another is written.
	bulkLanes = 2
	// importQueue is how many documents of an import may wait in a lane while its request is under way. Beyond it callers wait,
	// until their deadlines: that bounds memory.
	importQueue = 2048
	// crowdQueue is the same where somebody waits for each answer. It is short: a caller who gave up can't take its document
	// back, and with a store that has become slow those would be all that it writes.
	crowdQueue = 64
	// maxGroupBytes ends a group before its time, at the size that Elasticsearch's own guide calls reasonable.
	maxGroupBytes = 5 << 20
)

// Writer stores documents in groups: concurrent callers share bulk requests, and each gets its own answer after
// Elasticsearch has acknowledged its document on the primary and its in-sync replicas.
type Writer struct {
	lanes    []*lane
	observer Observer
	next     atomic.Uint64
}

// lane is one stream of bulk requests. It is flushed on demand: BulkIndexer's own timer at this pace would keep an idle
// service busy (4 % of a core).
type lane struct {
	bulk    esutil.BulkIndexer
	waiting chan struct{} // holds a token while documents wait
	held    atomic.Int64  // documents since the last flush
	size    bulkSize
}

// NewWriter starts a writer whose groups gather for flushEvery: FlushEvery where somebody waits for each answer, longer
// for an import, which keeps thousands under way. Close it to write out what is waiting.
func (c *Client) NewWriter(flushEvery time.Duration) (*Writer, error) {
	w := &Writer{observer: c.observer}
	queue := importQueue
	if flushEvery <= FlushEvery {
		queue = crowdQueue
	}
	for range bulkLanes {
		l := &lane{waiting: make(chan struct{}, 1)}
		config := esutil.BulkIndexerConfig{
			Client: c.es, NumWorkers: 1, FlushInterval: time.Minute, FlushBytes: maxGroupBytes, Timeout: c.timeout,
			QueueSizeMultiplier: queue,
			OnError:             func(_ context.Context, err error) { c.log.Warn("bulk request failed", "cause", causeOf(err)) },
		}
		l.size.observe(&config, c.observer)
		bulk, err := esutil.NewBulkIndexer(config)
		if err != nil {
			return nil, fmt.Errorf("bulk writer: %w", err)
		}
		l.bulk = bulk
		go l.run(flushEvery)
		w.lanes = append(w.lanes, l)
	}
	return w, nil
}

// run flushes the lane a moment after the first document of a group has come, until the lane is closed. Where the last
// group was of a single document, nobody comes whom the next one would have to wait for.
func (l *lane) run(flushEvery time.Duration) {
	company := false
	for range l.waiting {
		if company {
			time.Sleep(flushEvery)
		}
		company = l.held.Swap(0) > 1
		if errors.Is(l.bulk.Flush(context.Background()), esutil.ErrIndexerClosed) {
			return
		}
	}
}

// add puts a document into the lane's next group.
func (l *lane) add(ctx context.Context, item esutil.BulkIndexerItem) error {
	if err := l.bulk.Add(ctx, item); err != nil {
		return err
	}
	l.held.Add(1)
	select {
	case l.waiting <- struct{}{}:
	default: // somebody has told it already
	}
	return nil
}

// Close writes out what is waiting and stops the writer. No document may be added from here on.
func (w *Writer) Close(ctx context.Context) error {
	var failed error
	for _, l := range w.lanes {
		failed = errors.Join(failed, l.bulk.Close(ctx))
		close(l.waiting)
	}
	return failed
}

// create stores a document under an id that must be new and returns when it is acknowledged. It returns errConflict when
// the id exists. When ctx ends first, the document may or may not get stored: the caller's id decides on a second try.
func (w *Writer) create(ctx context.Context, alias, id string, document any) error {
	body, err := encodeDocument(alias, document)
	if err != nil {
		return fmt.Errorf("encode document: %w", err)
	}
	started := time.Now()
	defer func() { w.observer.BulkWait(time.Since(started)) }()
	return held(ctx, func() error { return w.send(ctx, alias, id, body) })
}

// send puts a document into a group and waits for its answer.
func (w *Writer) send(ctx context.Context, alias, id string, body []byte) error {
	done := make(chan error, 1)
	lane := w.lanes[w.next.Add(1)%bulkLanes]
	err := lane.add(ctx, esutil.BulkIndexerItem{
		Action: "create", Index: alias, RequireAlias: true, DocumentID: id, Body: bytes.NewReader(body),
		OnSuccess: func(context.Context, esutil.BulkIndexerItem, esutil.BulkIndexerResponseItem) {
			lane.size.answered.Add(1)
			done <- nil
		},
		OnFailure: func(_ context.Context, _ esutil.BulkIndexerItem, answer esutil.BulkIndexerResponseItem, err error) {
			lane.size.answered.Add(1)
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
