package index

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

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

// What is asked of the answer to a bulk request: Elasticsearch would write more for each document.
var (
	bulkOutcome = []string{"items.*.status", "items.*.error"}
	bulkDetails = append([]string{"items.*.result", "items.*._seq_no", "items.*._primary_term", "items.*.get._source"}, bulkOutcome...)
)

// Bulk sends operations as one request and returns what became of each; those that a migration's write block refuses are sent again. It
// is no transaction. Errors: of the request as a whole, store_unavailable; of an operation, ErrConflict, ErrNotFound (of an update
// or a delete), store_unavailable.
func (c *Client) Bulk(ctx context.Context, operations []Operation) ([]Result, error) {
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
		if body.Len() == 0 {
			return nil
		}
		sent, err := c.sendBulk(ctx, body.Bytes(), len(waiting), bulkDetails)
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

// BulkAll is Bulk for writes that must all be done. It returns the first operation's error.
func (c *Client) BulkAll(ctx context.Context, operations []Operation) error {
	results, err := c.Bulk(ctx, operations)
	for _, result := range results {
		err = errors.Join(err, result.Err)
		if err != nil {
			break
		}
	}
	return err
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
func (c *Client) sendBulk(ctx context.Context, body []byte, operations int, fields []string) ([]Result, error) {
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
	if err := c.Do(ctx, esapi.BulkRequest{Body: bytes.NewReader(body), FilterPath: fields}, &answer); err != nil {
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
