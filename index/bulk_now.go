package index

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/elastic/go-elasticsearch/v8/esapi"
	"github.com/elastic/go-elasticsearch/v8/esutil"
)

// bulkOperation is one part of a bulk request that a single caller sends.
type bulkOperation struct {
	action   string // index, create or delete
	id       string
	document any // nil for a delete
}

// bulkNow sends operations as one request and returns the first one's error. It saves round trips where one caller
// writes several documents; it is no transaction.
func (c *Client) bulkNow(ctx context.Context, alias string, operations []bulkOperation) error {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	for _, operation := range operations {
		if err := encoder.Encode(map[string]any{operation.action: map[string]any{"_id": operation.id}}); err != nil {
			return err
		}
		if operation.document == nil {
			continue
		}
		document, err := encodeDocument(alias, operation.document)
		if err != nil {
			return fmt.Errorf("encode document: %w", err)
		}
		body.Write(document)
		body.WriteByte('\n')
	}
	var answer esutil.BulkIndexerResponse
	required := true
	if err := c.do(ctx, esapi.BulkRequest{Index: alias, RequireAlias: &required, Body: &body}, &answer); err != nil {
		return err
	}
	for _, item := range answer.Items {
		for _, result := range item {
			if result.Status >= 300 {
				return itemError(result, nil)
			}
		}
	}
	return nil
}
