package index

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// VisibleAfter is how long after its time a write can be found by a search at the latest, with room to spare: an index
// refreshes every second, a write may take its time, and replicas' clocks differ. Who reads by time what has changed since a
// last look goes back by it, and so meets some changes twice.
const VisibleAfter = 30 * time.Second

// changePage is how many documents a reader asks for at once.
const changePage = 1000

// visitByTime hands all documents of an internal index that pass the filter to visit, in pages, oldest first.
func visitByTime[T any](ctx context.Context, c *Client, alias string, filter []any, visit func([]T) error) error {
	body := map[string]any{
		"query": map[string]any{"bool": map[string]any{"filter": filter}},
		"sort":  []any{map[string]any{"at": "asc"}, map[string]any{"id": "asc"}},
		"size":  changePage, "track_total_hits": false,
	}
	for {
		var answer searchAnswer[T]
		if err := c.search(ctx, []string{alias}, body, &answer); err != nil {
			return fmt.Errorf("read %s: %w", alias, err)
		}
		found := answer.Hits.Hits
		page := make([]T, len(found))
		for i, hit := range found {
			page[i] = hit.Source
		}
		if len(page) > 0 {
			if err := visit(page); err != nil {
				return err
			}
		}
		if len(found) < changePage {
			return nil
		}
		body["search_after"] = []json.RawMessage(found[len(found)-1].Sort)
	}
}

// sinceClause restricts to what happened at a time or later; the zero time restricts nothing.
func sinceClause(since time.Time) []any {
	if since.IsZero() {
		return []any{}
	}
	return []any{map[string]any{"range": map[string]any{"at": map[string]any{"gte": since.UTC().Format(time.RFC3339Nano)}}}}
}
