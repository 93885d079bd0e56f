package index

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"agentlore/lore"
)

// ActsOfWeek returns how many outcomes and flags some sources gave in the week that began at a time, but for those of the last second. Errors:
// store_unavailable.
func (c *Client) ActsOfWeek(ctx context.Context, sources []string, week time.Time) (int, error) {
	acts := 0
	for _, said := range []struct{ alias, by, at string }{
		{c.Alias(OutcomesIndex), "source_id", "at"}, {c.AliasOf(lore.SafetyFlags), "raised_by", "created_at"},
	} {
		bounds := map[string]any{"gte": week.Format(time.RFC3339), "lt": week.AddDate(0, 0, 7).Format(time.RFC3339)}
		count, err := c.Count(ctx, said.alias, map[string]any{"bool": map[string]any{"filter": []any{
			TermsQuery(said.by, sources), map[string]any{"range": map[string]any{said.at: bounds}},
		}}})
		if err != nil {
			return 0, err
		}
		acts += int(count)
	}
	return acts, nil
}

// ActsByWeek returns how many outcomes and flags some sources gave in each week in which there were any, since the one that began at a time, by
// the times at which they began. Errors: store_unavailable.
func (c *Client) ActsByWeek(ctx context.Context, sources []string, since time.Time) (map[time.Time]int, error) {
	weeks := map[time.Time]int{}
	for some := range slices.Chunk(sources, ChangePage) {
		for _, acts := range []struct{ alias, by, at string }{
			{c.Alias(OutcomesIndex), "source_id", "at"}, {c.AliasOf(lore.SafetyFlags), "raised_by", "created_at"},
		} {
			body := map[string]any{
				"size": 0, "track_total_hits": false,
				"query": map[string]any{"bool": map[string]any{"filter": []any{
					TermsQuery(acts.by, some), map[string]any{"range": map[string]any{acts.at: map[string]any{"gte": since.UTC().Format(time.RFC3339)}}},
				}}},
				"aggs": map[string]any{"weeks": map[string]any{"date_histogram": map[string]any{
					"field": acts.at, "calendar_interval": "week", "min_doc_count": 1,
				}}},
			}
			var answer SearchAnswer[struct{}]
			if err := c.Query(ctx, []string{acts.alias}, body, &answer); err != nil {
				return nil, fmt.Errorf("count acts: %w", err)
			}
			var found struct {
				Buckets []struct {
					Key   int64 `json:"key"`
					Count int   `json:"doc_count"`
				} `json:"buckets"`
			}
			if err := json.Unmarshal(answer.Aggregations["weeks"], &found); err != nil {
				return nil, fmt.Errorf("count acts: %w", err)
			}
			for _, bucket := range found.Buckets {
				weeks[time.UnixMilli(bucket.Key).UTC()] += bucket.Count
			}
		}
	}
	return weeks, nil
}
