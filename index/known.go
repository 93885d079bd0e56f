package index

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"agentlore/lore"
)

// KnowledgeState returns a text that is another one once units of knowledge or assets changed and searches find the change:
// Elasticsearch numbers the writes of a shard, and each document has the number of its last one. Errors:
// store_unavailable.
func (c *Client) KnowledgeState(ctx context.Context) (string, error) {
	writes := map[string]any{"stats": map[string]any{"field": "_seq_no"}}
	body := map[string]any{"size": 0, "aggs": map[string]any{"writes": writes}}
	var answer struct {
		Aggregations struct {
			Writes struct {
				Count int64   `json:"count"`
				Max   float64 `json:"max"`
				Sum   float64 `json:"sum"`
			} `json:"writes"`
		} `json:"aggregations"`
	}
	if err := c.Query(ctx, []string{c.AliasOf(lore.KnowledgeUnits), c.AliasOf(lore.Assets)}, body, &answer); err != nil {
		return "", fmt.Errorf("look for changes of knowledge: %w", err)
	}
	made := answer.Aggregations.Writes
	return fmt.Sprintf("%d %.0f %.0f", made.Count, made.Max, made.Sum), nil
}

// namesAtOnce is how many names one request counts: Elasticsearch refuses to answer with more than 65,536.
const namesAtOnce = 10_000

// ReportsNaming returns in how many reports each of some entities stands, and how many reports there are. Errors:
// store_unavailable.
func (c *Client) ReportsNaming(ctx context.Context, entities []string) (in map[string]int64, all int64, err error) {
	in = map[string]int64{}
	for some := range slices.Chunk(entities, namesAtOnce) {
		found, total, err := c.countNames(ctx, some)
		if err != nil {
			return nil, 0, fmt.Errorf("count reports by name: %w", err)
		}
		maps.Copy(in, found)
		all = total
	}
	return in, all, nil
}

// countNames counts the reports that name some entities, and all reports.
func (c *Client) countNames(ctx context.Context, entities []string) (in map[string]int64, all int64, err error) {
	body := map[string]any{"size": 0, "track_total_hits": true, "aggs": map[string]any{"names": map[string]any{
		"terms": map[string]any{"field": "entities", "include": entities, "size": max(1, len(entities))},
	}}}
	var answer struct {
		Hits struct {
			Total struct {
				Value int64 `json:"value"`
			} `json:"total"`
		} `json:"hits"`
		Aggregations struct {
			Names struct {
				Buckets []struct {
					Key   string `json:"key"`
					Count int64  `json:"doc_count"`
				} `json:"buckets"`
			} `json:"names"`
		} `json:"aggregations"`
	}
	if err := c.Query(ctx, []string{c.AliasOf(lore.Submissions)}, body, &answer); err != nil {
		return nil, 0, err
	}
	in = map[string]int64{}
	for _, bucket := range answer.Aggregations.Names.Buckets {
		in[bucket.Key] = bucket.Count
	}
	return in, answer.Hits.Total.Value, nil
}

// UnitsByName returns all active units of knowledge with their words, names and references, and nothing else of them.
// Errors: store_unavailable.
func (c *Client) UnitsByName(ctx context.Context) (units []lore.KnowledgeUnit, err error) {
	body := map[string]any{
		"query": Term("status", lore.UnitActive), "sort": ByID, "size": ChangePage,
		"_source": []string{
			"id", "summary", "content", "resolution", "names", "shared", "context", "asked", "signs", "wraps",
			"reference", "category", "ecosystem",
		},
	}
	err = eachHit(ctx, c, c.AliasOf(lore.KnowledgeUnits), body, ChangePage, func(page []Hit[lore.KnowledgeUnit]) error {
		units = append(units, sources(page)...)
		return nil
	})
	return units, err
}
