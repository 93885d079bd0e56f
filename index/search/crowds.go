package search

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/index"
	"agentlore/lore"
)

// A crowd is a source that has written many reports of which hardly any was borne out by others. Whoever writes a thousand reports with the
// rare words of a unit would make those words frequent, and fill all places among the best results. So the reports of a crowd are one voice:
// they count as one document that has a word, take at most half of the places among the candidates, and support each other as one.
// An import's reports, which have a ref, are an operator's act and count each: their sources are no crowds.

const (
	// crowdFrom is how many reports a source may have before it is a crowd, for each of them that others bore out, and one.
	crowdFrom = 20
	// mostCrowds is how many sources are looked at, those with most reports first.
	mostCrowds = 1000
	// crowdsBelieved is how long a process believes who is a crowd: to ask takes 30 ms at a million reports.
	crowdsBelieved = 10 * time.Second
)

// crowds are the sources that are crowds, as this process knows them.
type crowds struct {
	mu      sync.Mutex
	sources []string
	at      time.Time
}

// crowdsNow returns the ids of the sources that are crowds. Errors: store_unavailable.
func (s *Searcher) crowdsNow(ctx context.Context) ([]string, error) {
	known := &s.crowds
	known.mu.Lock()
	defer known.mu.Unlock()
	if time.Since(known.at) < crowdsBelieved {
		return known.sources, nil
	}
	borneOut := map[string]any{"bool": map[string]any{"should": []any{
		index.Term("confirmed", true), map[string]any{"range": map[string]any{"tier": map[string]any{"gte": lore.TierValidated}}},
	}}}
	body := map[string]any{
		"size": 0, "track_total_hits": false, "query": map[string]any{"bool": map[string]any{"must_not": []any{imported}}},
		"aggs": map[string]any{"sources": map[string]any{
			"terms": map[string]any{"field": "source_id", "size": mostCrowds, "min_doc_count": crowdFrom + 1},
			"aggs":  map[string]any{"borne_out": map[string]any{"filter": borneOut}},
		}},
	}
	var answer struct {
		Aggregations struct {
			Sources struct {
				Buckets []struct {
					Source   string `json:"key"`
					Reports  int64  `json:"doc_count"`
					BorneOut struct {
						Reports int64 `json:"doc_count"`
					} `json:"borne_out"`
				} `json:"buckets"`
			} `json:"sources"`
		} `json:"aggregations"`
	}
	if err := s.client.Query(ctx, []string{s.client.AliasOf(lore.Submissions)}, body, &answer); err != nil {
		return nil, err
	}
	known.at, known.sources = time.Now(), nil
	for _, of := range answer.Aggregations.Sources.Buckets {
		if of.Reports > crowdFrom*(1+of.BorneOut.Reports) {
			known.sources = append(known.sources, of.Source)
		}
	}
	return known.sources, nil
}

// imported finds what an import brought.
var imported = map[string]any{"exists": map[string]any{"field": "ref"}}

// ofCrowds finds the reports of crowds.
func ofCrowds(crowds []string) map[string]any {
	return map[string]any{"bool": map[string]any{"filter": []any{index.TermsQuery("source_id", crowds)}, "must_not": []any{imported}}}
}

const (
	// commonFrom is how many documents must have a word for a crowd to matter: of fewer a few are hardly too many.
	commonFrom = 4
	// mostWeighed is how many words are weighed, the rarest: no other word of a long text tells something.
	mostWeighed = 100
	// crowdShare is the share of a word's documents from which on those of crowds are counted by sources: below, the word is hardly rarer.
	crowdShare = 0.25
)

// weigh makes one document of all that a crowd has with a word. Errors: store_unavailable.
func (s *Searcher) weigh(ctx context.Context, counted frequencies, types []lore.ItemType) error {
	crowds, err := s.crowdsNow(ctx)
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
	theirs, err := s.countLive(ctx, reports, words, map[string]any{"filter": []any{ofCrowds(crowds)}})
	if err != nil {
		return err
	}
	words = slices.DeleteFunc(words, func(word string) bool {
		return float64(theirs[word].documents) < crowdShare*float64(counted.words[word])
	})
	// Of these the others' are counted anew: Elasticsearch's own count has each document that was written over once more.
	others, err := s.countLive(ctx, s.searchAliases(types), words, map[string]any{"must_not": []any{ofCrowds(crowds)}})
	for _, word := range words {
		counted.words[word] = others[word].documents + theirs[word].sources
	}
	return err
}

// liveCount is how many documents have a word, and of how many sources they are.
type liveCount struct{ documents, sources int64 }

// countLive counts the documents that have each of some words and pass a clause, on the shard that all are counted on. Errors:
// store_unavailable.
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

// makeRoom notes which candidates for problems are of crowds. Where those are more than half, it searches without them for others in the
// place of the rest. Single results are left as they are: their pages must neither repeat nor skip. Errors: store_unavailable.
func (s *Searcher) makeRoom(ctx context.Context, q *query, response *searchResponse) error {
	crowds, err := s.crowdsNow(ctx)
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
