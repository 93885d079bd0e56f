package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// FlushEvery is how long a group gathers for where somebody waits for each answer: until nobody has come for so long.
const FlushEvery = 2 * time.Millisecond

const (
	// gatherTimes is how many times as long as it waits for the next one a group gathers at most.
	gatherTimes = 4
	// maxGroupBytes ends a group before its time. At 5 MiB, the size that Elasticsearch's own guide calls reasonable, its processor time
	// a document is the same (0.55 ms, 0.54 here), and an import holds a fifth more memory.
	maxGroupBytes = 1 << 20
)

// writerSize is how much a writer has under way.
type writerSize struct {
	lanes int // bulk requests at once: one group gathers while others are written
	queue int // documents that wait while requests are under way; beyond it callers wait, until their deadlines
}

var (
	// crowdSize is for where somebody waits for each answer: callers wait outside the queue, and may give up meanwhile.
	crowdSize = writerSize{lanes: 2, queue: 128}
	// importSize is for imports. Elasticsearch indexes as many requests at once as it has processors; another one lies ready when one
	// of them ends.
	importSize = writerSize{lanes: 3, queue: 4096}
)

// Writer stores documents in groups: concurrent callers share bulk requests, and each gets its own answer after
// Elasticsearch has acknowledged its document on the primary and its in-sync replicas.
//
// All that wait stand in one queue, and whichever request ends first makes room for all of them: with a queue for each
// request, half would wait behind the slower one. It is flushed on demand: a timer at this pace would keep an idle service
// busy (4 % of a core).
type Writer struct {
	client *Client
	gather time.Duration
	room   chan struct{} // holds one for each document that waits
	wake   chan struct{} // holds one while documents wait and nobody gathers them
	full   chan struct{} // holds one when as much waits as a group may hold
	next   sync.Mutex    // of the lane that gathers
	lanes  sync.WaitGroup

	mu      sync.Mutex
	waiting []*bulkItem
	bytes   int // of what waits
	company bool
	closed  bool
}

// bulkItem is a document on its way, and its caller.
type bulkItem struct {
	ctx       context.Context
	alias, id string
	body      []byte
	answer    chan error
}

// NewWriter starts a writer whose groups gather for flushEvery: FlushEvery where somebody waits for each answer, longer
// for an import, which keeps thousands under way. Close it to write out what is waiting.
func (c *Client) NewWriter(flushEvery time.Duration) *Writer {
	size := importSize
	if flushEvery <= FlushEvery {
		size = crowdSize
	}
	w := &Writer{client: c, gather: flushEvery, room: make(chan struct{}, size.queue), wake: make(chan struct{}, 1), full: make(chan struct{}, 1)}
	for range size.lanes {
		w.lanes.Go(func() {
			for group := w.take(); group != nil; group = w.take() {
				w.write(group)
			}
		})
	}
	return w
}

// Close writes out what is waiting and stops the writer. No document may be added from here on.
func (w *Writer) Close(ctx context.Context) error {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	tell(w.full)
	tell(w.wake)
	ended := make(chan struct{})
	go func() { w.lanes.Wait(); close(ended) }()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Create stores a document under an id that must be new and returns when it is acknowledged. It returns ErrConflict when
// the id exists. When ctx ends first, the document may or may not get stored: the caller's id decides on a second try.
func (w *Writer) Create(ctx context.Context, alias, id string, document any) error {
	body, err := encodeDocument(alias, document)
	if err != nil {
		return fmt.Errorf("encode document: %w", err)
	}
	started := time.Now()
	defer func() { w.client.observer.BulkWait(time.Since(started)) }()
	return retryWriteBlock(ctx, func() error { return w.send(ctx, alias, id, body) })
}

// send puts a document into the queue and waits for its answer.
func (w *Writer) send(ctx context.Context, alias, id string, body []byte) error {
	select {
	case w.room <- struct{}{}:
	case <-ctx.Done():
		return TransportError(ctx, ctx.Err())
	}
	item := &bulkItem{ctx, alias, id, body, make(chan error, 1)}
	w.mu.Lock()
	w.waiting = append(w.waiting, item)
	w.bytes += len(body)
	full := w.bytes >= maxGroupBytes
	w.mu.Unlock()
	if full {
		tell(w.full)
	}
	tell(w.wake)
	select {
	case err := <-item.answer:
		return err
	case <-ctx.Done():
		return TransportError(ctx, ctx.Err())
	}
}

// write sends a group as one request and gives each caller its answer.
func (w *Writer) write(group []*bulkItem) {
	var body bytes.Buffer
	for _, item := range group {
		// A document that is encoded can always be written.
		_ = Operation{Action: "create", Index: item.alias, ID: item.id, Document: encoded(item.body)}.append(&body)
	}
	results, err := w.client.sendBulk(context.Background(), body.Bytes(), len(group), bulkOutcome)
	if err != nil {
		w.client.Log.Warn("bulk request failed", "cause", RootCause(err))
		results = make([]Result, len(group))
	} else {
		w.client.observer.Bulk(len(group))
	}
	for i, item := range group {
		item.answer <- errors.Join(err, results[i].Err)
	}
}

// tell leaves word in a channel that holds one; more changes nothing.
func tell(channel chan struct{}) {
	select {
	case channel <- struct{}{}:
	default:
	}
}

// take waits for documents and returns the next group, nil when the writer is closed and none is left. One lane gathers at a
// time. Where the last group was of a single document, nobody comes whom the next one would have to wait for.
func (w *Writer) take() []*bulkItem {
	w.next.Lock()
	defer w.next.Unlock()
	for {
		<-w.wake
		w.await()
		group, more := w.cut()
		if more {
			tell(w.wake)
		}
		if len(group) > 0 || more && w.isClosed() {
			return group
		}
	}
}

// await returns when the group is complete: nobody has come for a while, it has gathered long enough, or is full.
func (w *Writer) await() {
	before, company := w.state()
	if !company {
		return
	}
	for range gatherTimes {
		timer := time.NewTimer(w.gather)
		select {
		case <-w.full:
			timer.Stop()
			return
		case <-timer.C:
		}
		now, _ := w.state()
		if now == before {
			return
		}
		before = now
	}
}

// state returns how many documents wait, and whether those of the last group came in company.
func (w *Writer) state() (waiting int, company bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.waiting), w.company && w.bytes < maxGroupBytes && !w.closed
}

func (w *Writer) isClosed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.closed
}

// cut takes a group from the queue's head, without those whose callers have given up, and reports whether there is more to do.
func (w *Writer) cut() (group []*bulkItem, more bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	bytes, taken := 0, 0
	for _, item := range w.waiting {
		if bytes >= maxGroupBytes {
			break
		}
		taken++
		<-w.room
		w.bytes -= len(item.body)
		if item.ctx.Err() == nil {
			group = append(group, item)
			bytes += len(item.body)
		}
	}
	clear(w.waiting[:taken])
	w.waiting = w.waiting[taken:]
	if taken > 0 {
		w.company = taken > 1
	}
	if w.bytes < maxGroupBytes {
		select {
		case <-w.full: // said of what is taken
		default:
		}
	}
	return group, len(w.waiting) > 0 || w.closed
}

// Observer hears how Elasticsearch is called, for metrics. Its methods are called from several goroutines and must not block.
type Observer interface {
	// Call tells of a call to Elasticsearch, also of one that failed: how long it took until the answer began. Operation is an API's
	// name without its underscore, as in search; of those that create and delete indices, info.
	Call(operation string, took time.Duration)
	// Bulk tells of a bulk request of the writer's that shared so many documents.
	Bulk(documents int)
	// BulkWait tells how long one document took from its caller to its acknowledgement.
	BulkWait(took time.Duration)
}

// noObserver is an Observer that hears nothing.
type noObserver struct{}

// Call does nothing.
func (noObserver) Call(string, time.Duration) {}

// Bulk does nothing.
func (noObserver) Bulk(int) {}

// BulkWait does nothing.
func (noObserver) BulkWait(time.Duration) {}

func observerOf(cfg Config) Observer {
	if cfg.Observer == nil {
		return noObserver{}
	}
	return cfg.Observer
}
