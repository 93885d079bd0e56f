// Package exporter writes collections out, one JSON line an item, as readers get them: oldest first, so that what arrives
// meanwhile comes at the end. Behind them comes a line for each item that was erased. It holds one page at a time, and may be stopped
// anywhere: the id in the last line says where to go on.
package exporter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"agentlore/lore"
)

// A page has at most pageSize items and pageBytes, which is what is held at once: enough that a request's fixed cost is nothing beside
// it. Behind a page of large items fewer are asked for, leastPage at least.
const (
	pageSize  = 200
	leastPage = 8
	pageBytes = 256 << 10
)

// retryPause is the pause before a store that couldn't answer is asked again.
const retryPause = 500 * time.Millisecond

// Reader reads one collection.
type Reader[T any] interface {
	// Get returns an item by id. Errors: not_found, erased, store_unavailable.
	Get(ctx context.Context, id string) (T, error)
	// List returns a page. Errors: invalid_cursor, store_unavailable.
	List(ctx context.Context, query lore.ListQuery) (lore.Page[T], error)
	// Erasure returns when an item that is there no more was erased. Errors: not_found, store_unavailable.
	Erasure(ctx context.Context, id string) (lore.Erasure, error)
	// Erasures returns which items were erased since a time and after another erasure, oldest first, at most limit, and after
	// which the next page begins; nil on the last. Errors: store_unavailable.
	Erasures(ctx context.Context, since time.Time, after *lore.Erasure, limit int) (page []lore.Erasure, next *lore.Erasure, err error)
}

// ErasedCursor stands before the id in Query.After where the last line that was received is an erasure: the same id may have been in
// the line of the item before.
const ErasedCursor = "erased:"

// Query says what to export.
type Query struct {
	// Kind leaves out events of another kind; empty: nothing.
	Kind string
	// Since leaves out what was created or erased earlier; zero: nothing.
	Since time.Time
	// After is the id in the last line that was received before, with ErasedCursor before it if that line is an erasure; empty:
	// from the beginning.
	After string
	// Patience is how long to try again while the store can't answer; zero: not at all.
	Patience time.Duration
}

// Export visits every line of a collection, each a JSON object without a line end, valid until visit returns. It stops at
// visit's first error. Errors besides: invalid_cursor for an unknown After, store_unavailable, the context's.
type Export func(ctx context.Context, query Query, visit func(line []byte) error) error

// Of returns the export of a reader's collection. Open flags for a leak are left out: they would lead to what is not yet
// removed.
func Of[T any](reader Reader[T]) Export {
	return func(ctx context.Context, query Query, visit func([]byte) error) error {
		if id, erased := strings.CutPrefix(query.After, ErasedCursor); erased {
			last, err := lore.Retry(ctx, query.Patience, retryPause, func() (lore.Erasure, error) { return reader.Erasure(ctx, id) })
			if err != nil {
				return unknownLine(err)
			}
			return exportErasures(ctx, reader, query, &last, visit)
		}
		if err := exportItems(ctx, reader, query, visit); err != nil {
			return err
		}
		return exportErasures(ctx, reader, query, nil, visit)
	}
}

// exportItems visits the lines of the items.
func exportItems[T any](ctx context.Context, reader Reader[T], query Query, visit func([]byte) error) error {
	list := lore.ListQuery{
		Filter: lore.Filter{Since: query.Since, Kind: query.Kind, HideOpenLeaks: true}, Sort: lore.SortStored, Limit: pageSize, MaxBytes: pageBytes,
	}
	if query.After != "" {
		last, err := lore.Retry(ctx, query.Patience, retryPause, func() (T, error) { return reader.Get(ctx, query.After) })
		if err != nil {
			return unknownLine(err)
		}
		list.After = positionOf(last)
	}
	for {
		page, err := lore.Retry(ctx, query.Patience, retryPause, func() (lore.Page[T], error) { return reader.List(ctx, list) })
		if err != nil {
			return err
		}
		if err := visitEach(page.Results, visit); err != nil {
			return err
		}
		if page.NextCursor == "" {
			return nil
		}
		list.Cursor, list.After, list.Limit = page.NextCursor, nil, min(max(2*len(page.Results), leastPage), pageSize)
	}
}

// exportErasures visits the lines of the erasures after one.
func exportErasures[T any](ctx context.Context, reader Reader[T], query Query, after *lore.Erasure, visit func([]byte) error) error {
	for {
		var next *lore.Erasure
		page, err := lore.Retry(ctx, query.Patience, retryPause, func() (page []lore.Erasure, err error) {
			page, next, err = reader.Erasures(ctx, query.Since, after, pageSize)
			return page, err
		})
		if err != nil {
			return err
		}
		if err := visitEach(page, visit); err != nil || next == nil {
			return err
		}
		after = next
	}
}

// visitEach visits each value as a line.
func visitEach[V any](values []V, visit func([]byte) error) error {
	for _, value := range values {
		line, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("encode item: %w", err)
		}
		if err := visit(line); err != nil {
			return err
		}
	}
	return nil
}

// positionOf returns where an item stands in the order of an export.
func positionOf(item any) *lore.Position {
	return &lore.Position{ID: lore.IDOf(item), CreatedAt: reflect.ValueOf(item).FieldByName("CreatedAt").Interface().(time.Time)}
}

// unknownLine turns the absence of an item into what it means here.
func unknownLine(err error) error {
	var problem *lore.Problem
	if !errors.As(err, &problem) {
		return err
	}
	switch problem.Code {
	case lore.CodeNotFound:
		return &lore.Problem{Code: lore.CodeInvalidCursor, Detail: "cursor must be the id in the last line that you received of this " +
			"collection, with " + ErasedCursor + " before it if the line has erased_at"}
	case lore.CodeErased:
		return &lore.Problem{Code: lore.CodeInvalidCursor, Detail: "the item of that line was erased since: drop the line and send the id " +
			"of one before it; if the line has erased_at, send " + ErasedCursor + " and the id"}
	}
	return err
}
