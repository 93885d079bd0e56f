// Package search finds what the corpus says of a text: it parses a query, corrects its words, finds, ranks and renders.
package search

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/index"
	"agentlore/lore"
	"agentlore/terms"
)

// Searcher searches the corpus. It is safe for concurrent use.
type Searcher struct {
	client  *index.Client
	words   wordMemory
	vectors Vectors // nil: search knows words alone
}

// New returns a searcher of a client's indices.
func New(client *index.Client) *Searcher { return &Searcher{client: client, words: newWordMemory()} }

// Search returns one page of results over the searchable collections: it parses q, corrects its words, finds, ranks and renders. That is
// one request to Elasticsearch. Words of q that this process doesn't know take one before it, words unlike any of the corpus a second,
// and a corrected q takes one behind it. Results by problem know who is a crowd, which takes one every ten seconds. Errors: invalid_cursor, store_unavailable.
func (s *Searcher) Search(ctx context.Context, asked lore.SearchQuery) (lore.SearchResult, error) {
	binding := bindingOf(asked) // of what was asked: which words are searched by changes with the corpus
	text := asked.Text
	known, err := s.tellingWords(ctx, &asked)
	if err != nil {
		return lore.SearchResult{}, err
	}
	q := parse(asked, time.Now())
	q.binding = binding
	if err := s.correct(ctx, q); err != nil {
		return lore.SearchResult{}, err
	}
	s.embed(ctx, q, text)
	response, err := s.find(ctx, q)
	if q.doWithoutVector(ctx, err) {
		response, err = s.find(ctx, q)
	}
	if err != nil {
		return lore.SearchResult{}, err
	}
	if q.ByProblem {
		if err := s.makeRoom(ctx, q, response); err != nil {
			return lore.SearchResult{}, err
		}
	}
	if q.reranks() {
		q.rank(response.Hits.Hits)
	}
	hits := response.Hits.Hits
	switch {
	case q.ByProblem:
		hits = byProblem(hits)
		response.gathered(len(hits))
		fallthrough
	case q.reranks():
		hits = hits[min(q.Offset, len(hits)):min(q.Offset+q.Limit, len(hits))]
	}
	result, err := s.render(q, response, hits)
	if err != nil {
		return lore.SearchResult{}, err
	}
	result.Semantic = q.semantic
	result.DidYouMean = s.didYouMean(ctx, q)
	if q.Frequencies {
		result.Frequencies, result.Documents = known.words, known.documents
	}
	return result, nil
}

// rerankWindow is how many of the first results are put in order here. Those behind them keep order and score, and nothing
// here takes score away: pages by offset neither repeat nor skip at the edge. Problems are made of these results alone. Of sixty
// nDCG@10 is the same, for an eighth more of a search's time; of thirty it is 0.003 less on web3-dups.
const rerankWindow = 40

// window returns how many of the first results are put in order.
func (q *query) window() int {
	if q.vector != nil {
		return rerankWindow + nearest
	}
	return rerankWindow
}

// reranks reports whether the page is among the results that are put in order here.
func (q *query) reranks() bool { return !q.Newest && q.Offset < q.window() }

// searchRequest returns a request to the collections that a search is for.
func (s *Searcher) searchRequest(q *query, body map[string]any) esapi.SearchRequest {
	return esapi.SearchRequest{
		Index: s.searchAliases(q.Types), Body: index.JSONBody(body), AllowPartialSearchResults: new(false),
		// All pages of a query are read from the same copies, which may differ in the order of equal scores.
		Preference: "q" + strconv.FormatUint(uint64(terms.Checksum(q.Text)), 36),
	}
}

// searchUncached sends a search whose answer Elasticsearch doesn't cache: that would keep q's words there, whatever they are.
func (s *Searcher) searchUncached(ctx context.Context, q *query, body map[string]any, answer any) error {
	request := s.searchRequest(q, body)
	request.RequestCache = new(false)
	return s.client.Do(ctx, request, answer)
}

// searchAliases returns the aliases of the types asked for, all four when none is.
func (s *Searcher) searchAliases(types []lore.ItemType) []string {
	var aliases []string
	for _, searchable := range lore.SearchTypes() {
		if len(types) == 0 || slices.Contains(types, searchable.Type) {
			aliases = append(aliases, s.client.AliasOf(searchable.Collection))
		}
	}
	return aliases
}

// typeOf returns the item type that a concrete index holds.
func (s *Searcher) typeOf(index string) lore.ItemType {
	collection := s.client.CollectionOf(index)
	for _, searchable := range lore.SearchTypes() {
		if searchable.Collection == collection {
			return searchable.Type
		}
	}
	return ""
}
