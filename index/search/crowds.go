package search

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/index"
	"agentlore/lore"
)

// The reports of a crowd (see index.Client.Crowds) are one voice: they count as one document that has a word, take at
// most half of the places among the candidates, and support each other as one. Else whoever writes a thousand reports
// with the rare words of a unit would make those words frequent, and fill all places among the best results.

const (
	// commonFrom is how many documents must have a word for a crowd to matter: of fewer a few are hardly too many.
	commonFrom = 4
	// mostWeighed is how many words are weighed, the rarest: no other word of a long text tells something.
	mostWeighed = 100
	// crowdShare is the share of a word's documents from which on those of crowds are counted by sources: below, the
	// word is hardly rarer.
	crowdShare = 0.25
)

// weigh makes one document of all that a crowd has with a word. Errors: store_unavailable.
func (s *Searcher) weigh(ctx context.Context, counted frequencies, types []lore.ItemType) error {
	crowds, err := s.client.Crowds(ctx)
	if err != nil || len(crowds) == 0 {
		return err
	}
	var words []string
	for word, documents := range counted.words {
		if documents >= commonFrom {
			words = append(words, word)
		}
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Compare(counted.words[a], counted.words[b]) })
	words = words[:min(len(words), mostWeighed)]
	reports := []string{s.client.AliasOf(lore.Submissions)}
	theirs, err := s.countLive(ctx, reports, words, map[string]any{"filter": []any{index.OfSources(crowds)}})
	if err != nil {
		return err
	}
	words = slices.DeleteFunc(words, func(word string) bool {
		return float64(theirs[word].documents) < crowdShare*float64(counted.words[word])
	})
	// Of these the others' are counted anew: Elasticsearch's own count has each document that was written over once
	// more.
	others, err := s.countLive(ctx, s.searchAliases(types), words, map[string]any{"must_not": []any{index.OfSources(crowds)}})
	for _, word := range words {
		counted.words[word] = others[word].documents + theirs[word].sources
	}
	return err
}

// liveCount is how many documents have a word, and of how many sources they are.
type liveCount struct{ documents, sources int64 }

// countLive counts the documents that have each of some words and pass a clause, on the shard that all are counted on.
// Errors: store_unavailable.
func (s *Searcher) countLive(ctx context.Context, aliases, words []string, clause map[string]any) (map[string]liveCount, error) {
	if len(words) == 0 {
		return nil, nil
	}
	byWord := map[string]any{}
	for i, word := range words {
		byWord[strconv.Itoa(i)] = map[string]any{
			"filter": index.Term("words", word),
			"aggs":   map[string]any{"sources": map[string]any{"cardinality": map[string]any{"field": "source_id"}}},
		}
	}
	query := maps.Clone(clause)
	filter, _ := query["filter"].([]any)
	query["filter"] = append(slices.Clone(filter), index.TermsQuery("words", words))
	request := esapi.SearchRequest{
		Index: aliases, Routing: []string{countingRoute}, AllowPartialSearchResults: new(false), RequestCache: new(false), // it would keep the words
		Body: index.JSONBody(map[string]any{
			"size": 0, "track_total_hits": false, "timeout": searchTimeout, "aggs": byWord, "query": map[string]any{"bool": query},
		}),
	}
	var answer struct {
		Aggregations map[string]struct {
			Documents int64 `json:"doc_count"`
			Sources   struct {
				Number int64 `json:"value"`
			} `json:"sources"`
		} `json:"aggregations"`
	}
	if err := s.client.Do(ctx, request, &answer); err != nil {
		return nil, err
	}
	counts := make(map[string]liveCount, len(words))
	for i, word := range words {
		of := answer.Aggregations[strconv.Itoa(i)]
		counts[word] = liveCount{of.Documents, of.Sources.Number}
	}
	return counts, nil
}

// makeRoom notes which candidates for problems are of crowds. Where those are more than half, it searches without them
// for others in the place of the rest. Single results are left as they are: their pages must neither repeat nor skip.
// Errors: store_unavailable.
func (s *Searcher) makeRoom(ctx context.Context, q *query, response *searchResponse) error {
	crowds, err := s.client.Crowds(ctx)
	if err != nil || len(crowds) == 0 {
		return err
	}
	hits, most, theirs := response.Hits.Hits, q.window()/2, 0
	kept, there := make([]*searchHit, 0, len(hits)), map[string]bool{}
	for _, hit := range hits {
		if hit.itemType == lore.TypeSubmission && hit.Document.Ref == "" && slices.Contains(crowds, hit.Document.SourceID) {
			hit.crowd = hit.Document.SourceID
			theirs++
		}
		if hit.crowd == "" || theirs <= most {
			kept, there[hit.Document.ID] = append(kept, hit), true
		}
	}
	if theirs <= most || q.Filter.Status == lore.StatusFlagged {
		return nil
	}
	q.crowds, q.withoutFlagged = crowds, true
	others, err := s.findOnce(ctx, q)
	if err != nil {
		return err
	}
	for _, hit := range others.Hits.Hits {
		if !there[hit.Document.ID] {
			kept = append(kept, hit)
		}
	}
	slices.SortStableFunc(kept, func(a, b *searchHit) int { return cmp.Compare(b.Score, a.Score) })
	response.Hits.Hits = kept[:min(len(kept), len(hits))]
	return nil
}
