package index

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
)

const (
	// ChangePage is how many documents a reader asks for at once.
	ChangePage = 1000
	// ColumnPage is how many documents' columns are read at once: some hundred bytes each.
	ColumnPage = 5000
)

// TermsQuery finds documents that have one of the values.
func TermsQuery[T any](field string, values []T) map[string]any {
	return map[string]any{"terms": map[string]any{field: values}}
}

// SinceClause restricts to what happened at a time or later; the zero time restricts nothing.
func SinceClause(since time.Time) []any {
	if since.IsZero() {
		return []any{}
	}
	return []any{map[string]any{"range": map[string]any{"at": map[string]any{"gte": since.UTC().Format(time.RFC3339Nano)}}}}
}

// before finds what has a time that lies before another.
func before(field string, at time.Time) map[string]any {
	return map[string]any{"range": map[string]any{field: map[string]any{"lt": at.UTC().Format(time.RFC3339Nano)}}}
}

// ByTime sorts an internal index, oldest first.
var ByTime = []any{map[string]any{"at": "asc"}, map[string]any{"id": "asc"}}

// ByID sorts by id.
var ByID = []any{map[string]any{"id": "asc"}}

// EachHit hands all documents that a query finds to visit, in pages and in an order.
func EachHit[T any](ctx context.Context, c *Client, alias string, query map[string]any, order []any, visit func([]Hit[T]) error) error {
	return eachHit(ctx, c, alias, map[string]any{"query": query, "sort": order, "size": ChangePage}, ChangePage, visit)
}

// eachHit hands all that a body finds to visit, in pages of its size.
func eachHit[T any](ctx context.Context, c *Client, alias string, body map[string]any, size int, visit func([]Hit[T]) error) error {
	for body["track_total_hits"] = false; ; {
		var answer SearchAnswer[T]
		if err := c.Query(ctx, []string{alias}, body, &answer); err != nil {
			return fmt.Errorf("read %s: %w", alias, err)
		}
		hits := answer.Hits.Hits
		if len(hits) > 0 {
			if err := visit(hits); err != nil {
				return err
			}
		}
		if len(hits) < size {
			return nil
		}
		body["search_after"] = hits[len(hits)-1].Sort
	}
}

// EachPage is EachHit for what the documents hold.
func EachPage[T any](ctx context.Context, c *Client, alias string, query map[string]any, order []any, visit func([]T) error) error {
	return EachHit(ctx, c, alias, query, order, func(hits []Hit[T]) error { return visit(sources(hits)) })
}

// sources returns what documents hold.
func sources[T any](hits []Hit[T]) []T {
	found := make([]T, len(hits))
	for i, hit := range hits {
		found[i] = hit.Source
	}
	return found
}

// ReadAll returns everything that a query finds, in an order.
func ReadAll[T any](ctx context.Context, c *Client, alias string, query map[string]any, order []any) (found []T, err error) {
	err = EachPage(ctx, c, alias, query, order, func(page []T) error { found = append(found, page...); return nil })
	return found, err
}

// SearchByID returns what a query finds behind an id, in order of id, at most limit. Source says what of each is read; nil: all.
func SearchByID[T any](ctx context.Context, c *Client, alias string, query, source map[string]any, after string, limit int) ([]T, error) {
	body := map[string]any{"query": query, "sort": ByID, "size": limit, "track_total_hits": false}
	if source != nil {
		body["_source"] = source
	}
	if after != "" {
		body["search_after"] = []any{after}
	}
	var answer SearchAnswer[T]
	if err := c.Query(ctx, []string{alias}, body, &answer); err != nil {
		return nil, fmt.Errorf("read %s: %w", alias, err)
	}
	return sources(answer.Hits.Hits), nil
}

// ReadByID reads documents by id as they are now; those that aren't there are left out.
func ReadByID[T any](ctx context.Context, c *Client, alias string, ids []string, excludes ...string) (map[string]T, error) {
	stored, err := ReadStored[T](ctx, c, alias, ids, excludes...)
	found := make(map[string]T, len(stored))
	for id, document := range stored {
		found[id] = document.Source
	}
	return found, err
}

// ReadStored is ReadByID with the documents' revisions. Errors: store_unavailable.
func ReadStored[T any](ctx context.Context, c *Client, alias string, ids []string, excludes ...string) (map[string]Stored[T], error) {
	found := make(map[string]Stored[T], len(ids))
	for some := range slices.Chunk(ids, ChangePage) {
		var answer struct {
			Docs []struct {
				Stored[T]
				Found bool            `json:"found"`
				Error json.RawMessage `json:"error"`
			} `json:"docs"`
		}
		if err := c.Do(ctx, esapi.MgetRequest{Index: alias, Body: JSONBody(map[string]any{"ids": some}), SourceExcludes: excludes}, &answer); err != nil {
			return nil, fmt.Errorf("read %s: %w", alias, err)
		}
		for _, document := range answer.Docs {
			if len(document.Error) > 0 {
				return nil, lore.StoreUnavailable(errors.New("a document can't be read now"))
			}
			if document.Found {
				found[document.ID] = document.Stored
			}
		}
	}
	return found, nil
}

// EachColumn hands the id and one more field ("" where it has none) of everything that a query finds to visit, in order of id.
func EachColumn(ctx context.Context, c *Client, alias string, query map[string]any, field string, visit func(id, value string)) error {
	var columns []any
	if field != "" {
		columns = []any{field}
	}
	return EachRow(ctx, c, alias, query, columns, func(id string, row Row) error {
		visit(id, row.First(field))
		return nil
	})
}

// Row is what columns hold of a document: the values of each field.
type Row map[string][]string

// First returns the first value of a field, "" where it has none.
func (r Row) First(field string) string {
	if values := r[field]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// EachRow hands the id and some fields of everything that a query finds to visit, in order of id, until that returns an error. Fields are
// names, or objects with a format, and read from columns (doc values): where an id is all that is asked for, reading the document that
// it stands in takes Elasticsearch ten times as long. Errors: visit's, store_unavailable.
func EachRow(ctx context.Context, c *Client, alias string, query map[string]any, fields []any, visit func(id string, row Row) error) error {
	body := map[string]any{"query": query, "sort": ByID, "size": ColumnPage, "_source": false, "stored_fields": "_none_"}
	if len(fields) > 0 {
		body["docvalue_fields"] = fields
	}
	return eachHit(ctx, c, alias, body, ColumnPage, func(hits []Hit[struct{}]) error {
		for _, hit := range hits {
			var id string
			_ = json.Unmarshal(hit.Sort[0], &id) // a keyword always can be read
			if err := visit(id, hit.Fields); err != nil {
				return err
			}
		}
		return nil
	})
}

// IDsOf returns the ids of everything that a query finds, in order.
func IDsOf(ctx context.Context, c *Client, alias string, query map[string]any) (ids []string, err error) {
	err = EachColumn(ctx, c, alias, query, "", func(id, _ string) { ids = append(ids, id) })
	return ids, err
}

// DeleteDocuments deletes documents by id. Those that are gone are no error.
func (c *Client) DeleteDocuments(ctx context.Context, alias string, ids []string) error {
	operations := make([]Operation, len(ids))
	for i, id := range ids {
		operations[i] = Operation{Action: "delete", Index: alias, ID: id}
	}
	return Wrapped("delete of "+alias, c.BulkAll(ctx, operations, ErrNotFound))
}
