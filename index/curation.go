package index

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
)

// Curation is the store as the curator sees it. Its reads are of what is there at the moment of a search, within a second,
// but for those by id; its writes bear the epoch of the lease (curation_write.go).
type Curation struct {
	client    *Client
	outcomes  *Outcomes
	decisions *Decisions
	lease     *Lease
}

// NewCuration returns the store for a curator that holds the lease.
func NewCuration(client *Client, lease *Lease) *Curation {
	return &Curation{client: client, outcomes: NewOutcomes(client), decisions: NewDecisions(client), lease: lease}
}

// Refresh makes what was written findable by searches.
func (c *Curation) Refresh(ctx context.Context) error {
	indices := []string{c.client.alias(links)}
	for _, collection := range []lore.Collection{lore.Submissions, lore.Patterns, lore.KnowledgeUnits, lore.SafetyFlags} {
		indices = append(indices, c.client.aliasOf(collection))
	}
	indices = append(indices, c.client.alias(outcomes), c.client.alias(decisions))
	return c.client.Do(ctx, esapi.IndicesRefreshRequest{Index: indices}, nil)
}

// searchByID returns what a query finds behind an id, in order of id, at most limit.
func searchByID[T any](ctx context.Context, c *Client, alias string, query, source map[string]any, after string, limit int) ([]T, error) {
	body := map[string]any{"query": query, "sort": []any{map[string]any{"id": "asc"}}, "size": limit, "track_total_hits": false}
	if source != nil {
		body["_source"] = source
	}
	if after != "" {
		body["search_after"] = []any{after}
	}
	var answer searchAnswer[T]
	if err := c.search(ctx, []string{alias}, body, &answer); err != nil {
		return nil, fmt.Errorf("read %s: %w", alias, err)
	}
	found := make([]T, len(answer.Hits.Hits))
	for i, hit := range answer.Hits.Hits {
		found[i] = hit.Source
	}
	return found, nil
}

// all returns everything that a query finds, in order of id.
func all[T any](ctx context.Context, c *Client, alias string, query, source map[string]any, id func(T) string) ([]T, error) {
	var found []T
	for after := ""; ; {
		page, err := searchByID[T](ctx, c, alias, query, source, after, changePage)
		if err != nil {
			return nil, err
		}
		if found = append(found, page...); len(page) < changePage {
			return found, nil
		}
		after = id(page[len(page)-1])
	}
}

// termsQuery finds documents that have one of the values.
func termsQuery[T any](field string, values []T) map[string]any {
	return map[string]any{"terms": map[string]any{field: values}}
}

// readByID reads documents by id as they are now; those that aren't there are left out.
func readByID[T any](ctx context.Context, c *Client, alias string, ids []string, excludes ...string) (map[string]T, error) {
	found := make(map[string]T, len(ids))
	for some := range slices.Chunk(ids, changePage) {
		body, err := json.Marshal(map[string]any{"ids": some})
		if err != nil {
			return nil, err
		}
		var answer struct {
			Docs []struct {
				ID     string          `json:"_id"`
				Found  bool            `json:"found"`
				Error  json.RawMessage `json:"error"`
				Source T               `json:"_source"`
			} `json:"docs"`
		}
		request := esapi.MgetRequest{Index: alias, Body: bytes.NewReader(body), SourceExcludes: excludes}
		if err := c.Do(ctx, request, &answer); err != nil {
			return nil, fmt.Errorf("read %s: %w", alias, err)
		}
		for _, document := range answer.Docs {
			if len(document.Error) > 0 {
				return nil, lore.StoreUnavailable(errors.New("a document can't be read now"))
			}
			if document.Found {
				found[document.ID] = document.Source
			}
		}
	}
	return found, nil
}

// Patterns returns patterns by id.
func (c *Curation) Patterns(ctx context.Context, ids []string) (map[string]lore.Pattern, error) {
	return readByID[lore.Pattern](ctx, c.client, c.client.aliasOf(lore.Patterns), ids, private...)
}

// Units returns knowledge units by id.
func (c *Curation) Units(ctx context.Context, ids []string) (map[string]lore.KnowledgeUnit, error) {
	return readByID[lore.KnowledgeUnit](ctx, c.client, c.client.aliasOf(lore.KnowledgeUnits), ids, private...)
}

// Sources returns sources by id.
func (c *Curation) Sources(ctx context.Context, ids []string) (map[string]lore.Source, error) {
	return readByID[lore.Source](ctx, c.client, c.client.aliasOf(lore.Sources), ids, private...)
}

// sortedKeys returns the keys of a set, in order.
func sortedKeys(set map[string]bool) []string {
	keys := make([]string, 0, len(set))
	for key := range set {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
