package index

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"agentlore/lore"
)

// Search returns one page of results over the searchable collections. Errors: invalid_cursor, store_unavailable.
func (c *Client) Search(ctx context.Context, query lore.SearchQuery) (lore.SearchResult, error) {
	if query.Text == "" {
		query.Newest = true
	}
	binding := bindingOf("search", query.Text, query.Types, query.Filter, query.Newest)
	body, err := searchBody(query, binding)
	if err != nil {
		return lore.SearchResult{}, err
	}
	var answer searchAnswer[searchDocument]
	if err := c.search(ctx, c.searchAliases(query.Types), body, &answer); err != nil {
		return lore.SearchResult{}, err
	}
	result := lore.SearchResult{Page: c.searchPage(answer, query, binding)}
	if query.Facets {
		if result.Facets, err = c.facets(answer.Aggregations); err != nil {
			return lore.SearchResult{}, err
		}
	}
	return result, nil
}

// searchAliases returns the aliases of the types asked for, all four when none is.
func (c *Client) searchAliases(types []lore.ItemType) []string {
	var aliases []string
	for _, searchable := range lore.SearchTypes() {
		if len(types) == 0 || slices.Contains(types, searchable.Type) {
			aliases = append(aliases, c.aliasOf(searchable.Collection))
		}
	}
	return aliases
}

// typeOf returns the item type that a concrete index holds.
func (c *Client) typeOf(index string) lore.ItemType {
	collection := c.collectionOf(index)
	for _, searchable := range lore.SearchTypes() {
		if searchable.Collection == collection {
			return searchable.Type
		}
	}
	return ""
}

// searchDocument is what the four searchable collections have in common.
type searchDocument struct {
	ID          string        `json:"id"`
	Summary     string        `json:"summary"`
	Category    lore.Category `json:"category"`
	Ecosystem   words         `json:"ecosystem"`
	Tags        []string      `json:"tags"`
	Tier        lore.Tier     `json:"tier"`
	Confidence  *float64      `json:"confidence"`
	Status      string        `json:"status"`
	Ref         string        `json:"ref"`
	Entities    []string      `json:"entities"`
	CreatedAt   time.Time     `json:"created_at"`
	Content     string        `json:"content"`
	Resolution  string        `json:"resolution"`
	Description string        `json:"description"`
}

// words reads a string (a submission's ecosystem) or a list (the others').
type words []string

func (w *words) UnmarshalJSON(data []byte) error {
	return (*lore.StringList)(w).UnmarshalJSON(data)
}

// maxEntitiesShown keeps compact results compact; the item itself has all of them.
const maxEntitiesShown = 10

// searchPage makes the page of results.
func (c *Client) searchPage(answer searchAnswer[searchDocument], query lore.SearchQuery, binding string) lore.Page[lore.SearchHit] {
	page := lore.Page[lore.SearchHit]{
		Results: make([]lore.SearchHit, 0, query.Limit), Total: answer.Hits.Total.Value, TotalRelation: answer.Hits.Total.Relation,
	}
	for i, found := range answer.Hits.Hits {
		if i == query.Limit {
			if query.Newest {
				page.NextCursor = newCursor(binding, answer.Hits.Hits[i-1].Sort)
			}
			break
		}
		page.Results = append(page.Results, c.searchHit(found, query.Full))
	}
	return page
}

// searchHit makes one result.
func (c *Client) searchHit(found hit[searchDocument], full bool) lore.SearchHit {
	document := found.Source
	result := lore.SearchHit{
		ID: document.ID, Type: c.typeOf(found.Index), Summary: document.Summary, Category: document.Category,
		Ecosystem: orEmpty(document.Ecosystem), Tags: orEmpty(document.Tags), Tier: document.Tier,
		Confidence: document.Confidence, Status: document.Status, Ref: document.Ref, Entities: orEmpty(document.Entities),
		CreatedAt: document.CreatedAt, MatchedBy: matchedLayers(found.Matched), Snippet: snippetOf(found.Highlight),
	}
	if found.Score != nil {
		result.Score = *found.Score
	}
	if full {
		result.Content, result.Resolution = document.Content, document.Resolution
		if result.Content == "" {
			result.Content = document.Description
		}
	} else if len(result.Entities) > maxEntitiesShown {
		result.Entities = result.Entities[:maxEntitiesShown]
	}
	return result
}

// matchedLayers returns each layer that found a result once, exact first.
func matchedLayers(matched []string) []string {
	layers := orEmpty(slices.Compact(slices.Sorted(slices.Values(matched))))
	return layers
}

// snippetOf returns the passage to show: from the detail if it matched there, since the summary is shown anyway.
func snippetOf(passages map[string][]string) string {
	for _, field := range []string{"content", "resolution", "description"} {
		if found := passages[field]; len(found) > 0 {
			return found[0]
		}
	}
	return ""
}

// facets reads the facets' counts; the index names of the type facet become types.
func (c *Client) facets(answer map[string]json.RawMessage) (map[string][]lore.FacetCount, error) {
	facets := make(map[string][]lore.FacetCount, len(answer))
	for name, part := range answer {
		counts, err := facetCounts(part)
		if err != nil {
			return nil, err
		}
		if name == "type" {
			for i := range counts {
				counts[i].Value = string(c.typeOf(counts[i].Value))
			}
		}
		facets[name] = counts
	}
	return facets, nil
}

// orEmpty returns an empty list for nil, so that JSON shows [] and not null.
func orEmpty[S ~[]E, E any](list S) []E {
	if list == nil {
		return []E{}
	}
	return list
}
