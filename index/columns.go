package index

import (
	"context"
	"fmt"
)

// columnPage is how many documents' columns are read at once: some hundred bytes each.
const columnPage = 5000

// column is a document's id and a short field of it, "" where it has none.
type column struct{ id, value string }

// columns returns the ids of what a query finds behind an id, in order of id, at most limit, and one more field of each unless
// field is "". They are read from columns (doc values): where an id is all that is asked for, reading the document that it stands
// in takes Elasticsearch ten times as long.
func columns(ctx context.Context, c *Client, alias string, query map[string]any, field, after string, limit int) ([]column, error) {
	body := map[string]any{
		"query": query, "sort": []any{map[string]any{"id": "asc"}}, "size": limit, "track_total_hits": false, "_source": false, "stored_fields": "_none_",
	}
	if field != "" {
		body["docvalue_fields"] = []string{field}
	}
	if after != "" {
		body["search_after"] = []any{after}
	}
	var answer struct {
		Hits struct {
			Hits []struct {
				Sort   [1]string           `json:"sort"`
				Fields map[string][]string `json:"fields"`
			} `json:"hits"`
		} `json:"hits"`
	}
	if err := c.search(ctx, []string{alias}, body, &answer); err != nil {
		return nil, fmt.Errorf("read %s: %w", alias, err)
	}
	found := make([]column, len(answer.Hits.Hits))
	for i, hit := range answer.Hits.Hits {
		found[i].id = hit.Sort[0]
		if values := hit.Fields[field]; len(values) > 0 {
			found[i].value = values[0]
		}
	}
	return found, nil
}

// eachColumn hands the columns of everything that a query finds to visit, in order of id.
func eachColumn(ctx context.Context, c *Client, alias string, query map[string]any, field string, visit func(id, value string)) error {
	for after := ""; ; {
		page, err := columns(ctx, c, alias, query, field, after, columnPage)
		if err != nil {
			return err
		}
		for _, document := range page {
			visit(document.id, document.value)
		}
		if len(page) < columnPage {
			return nil
		}
		after = page[len(page)-1].id
	}
}
