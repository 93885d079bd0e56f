package index

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
)

// Operation is one write of a bulk request.
type Operation struct {
	Action string // index, create, update or delete
	Index  string // an alias, unless Concrete
	ID     string
	// Document is what is stored, and of an update its body; nil for a delete.
	Document any
	// Over, if given, is the revision that must be there: else ErrConflict.
	Over *Revision
	// Header holds further members of the operation's line, by Elasticsearch's names.
	Header map[string]any
	// Concrete: Index names an index and no alias. Else an alias that is missing is an error: Elasticsearch would make an index
	// with a mapping of its own guess.
	Concrete bool
}

// encoded is a document that is JSON already, as EncodeDocument made it.
type encoded []byte

// Result is what became of one operation of a bulk request.
type Result struct {
	Err      error  // nil where it was done
	Result   string // created, updated, deleted, noop or not_found
	Revision        // that the document became
	// Source holds the fields that an update asked for by _source.
	Source json.RawMessage
}

// bulkAnswer is what is asked of the answer to a bulk request: Elasticsearch would write more for each document.
var bulkAnswer = []string{
	"items.*.status", "items.*.error", "items.*.result", "items.*._seq_no", "items.*._primary_term", "items.*.get._source",
}

// Bulk sends operations as one request and returns what became of each; those that a migration's write block refuses are sent again. It
// is no transaction. Errors: of the request as a whole, store_unavailable; of an operation, ErrConflict, ErrNotFound (of an update
// or a delete), store_unavailable.
func (c *Client) Bulk(ctx context.Context, operations []Operation) ([]Result, error) {
	if len(operations) == 0 {
		return nil, nil
	}
	results := make([]Result, len(operations))
	waiting := make([]int, len(operations))
	for i := range waiting {
		waiting[i] = i
	}
	err := retryWriteBlock(ctx, func() error {
		var body bytes.Buffer
		for _, i := range waiting {
			if err := operations[i].append(&body); err != nil {
				return fmt.Errorf("encode document: %w", err)
			}
		}
		sent, err := c.sendBulk(ctx, body.Bytes(), len(waiting))
		if err != nil {
			return err
		}
		var blocked []int
		for n, i := range waiting {
			if results[i] = sent[n]; errors.Is(results[i].Err, errWriteBlock) {
				blocked = append(blocked, i)
			}
		}
		if waiting = blocked; len(waiting) > 0 {
			return errWriteBlock
		}
		return nil
	})
	if errors.Is(err, errWriteBlock) { // for longer than a write waits: the operations say so
		err = nil
	}
	return results, err
}

// append writes the operation's lines.
func (o Operation) append(body *bytes.Buffer) error {
	header := map[string]any{"_index": o.Index, "_id": o.ID}
	if !o.Concrete {
		header["require_alias"] = true
	}
	if o.Over != nil {
		header["if_seq_no"], header["if_primary_term"] = o.Over.SeqNo, o.Over.PrimaryTerm
	}
	for name, value := range o.Header {
		header[name] = value
	}
	line, err := json.Marshal(map[string]any{o.Action: header})
	if err != nil {
		return err
	}
	body.Write(append(line, '\n'))
	switch document := o.Document.(type) {
	case nil:
		return nil
	case encoded:
		line = document
	default:
		if o.Action == "update" {
			line, err = json.Marshal(document)
		} else {
			line, err = encodeDocument(o.Index, document)
		}
	}
	body.Write(line)
	body.WriteByte('\n')
	return err
}

// sendBulk sends the body of a bulk request of so many operations and returns what became of each.
func (c *Client) sendBulk(ctx context.Context, body []byte, operations int) ([]Result, error) {
	var answer struct {
		Items []map[string]struct {
			Status int     `json:"status"`
			Result string  `json:"result"`
			Error  failure `json:"error"`
			Revision
			Get struct {
				Source json.RawMessage `json:"_source"`
			} `json:"get"`
		} `json:"items"`
	}
	if err := c.Do(ctx, esapi.BulkRequest{Body: bytes.NewReader(body), FilterPath: bulkAnswer}, &answer); err != nil {
		return nil, err
	}
	if len(answer.Items) != operations {
		return nil, lore.StoreUnavailable(errors.New("the answer to a bulk request is cut short"))
	}
	results := make([]Result, operations)
	for i, item := range answer.Items {
		for _, done := range item {
			results[i] = Result{Result: done.Result, Revision: done.Revision, Source: done.Get.Source}
			if done.Status >= 300 {
				results[i].Err = done.Error.error(done.Status)
			}
		}
	}
	return results, nil
}

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
// All that wait stand in one queue, and whichever request ends first makes room for all of them: with a queue for each
// request, half would wait behind the slower one.
type Writer struct {
	client *Client
	queue  chan *bulkItem
	closed chan struct{}
	lanes  sync.WaitGroup

	gathering sync.Mutex // of the lane that gathers
	several   bool       // the last group had several documents
}

// bulkItem is a document on its way, and its caller.
type bulkItem struct {
	Operation
	ctx    context.Context
	size   int // of the document, in bytes
	answer chan error
}

// NewWriter starts a writer. Close it to write out what is waiting.
func (c *Client) NewWriter() *Writer {
	w := &Writer{client: c, queue: make(chan *bulkItem, queued), closed: make(chan struct{})}
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
	close(w.closed)
	ended := make(chan struct{})
	go func() { w.lanes.Wait(); close(ended) }()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// gather waits for documents and returns the next group, nil when the writer is closed and none is left.
func (w *Writer) gather() (group []*bulkItem) {
	w.gathering.Lock()
	defer w.gathering.Unlock()
	var item *bulkItem
	select {
	case item = <-w.queue:
	case <-w.closed:
		item = w.waiting()
	}
	if item != nil && w.several {
		time.Sleep(gatherTime)
	}
	for size := 0; item != nil; {
		group, size = append(group, item), size+item.size
		if item = nil; size < maxGroupBytes {
			item = w.waiting()
		}
	}
	w.several = len(group) > 1
	return group
}

// waiting returns what is in the queue, or nil.
func (w *Writer) waiting() (item *bulkItem) {
	select {
	case item = <-w.queue:
	default:
	}
	return item
}

// Create stores a document under an id that must be new and returns when it is acknowledged. It returns ErrConflict when
// the id exists. When ctx ends first, the document may or may not get stored: the caller's id decides on a second try.
func (w *Writer) Create(ctx context.Context, alias, id string, document any) error {
	body, err := encodeDocument(alias, document)
	if err != nil {
		return fmt.Errorf("encode document: %w", err)
	}
	if started := time.Now(); w.client.Observer != nil {
		defer func() { w.client.Observer.BulkWait(time.Since(started)) }()
	}
	create := Operation{Action: "create", Index: alias, ID: id, Document: encoded(body)}
	return retryWriteBlock(ctx, func() error { return w.send(&bulkItem{create, ctx, len(body), make(chan error, 1)}) })
}

// send puts a document into the queue and waits for its answer.
func (w *Writer) send(item *bulkItem) error {
	ctx := item.ctx
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
	group = slices.DeleteFunc(group, func(item *bulkItem) bool { return item.ctx.Err() != nil }) // their callers have given up
	if len(group) == 0 {
		return
	}
	var body bytes.Buffer
	for _, item := range group {
		_ = item.append(&body) // what is encoded can always be written
	}
	results, err := w.client.sendBulk(context.Background(), body.Bytes(), len(group))
	if err != nil {
		w.client.Log.Warn("bulk request failed", "cause", RootCause(err))
		results = make([]Result, len(group))
	} else if w.client.Observer != nil {
		w.client.Observer.Bulk(len(group))
	}
	for i, item := range group {
		item.answer <- errors.Join(err, results[i].Err)
	}
}
