package index

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
)

// Search returns one page of results over the searchable collections, by one request to Elasticsearch; where q has words that
// this process doesn't know, another one before it asks what the corpus knows of them and what they may stand for, and where it
// knows nothing like some of them, a third.
// Errors: invalid_cursor, store_unavailable.
func (c *Client) Search(ctx context.Context, query lore.SearchQuery) (lore.SearchResult, error) {
	asked := newSearch(query, time.Now())
	answer, err := c.find(ctx, &asked)
	if err != nil {
		return lore.SearchResult{}, err
	}
	result := lore.SearchResult{
		Page: c.searchPage(answer, asked), DidYouMean: asked.spelling.didYouMean(query.Text, asked.words), Flagged: asked.flagged,
	}
	if query.Facets {
		if result.Facets, err = c.facets(answer.Aggregations); err != nil {
			return lore.SearchResult{}, err
		}
	}
	if result.DidYouMean != "" {
		if used, err := c.inUse(ctx, c.searchAliases(query.Types), asked.spelling.corrections()); err != nil || !used {
			result.DidYouMean = "" // the results are there without it
		}
	}
	return result, nil
}

// find returns the hits of a page with their documents, and completes the search by what it learns of the spelling. Words come
// before results, though one request could ask for both: much of what this process doesn't know is misspelt or cut short, and
// results found without the correction would be thrown away, for several times the work of asking for words.
func (c *Client) find(ctx context.Context, asked *search) (page searchAnswer[searchDocument], err error) {
	known, err := c.spell(ctx, asked)
	if err != nil {
		return page, err
	}
	var answer found
	defer answer.release()
	if err := c.ask(ctx, *asked, &answer); err != nil {
		return page, err
	}
	if asked.leavesOut() && !asked.clean {
		for _, one := range answer.Hits.Hits {
			if lore.LeavesOut(one.Source.Warnings) {
				asked.flagged++
			}
		}
	}
	if asked.flagged > 0 {
		asked.clean = true
		if err := c.ask(ctx, *asked, &answer); err != nil {
			return page, err
		}
	}
	hits := answer.Hits.Hits
	if asked.closer() {
		hits = asked.inOrder(hits, known)
	}
	page = answer.searchAnswer
	page.Hits.Hits, err = ownHits(hits)
	return page, err
}

// spell decides how the words of a search are spelt, and returns what is known of them. The corpus is asked for what this
// process doesn't remember.
func (c *Client) spell(ctx context.Context, asked *search) (known vocabulary, err error) {
	if asked.query.Text == "" {
		return known, nil
	}
	known = c.words.recall(asked)
	if len(asked.unsure) == 0 && !known.counted.IsZero() {
		return known, nil
	}
	if err := c.askWords(ctx, *asked, suggestions(*asked), &known); err != nil {
		return known, err
	}
	if lost := asked.lost(known); len(lost) > 0 {
		if err := c.askWords(ctx, *asked, farSuggestions(lost), &known); err != nil {
			return known, err
		}
	}
	asked.decide(known)
	c.words.remember(*asked, known)
	return known, nil
}

// askWords asks the corpus what it knows of words and, where the last time is a while ago, for how many documents there
// are: to count them takes a tenth of the request, and a request of its own as long as all of it.
func (c *Client) askWords(ctx context.Context, asked search, suggest map[string]any, known *vocabulary) error {
	body := map[string]any{"timeout": searchTimeout, "suggest": suggest}
	counts := time.Since(known.counted) > documentsBelieved
	if counts {
		body["query"] = map[string]any{"terms": map[string]any{"_index": c.searchAliases(proseOf(asked.query.Types))}}
		body["size"], body["track_total_hits"] = 0, true
	}
	request, err := c.searchRequest(asked, body)
	if err != nil {
		return err
	}
	kept := false // an answer in Elasticsearch's cache would keep q's words there, whatever they are
	request.RequestCache = &kept
	var answer suggested
	if err := c.Do(ctx, request, &answer); err != nil {
		return err
	}
	known.read(answer)
	if counts {
		known.documents, known.counted = answer.Hits.Total.Value, time.Now()
	}
	return nil
}

// ask asks for results.
func (c *Client) ask(ctx context.Context, asked search, answer *found) error {
	body, err := asked.body()
	if err != nil {
		return err
	}
	if weight := asked.weightOf(lore.TypeAsset); weight != 1 {
		body["indices_boost"] = []any{map[string]any{c.aliasOf(lore.Assets): weight}}
	}
	request, err := c.searchRequest(asked, body)
	if err != nil {
		return err
	}
	// A word weighs by how rare it is in all shards of all types together: by itself, a small collection takes every word
	// of q for rare, and outranks the rest. On one shard Elasticsearch leaves the extra phase out.
	request.SearchType = "dfs_query_then_fetch"
	if asked.query.Explain {
		request.IncludeNamedQueriesScore = &asked.query.Explain
	}
	return c.Do(ctx, request, answer)
}

// searchRequest returns a request to the collections that a search is for.
func (c *Client) searchRequest(asked search, body map[string]any) (esapi.SearchRequest, error) {
	text, err := encodeQuery(body)
	if err != nil {
		return esapi.SearchRequest{}, fmt.Errorf("encode query: %w", err)
	}
	partial := false
	return esapi.SearchRequest{
		Index: c.searchAliases(asked.query.Types), Body: bytes.NewReader(text), AllowPartialSearchResults: &partial,
		// All pages of a query are read from the same copies, which may differ in the order of equal scores.
		Preference: "q" + strconv.FormatUint(uint64(hashText(asked.query.Text)), 36),
	}, nil
}

// proseOf returns those of the types asked for whose documents judge how rare a word is. Assets count only where nothing else is
// asked for: an entry of a few words has hardly any of the words of prose, and many of them would make all of those look rare.
func proseOf(types []lore.ItemType) []lore.ItemType {
	var prose []lore.ItemType
	for _, searchable := range lore.SearchTypes() {
		if searchable.Type != lore.TypeAsset && (len(types) == 0 || slices.Contains(types, searchable.Type)) {
			prose = append(prose, searchable.Type)
		}
	}
	if len(prose) == 0 {
		return types
	}
	return prose
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
