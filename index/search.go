package index

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
)

// Search returns one page of results over the searchable collections, in one request to Elasticsearch, or in two where q
// has words that the corpus doesn't know. Errors: invalid_cursor, store_unavailable.
func (c *Client) Search(ctx context.Context, query lore.SearchQuery) (lore.SearchResult, error) {
	asked := newSearch(query, time.Now())
	answer, err := c.ask(ctx, asked)
	if err != nil {
		return lore.SearchResult{}, err
	}
	known, err := readVocabulary(answer.Suggest)
	if err != nil {
		return lore.SearchResult{}, err
	}
	if asked.spelling = newSpelling(asked.correctable(), known); len(asked.spelling) > 0 {
		if answer, err = c.ask(ctx, asked); err != nil {
			return lore.SearchResult{}, err
		}
	}
	result := lore.SearchResult{
		Page: c.searchPage(answer.searchAnswer, asked), DidYouMean: asked.spelling.didYouMean(query.Text, asked.words),
	}
	if query.Facets {
		if result.Facets, err = c.facets(answer.Aggregations); err != nil {
			return lore.SearchResult{}, err
		}
	}
	return result, nil
}

// ask sends a search's first request, or its second where the spelling is known.
func (c *Client) ask(ctx context.Context, asked search) (answer found, err error) {
	body, err := asked.body()
	if err != nil {
		return answer, err
	}
	text, err := encodeQuery(body)
	if err != nil {
		return answer, fmt.Errorf("encode query: %w", err)
	}
	partial := false
	request := esapi.SearchRequest{
		Index: c.searchAliases(asked.query.Types), Body: bytes.NewReader(text), AllowPartialSearchResults: &partial,
		// All pages of a query are read from the same copies, which may differ in the order of equal scores.
		// Elasticsearch has preferences of its own, which begin with _, as a binding may.
		Preference: "q" + asked.binding,
	}
	if asked.query.Explain {
		request.IncludeNamedQueriesScore = &asked.query.Explain
	}
	return answer, c.do(ctx, request, &answer)
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
