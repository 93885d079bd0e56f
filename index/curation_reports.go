package index

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"agentlore/lore"
)

// reportFields are what a report is read with.
var reportFields = map[string]any{"excludes": []string{"embedding", "epoch", "scrubbed_kinds", "scrubbed_total", "scrubbed"}}

// UncuratedReports returns reports whose fingerprint isn't of the version, in order of id: those behind after, at most
// limit. With everything, it returns those that have one as well. A report that has none can't be missed, whenever it came.
func (c *Curation) UncuratedReports(ctx context.Context, version string, everything bool, after string, limit int) ([]lore.Report, error) {
	query := map[string]any{"match_all": map[string]any{}}
	if !everything {
		query = map[string]any{"bool": map[string]any{"must_not": []any{map[string]any{"prefix": map[string]any{"fingerprint": version + ":"}}}}}
	}
	return searchByID[lore.Report](ctx, c.client, c.client.aliasOf(lore.Submissions), query, reportFields, after, limit)
}

// CountReports returns how many reports there are, and how many of them have no fingerprint of the version.
func (c *Curation) CountReports(ctx context.Context, version string) (all, uncurated int64, err error) {
	body := map[string]any{
		"size": 0, "track_total_hits": true,
		"aggs": map[string]any{"curated": map[string]any{"filter": map[string]any{"prefix": map[string]any{"fingerprint": version + ":"}}}},
	}
	var answer searchAnswer[struct{}]
	if err := c.client.search(ctx, []string{c.client.aliasOf(lore.Submissions)}, body, &answer); err != nil {
		return 0, 0, fmt.Errorf("count reports: %w", err)
	}
	var curated struct {
		Count int64 `json:"doc_count"`
	}
	if err := json.Unmarshal(answer.Aggregations["curated"], &curated); err != nil {
		return 0, 0, fmt.Errorf("count reports: %w", err)
	}
	return answer.Hits.Total.Value, answer.Hits.Total.Value - curated.Count, nil
}

// Reports returns reports by id.
func (c *Curation) Reports(ctx context.Context, ids []string) (map[string]lore.Report, error) {
	return readByID[lore.Report](ctx, c.client, c.client.aliasOf(lore.Submissions), ids, "embedding", "epoch", "scrubbed_kinds", "scrubbed_total", "scrubbed")
}

// PatternsOf returns the pattern of each of the submissions that has one.
func (c *Curation) PatternsOf(ctx context.Context, ids []string) (map[string]string, error) {
	patterns := make(map[string]string, len(ids))
	for some := range slices.Chunk(ids, columnPage) {
		query := map[string]any{"bool": map[string]any{"filter": []any{termsQuery("id", some), map[string]any{"exists": map[string]any{"field": "pattern_id"}}}}}
		err := eachColumn(ctx, c.client, c.client.aliasOf(lore.Submissions), query, "pattern_id", func(id, pattern string) { patterns[id] = pattern })
		if err != nil {
			return nil, err
		}
	}
	return patterns, nil
}

// MembersOf returns the ids of the submissions of each of the patterns.
func (c *Curation) MembersOf(ctx context.Context, patterns []string) (map[string][]string, error) {
	members := map[string][]string{}
	for some := range slices.Chunk(patterns, changePage) {
		err := eachColumn(ctx, c.client, c.client.aliasOf(lore.Submissions), termsQuery("pattern_id", some), "pattern_id", func(id, pattern string) {
			members[pattern] = append(members[pattern], id)
		})
		if err != nil {
			return nil, err
		}
	}
	return members, nil
}

// ReportsOfSources returns the ids of the submissions of sources.
func (c *Curation) ReportsOfSources(ctx context.Context, sources []string) ([]string, error) {
	ids := []string{}
	for some := range slices.Chunk(sources, changePage) {
		err := eachColumn(ctx, c.client, c.client.aliasOf(lore.Submissions), termsQuery("source_id", some), "", func(id, _ string) { ids = append(ids, id) })
		if err != nil {
			return nil, err
		}
	}
	return ids, nil
}
