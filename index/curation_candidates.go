package index

import (
	"context"
	"fmt"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
)

// Candidates returns, for each query, the ids of the reports that its words find, best first, at most limit. Of equals the
// lesser id comes first, so that the same store gives the same answer.
func (c *Curation) Candidates(ctx context.Context, queries []string, limit int) ([][]string, error) {
	var lines []any
	header := map[string]any{"index": c.client.aliasOf(lore.Submissions), "allow_partial_search_results": false}
	for _, query := range queries {
		lines = append(lines, header, map[string]any{
			"query": map[string]any{"match": map[string]any{"text": map[string]any{"query": query}}},
			"sort":  []any{map[string]any{"_score": "desc"}, map[string]any{"id": "asc"}},
			"size":  limit, "track_total_hits": false, "_source": false, "stored_fields": "_none_", // the id that sorts is all
		})
	}
	body, err := JSONLines(lines...)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Responses []struct {
			Hits struct {
				Hits []struct {
					Sort [2]any `json:"sort"`
				} `json:"hits"`
			} `json:"hits"`
			Status int `json:"status"`
		} `json:"responses"`
	}
	// One at a time: searches of the public go beside these, not behind them.
	one := 1
	request := esapi.MsearchRequest{
		Body: body, MaxConcurrentSearches: &one, FilterPath: []string{"responses.status", "responses.hits.hits.sort"},
	}
	if err := c.client.Do(ctx, request, &answer); err != nil {
		return nil, fmt.Errorf("find candidates: %w", err)
	}
	if len(answer.Responses) != len(queries) {
		return nil, fmt.Errorf("asked for %d candidate lists, got %d", len(queries), len(answer.Responses))
	}
	found := make([][]string, len(queries))
	for i, response := range answer.Responses {
		if response.Status != 200 {
			return nil, lore.StoreUnavailable(fmt.Errorf("candidates: status %d", response.Status))
		}
		for _, hit := range response.Hits.Hits {
			id, _ := hit.Sort[1].(string)
			found[i] = append(found[i], id)
		}
	}
	return found, nil
}
