package index

import (
	"context"
	"fmt"

	"agentlore/lore"
)

// topCount is how many tags and entities analytics names.
const topCount = 20

// Analytics counts submissions by what they say, and sources by their type, in two searches of size 0. The filter's
// Since, Until and Ecosystem apply to submissions. Errors: store_unavailable.
func (c *Client) Analytics(ctx context.Context, filter lore.Filter) (lore.Analytics, error) {
	aggregations := map[string]any{
		"category":  TermsOf("category", len(lore.Categories())),
		"tier":      TermsOf("tier", 4),
		"ecosystem": TermsOf("ecosystem", 50),
		"tags":      TermsOf("tags", topCount),
		"entities":  TermsOf("entities", topCount),
		"day": map[string]any{"date_histogram": map[string]any{
			"field": "created_at", "calendar_interval": "day", "format": "yyyy-MM-dd", "min_doc_count": 1,
		}},
		"scrubbed": map[string]any{"terms": map[string]any{"field": "scrubbed_kinds", "size": 50}},
	}
	submissions, err := c.aggregate(ctx, lore.Submissions, filter, aggregations)
	if err != nil {
		return lore.Analytics{}, err
	}
	sources, err := c.aggregate(ctx, lore.Sources, lore.Filter{}, map[string]any{"type": TermsOf("type", 10)})
	if err != nil {
		return lore.Analytics{}, err
	}
	return lore.Analytics{
		Submissions: submissions.total,
		ByCategory:  submissions.counts["category"], ByTier: submissions.counts["tier"],
		ByEcosystem: submissions.counts["ecosystem"], ByDay: submissions.counts["day"],
		TopTags: submissions.counts["tags"], TopEntities: submissions.counts["entities"],
		Scrubbed: submissions.counts["scrubbed"], BySourceType: sources.counts["type"],
	}, nil
}

// CategoryCounts returns the number of submissions of each category that has any. Errors: store_unavailable.
func (c *Client) CategoryCounts(ctx context.Context) ([]lore.FacetCount, error) {
	found, err := c.aggregate(ctx, lore.Submissions, lore.Filter{}, map[string]any{"category": TermsOf("category", len(lore.Categories()))})
	return found.counts["category"], err
}

// aggregated is what a search of size 0 found.
type aggregated struct {
	total  int64
	counts map[string][]lore.FacetCount
}

// aggregate runs aggregations over the filtered documents of a collection.
func (c *Client) aggregate(ctx context.Context, collection lore.Collection, filter lore.Filter, aggregations map[string]any) (aggregated, error) {
	body := map[string]any{
		"size": 0, "track_total_hits": true, "aggs": aggregations,
		"query": map[string]any{"bool": map[string]any{"filter": FilterClauses(filter)}},
	}
	var answer SearchAnswer[struct{}]
	if err := c.Query(ctx, []string{c.AliasOf(collection)}, body, &answer); err != nil {
		return aggregated{}, fmt.Errorf("aggregate %s: %w", collection, err)
	}
	result := aggregated{total: answer.Hits.Total.Value, counts: make(map[string][]lore.FacetCount, len(answer.Aggregations))}
	for name, part := range answer.Aggregations {
		counts, err := FacetCounts(part)
		if err != nil {
			return aggregated{}, err
		}
		result.counts[name] = counts
	}
	return result, nil
}
