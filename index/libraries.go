package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"agentlore/lore"
)

// libraryGroups is how many groups there are at most: far more than ecosystems in use, times ten categories.
const libraryGroups = 10_000

// libraryBest is how many units a library shows.
const libraryBest = 3

// Libraries groups active knowledge units (tier 3 and 4) by ecosystem and category, with the most trusted ones of each
// group; the ecosystems and categories of which most is known come first. An empty ecosystem reads all of them. Errors: store_unavailable.
func (c *Client) Libraries(ctx context.Context, ecosystem string) ([]lore.Library, error) {
	composite := map[string]any{"size": libraryGroups, "sources": []any{
		map[string]any{"ecosystem": map[string]any{"terms": map[string]any{"field": "ecosystem", "missing_bucket": true}}},
		map[string]any{"category": map[string]any{"terms": map[string]any{"field": "category"}}},
	}}
	body := map[string]any{
		"size": 0,
		"query": map[string]any{"bool": map[string]any{"filter": append(
			FilterClauses(lore.Filter{Ecosystem: ecosystem, Status: string(lore.UnitActive)}),
			map[string]any{"range": map[string]any{"tier": map[string]any{"gte": lore.TierValidated}}},
		)}},
		"aggs": map[string]any{"groups": map[string]any{
			"composite": composite,
			"aggs": map[string]any{"best": map[string]any{"top_hits": map[string]any{
				"size":    libraryBest,
				"sort":    listOrder(lore.KnowledgeUnits, lore.SortEvidence),
				"_source": map[string]any{"excludes": PrivateFields},
			}}},
		}},
	}
	var answer struct {
		Aggregations struct {
			Groups libraryAnswer `json:"groups"`
		} `json:"aggregations"`
	}
	if err := c.Query(ctx, []string{c.AliasOf(lore.KnowledgeUnits)}, body, &answer); err != nil {
		return nil, fmt.Errorf("group knowledge: %w", err)
	}
	libraries := []lore.Library{}
	for _, group := range answer.Aggregations.Groups.Buckets {
		if ecosystem != "" && group.Key.Ecosystem != ecosystem {
			continue // a unit of several ecosystems falls into a group of each
		}
		best := []lore.KnowledgeUnit{}
		for _, hit := range group.Best.Hits.Hits {
			best = append(best, hit.Source)
		}
		libraries = append(libraries, lore.Library{Ecosystem: group.Key.Ecosystem, Category: group.Key.Category, Count: group.Count, Best: best})
	}
	sortLibraries(libraries)
	return libraries, nil
}

// sortLibraries sorts by the units of the ecosystem, then by those of the category.
func sortLibraries(libraries []lore.Library) {
	units := map[string]int64{}
	for _, library := range libraries {
		units[library.Ecosystem] += library.Count
	}
	slices.SortStableFunc(libraries, func(a, b lore.Library) int {
		return cmp.Or(cmp.Compare(units[b.Ecosystem], units[a.Ecosystem]), cmp.Compare(a.Ecosystem, b.Ecosystem), cmp.Compare(b.Count, a.Count))
	})
}

// libraryAnswer is the groups.
type libraryAnswer struct {
	Buckets []struct {
		Key struct {
			Ecosystem string        `json:"ecosystem"`
			Category  lore.Category `json:"category"`
		} `json:"key"`
		Count int64                            `json:"doc_count"`
		Best  SearchAnswer[lore.KnowledgeUnit] `json:"best"`
	} `json:"buckets"`
}
