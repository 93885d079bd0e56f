package index

import (
	"context"
	"encoding/json"
	"fmt"

	"agentlore/lore"
)

// Libraries groups active knowledge units (tier 3 and 4) by ecosystem and category, with the most trusted ones of each
// group. An empty ecosystem reads all of them. Errors: store_unavailable.
func (c *Client) Libraries(ctx context.Context, ecosystem string) ([]lore.Library, error) {
	const groups, best = 200, 3
	body := map[string]any{
		"size": 0,
		"query": map[string]any{"bool": map[string]any{"filter": append(
			filterClauses(lore.Filter{Ecosystem: ecosystem, Status: string(lore.UnitActive)}),
			map[string]any{"range": map[string]any{"tier": map[string]any{"gte": lore.TierValidated}}},
		)}},
		"aggs": map[string]any{"groups": map[string]any{
			"composite": map[string]any{"size": groups, "sources": []any{
				map[string]any{"ecosystem": map[string]any{"terms": map[string]any{"field": "ecosystem", "missing_bucket": true}}},
				map[string]any{"category": map[string]any{"terms": map[string]any{"field": "category"}}},
			}},
			"aggs": map[string]any{"best": map[string]any{"top_hits": map[string]any{
				"size": best,
				"sort": []any{
					map[string]any{"tier": "desc"}, map[string]any{"confidence": "desc"}, map[string]any{"id": "asc"},
				},
				"_source": map[string]any{"excludes": private},
			}}},
		}},
	}
	var answer searchAnswer[struct{}]
	if err := c.search(ctx, []string{c.aliasOf(lore.KnowledgeUnits)}, body, &answer); err != nil {
		return nil, fmt.Errorf("group knowledge: %w", err)
	}
	var parsed struct {
		Buckets []struct {
			Key struct {
				Ecosystem string        `json:"ecosystem"`
				Category  lore.Category `json:"category"`
			} `json:"key"`
			Count int64 `json:"doc_count"`
			Best  struct {
				Hits struct {
					Hits []hit[lore.KnowledgeUnit] `json:"hits"`
				} `json:"hits"`
			} `json:"best"`
		} `json:"buckets"`
	}
	if err := json.Unmarshal(answer.Aggregations["groups"], &parsed); err != nil {
		return nil, fmt.Errorf("read groups: %w", err)
	}
	libraries := make([]lore.Library, 0, len(parsed.Buckets))
	for _, group := range parsed.Buckets {
		if ecosystem != "" && group.Key.Ecosystem != ecosystem {
			continue // a unit of several ecosystems falls into a group of each
		}
		library := lore.Library{Ecosystem: group.Key.Ecosystem, Category: group.Key.Category, Count: group.Count, Best: []lore.KnowledgeUnit{}}
		for _, hit := range group.Best.Hits.Hits {
			library.Best = append(library.Best, hit.Source)
		}
		libraries = append(libraries, library)
	}
	return libraries, nil
}
