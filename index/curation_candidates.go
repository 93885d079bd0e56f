package index

import (
	"context"
	"encoding/json"
	"fmt"

	"agentlore/lore"
)

// Candidates returns, for each query, the ids of the reports that its words find, best first, at most limit. Of equals the
// lesser id comes first, so that the same store gives the same answer. Errors: store_unavailable.
func (c *Curation) Candidates(ctx context.Context, queries []string, limit int) ([][]string, error) {
	var bodies []map[string]any
	for _, query := range queries {
		bodies = append(bodies, map[string]any{
			"query": map[string]any{"match": map[string]any{"text": map[string]any{"query": query}}},
			"sort":  []any{map[string]any{"_score": "desc"}, map[string]any{"id": "asc"}},
			"size":  limit, "track_total_hits": false, "_source": false, "stored_fields": "_none_", // the id that sorts is all
		})
	}
	answers, err := searchMany[struct{}](ctx, c.client, []string{c.client.aliasOf(lore.Submissions)}, bodies)
	if err != nil {
		return nil, fmt.Errorf("find candidates: %w", err)
	}
	found := make([][]string, len(queries))
	for i, answer := range answers {
		for _, hit := range answer.Hits.Hits {
			var id string
			if len(hit.Sort) != 2 || json.Unmarshal(hit.Sort[1], &id) != nil {
				return nil, fmt.Errorf("find candidates: an answer isn't sorted by score and id")
			}
			found[i] = append(found[i], id)
		}
	}
	return found, nil
}
