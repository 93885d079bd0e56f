package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	// lanes is how many bulk requests of a writer are under way at once: one group gathers while another one is written.
	lanes = 2
	// queued is how many documents wait for a lane; beyond it their callers wait for a place, until their deadlines.
	queued = 128
	// gatherTime is how long a group waits for more where the last one had several documents: callers who were answered together come
	// back together.
	gatherTime = 2 * time.Millisecond
	// maxGroupBytes ends a group. At 5 MiB, the size that Elasticsearch's own guide calls reasonable, its processor time
	// a document is the same (0.55 ms, 0.54 here), and an import holds a fifth more memory.
	maxGroupBytes = 1 << 20
)

// Writer stores documents in groups: concurrent callers share bulk requests, and each gets its own answer after
// Elasticsearch has acknowledged its document on the primary and its in-sync replicas.
//
// All that wait stand in one queue, and whichever request ends first makes room for all of them: with a queue for each
// request, half would wait behind the slower one.
type Writer struct {
	client *Client
	queue  chan *bulkItem
	lanes  sync.WaitGroup

	gathering sync.Mutex // of the lane that gathers
	several   bool       // the last group had several documents
}

// bulkItem is a document on its way, and its caller.
type bulkItem struct {
	ctx       context.Context
	alias, id string
	body      []byte
	answer    chan error
}

// NewWriter starts a writer. Close it to write out what is waiting.
func (c *Client) NewWriter() *Writer {
	w := &Writer{client: c, queue: make(chan *bulkItem, queued)}
	for range lanes {
		w.lanes.Go(func() {
			for group := w.gather(); group != nil; group = w.gather() {
				w.write(group)
			}
		})
	}
	return w
}

// Close writes out what is waiting and stops the writer. No document may be added from here on.
func (w *Writer) Close(ctx context.Context) error {
	close(w.queue)
	ended := make(chan struct{})
	go func() { w.lanes.Wait(); close(ended) }()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// gather waits for documents and returns the next group, nil when the writer is closed and none is left. Documents whose callers have
// given up are left out.
func (w *Writer) gather() (group []*bulkItem) {
	w.gathering.Lock()
	defer w.gathering.Unlock()
	size := 0
	add := func(item *bulkItem) {
		if item.ctx.Err() == nil {
			group, size = append(group, item), size+len(item.body)
		}
	}
	for len(group) == 0 {
		first, open := <-w.queue
		if !open {
			return nil
		}
		if w.several {
			time.Sleep(gatherTime)
		}
		add(first)
		for more := true; more && size < maxGroupBytes; {
			select {
			case item, open := <-w.queue:
				if more = open; open {
					add(item)
				}
			default:
				more = false
			}
		}
		w.several = len(group) > 1
	}
	return group
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
	item := &bulkItem{ctx, alias, id, body, make(chan error, 1)}
	select {
	case w.queue <- item:
	case <-ctx.Done():
		return TransportError(ctx, ctx.Err())
	}
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
	started := time.Now()
	results, err := w.client.sendBulk(context.Background(), body.Bytes(), len(group), bulkOutcome)
	if err != nil {
		w.client.Log.Warn("bulk request failed", "cause", RootCause(err))
		results = make([]Result, len(group))
	} else {
		w.client.observer.Bulk(len(group), time.Since(started))
	}
	for i, item := range group {
		item.answer <- errors.Join(err, results[i].Err)
	}
}

// Observer hears how the bulk writer works, for metrics. Its methods are called from several goroutines and must not block.
type Observer interface {
	// Bulk tells of a bulk request that shared so many documents.
	Bulk(documents int, took time.Duration)
	// BulkWait tells how long one document took from its caller to its acknowledgement.
	BulkWait(took time.Duration)
}

// noObserver is an Observer that hears nothing.
type noObserver struct{}

// Bulk does nothing.
func (noObserver) Bulk(int, time.Duration) {}

// BulkWait does nothing.
func (noObserver) BulkWait(time.Duration) {}

func observerOf(cfg Config) Observer {
	if cfg.Observer == nil {
		return noObserver{}
	}
	return cfg.Observer
}
