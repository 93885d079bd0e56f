package index

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"
)

// Revision tells one write of a document from every other: a change that must meet what was read names it.
type Revision struct {
	SeqNo       int `json:"_seq_no"`
	PrimaryTerm int `json:"_primary_term"`
}

// CreateDocument stores one document under an id that must be new, by a request of its own. Errors: ErrConflict.
func (c *Client) CreateDocument(ctx context.Context, alias, id string, document any) error {
	_, err := c.index(ctx, esapi.IndexRequest{Index: alias, DocumentID: id, OpType: "create"}, document)
	return err
}

// WriteDocument stores one document, over the revision that was read if one is given. Errors: ErrConflict, where somebody
// else has written it since.
func (c *Client) WriteDocument(ctx context.Context, alias, id string, document any, read *Revision) error {
	if read != nil {
		_, err := c.WriteOver(ctx, alias, id, document, *read)
		return err
	}
	_, err := c.index(ctx, esapi.IndexRequest{Index: alias, DocumentID: id}, document)
	return err
}

// WriteOver stores one document over the revision that was read, and returns the one that it became. Errors: ErrConflict.
func (c *Client) WriteOver(ctx context.Context, alias, id string, document any, read Revision) (written Revision, err error) {
	return c.index(ctx, esapi.IndexRequest{Index: alias, DocumentID: id, IfSeqNo: &read.SeqNo, IfPrimaryTerm: &read.PrimaryTerm}, document)
}

// index sends a document and returns the revision that it became. An alias that is missing is an error: Elasticsearch would make
// an index with a mapping of its own guess.
func (c *Client) index(ctx context.Context, request esapi.IndexRequest, document any) (written Revision, err error) {
	body, err := encodeDocument(request.Index, document)
	if err != nil {
		return written, fmt.Errorf("encode document: %w", err)
	}
	required := true
	request.RequireAlias, request.Body = &required, bytes.NewReader(body)
	err = c.Do(ctx, request, &written)
	return written, err
}

// DeleteDocument removes one document. One that isn't there is no error.
func (c *Client) DeleteDocument(ctx context.Context, alias, id string) error {
	err := c.Do(ctx, esapi.DeleteRequest{Index: alias, DocumentID: id}, nil)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// scanPage is how many documents scan hands over at once.
const scanPage = 5000

// Scan hands all documents that a query finds to visit, in pages, without their sources unless they are asked for. It sees the index
// as it was at the beginning.
func Scan[T any](ctx context.Context, c *Client, index string, query map[string]any, source bool, visit func([]Hit[T]) error) error {
	body, err := JSONBody(map[string]any{"query": query, "_source": source, "size": scanPage, "sort": []any{"_doc"}})
	if err != nil {
		return err
	}
	var request esapi.Request = esapi.SearchRequest{Index: []string{index}, Body: body, Scroll: time.Minute}
	for {
		var answer struct {
			ScrollID string `json:"_scroll_id"`
			SearchAnswer[T]
		}
		if err := c.Do(ctx, request, &answer); err != nil {
			return fmt.Errorf("read %s: %w", index, err)
		}
		if len(answer.Hits.Hits) == 0 {
			return c.Do(context.WithoutCancel(ctx), esapi.ClearScrollRequest{ScrollID: []string{answer.ScrollID}}, nil)
		}
		if err := visit(answer.Hits.Hits); err != nil {
			return err // the scroll expires
		}
		if body, err = JSONBody(map[string]any{"scroll": "1m", "scroll_id": answer.ScrollID}); err != nil {
			return err
		}
		request = esapi.ScrollRequest{Body: body}
	}
}

// JSONBody encodes a request's body.
func JSONBody(value any) (io.Reader, error) {
	text, err := json.Marshal(value)
	return bytes.NewReader(text), err
}
