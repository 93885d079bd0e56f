package index

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/elastic/go-elasticsearch/v8/esapi"
	"github.com/elastic/go-elasticsearch/v8/esutil"
)

// bulkOperation is one part of a bulk request that a single caller sends.
type bulkOperation struct {
	action   string // index, create or delete
	id       string
	document any // nil for a delete
	// over, if given, is the revision that must be there: else errConflict.
	over *revision
	// written, if given, is told the revision that the document became.
	written *revision
}

// line is what stands before a document in a bulk request's body.
func (o bulkOperation) line() map[string]any {
	about := map[string]any{"_id": o.id}
	if o.over != nil {
		about["if_seq_no"], about["if_primary_term"] = o.over.SeqNo, o.over.PrimaryTerm
	}
	return map[string]any{o.action: about}
}

// bulkNow sends operations as one request and returns the first one's error. It saves round trips where one caller
// writes several documents; it is no transaction.
func (c *Client) bulkNow(ctx context.Context, alias string, operations []bulkOperation) error {
	each, err := c.bulkEach(ctx, alias, operations)
	if err != nil {
		return err
	}
	for _, err := range each {
		if err != nil {
			return err
		}
	}
	return nil
}

// bulkEach sends operations as one request and returns what became of each, nil where it was done.
func (c *Client) bulkEach(ctx context.Context, alias string, operations []bulkOperation) ([]error, error) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	for _, operation := range operations {
		if err := encoder.Encode(operation.line()); err != nil {
			return nil, err
		}
		if operation.document == nil {
			continue
		}
		document, err := encodeDocument(alias, operation.document)
		if err != nil {
			return nil, fmt.Errorf("encode document: %w", err)
		}
		body.Write(document)
		body.WriteByte('\n')
	}
	var each []error
	err := held(ctx, func() (err error) { // a migration holds all of an alias's writes at once
		if each, err = c.sendBulk(ctx, alias, body.Bytes(), operations); err == nil && len(each) > 0 && errors.Is(each[0], errHeld) {
			return each[0]
		}
		return err
	})
	if errors.Is(err, errHeld) { // for longer than a write is held
		return each, nil
	}
	return each, err
}

// sendBulk sends the body of a bulk request and returns the error of each operation.
func (c *Client) sendBulk(ctx context.Context, alias string, body []byte, operations []bulkOperation) ([]error, error) {
	var answer esutil.BulkIndexerResponse
	required := true
	if err := c.do(ctx, esapi.BulkRequest{Index: alias, RequireAlias: &required, Body: bytes.NewReader(body)}, &answer); err != nil {
		return nil, err
	}
	each := make([]error, len(operations))
	for i, item := range answer.Items[:min(len(answer.Items), len(each))] {
		for _, result := range item {
			if result.Status >= 300 {
				each[i] = itemError(result)
			} else if written := operations[i].written; written != nil {
				*written = revision{int(result.SeqNo), int(result.PrimTerm)}
			}
		}
	}
	return each, nil
}
