package index

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"agentlore/lore"
)

// Acts are an index of what sources say of items, with its fields of who said it and when.
type Acts struct{ Alias, By, At string }

// Acts returns the indices of outcomes and flags.
func (c *Client) Acts() []Acts {
	return []Acts{{c.Alias(OutcomesIndex), "source_id", "at"}, {c.AliasOf(lore.SafetyFlags), "raised_by", "created_at"}}
}

// InWeek finds what some sources said in the week that began at a time.
func (a Acts) InWeek(sources []string, week time.Time) map[string]any {
	bounds := map[string]any{"gte": week.Format(time.RFC3339), "lt": week.AddDate(0, 0, 7).Format(time.RFC3339)}
	return map[string]any{"bool": map[string]any{"filter": []any{
		TermsQuery(a.By, sources), map[string]any{"range": map[string]any{a.At: bounds}},
	}}}
}

// ActsOfWeek returns how many outcomes and flags some sources gave in the week that began at a time, but for those of the last second. Errors:
// store_unavailable.
func (c *Client) ActsOfWeek(ctx context.Context, sources []string, week time.Time) (int, error) {
	made := 0
	for _, acts := range c.Acts() {
		count, err := c.Count(ctx, acts.Alias, acts.InWeek(sources, week))
		if err != nil {
			return 0, err
		}
		made += int(count)
	}
	return made, nil
}

// ActsByWeek returns how many outcomes and flags some sources gave in each week in which there were any, since the one that began at a time, by
// the times at which they began. Errors: store_unavailable.
func (c *Client) ActsByWeek(ctx context.Context, sources []string, since time.Time) (map[time.Time]int, error) {
	weeks := map[time.Time]int{}
	for some := range slices.Chunk(sources, ChangePage) {
		for _, acts := range c.Acts() {
			body := map[string]any{
				"size": 0, "track_total_hits": false,
				"query": map[string]any{"bool": map[string]any{"filter": []any{
					TermsQuery(acts.By, some), map[string]any{"range": map[string]any{acts.At: map[string]any{"gte": since.UTC().Format(time.RFC3339)}}},
				}}},
				"aggs": map[string]any{"weeks": map[string]any{"date_histogram": map[string]any{
					"field": acts.At, "calendar_interval": "week", "min_doc_count": 1,
				}}},
			}
			var answer SearchAnswer[struct{}]
			if err := c.Query(ctx, []string{acts.Alias}, body, &answer); err != nil {
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
