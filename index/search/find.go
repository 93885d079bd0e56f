package search

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"agentlore/index"
	"agentlore/lore"
	"agentlore/terms"
)

// Weights of what finds, in one place.
const (
	// entityBoost lets what names exactly what q names outrank all that only shares words with it. The words of the longest
	// q reach about 2,000 (32 terms at most 42 each, the rerank on top), times trustMax 4,000.
	entityBoost = 10_000
	// namedBoost lets what q names by a name of its own outrank what only has something that q names: a hundred entries name InstructionError,
	// three have the code beside it.
	namedBoost = 3 * entityBoost
	// entryWeight is what an asset's entry counts beside prose, unless it has all words of q. A word is rare among entries that
	// every second report has, so that one of eight words would put an entry before the reports that have six.
	entryWeight = 0.5
	// assetIDWeight puts the asset that an address or a chain's id belongs to before all that names it, however trusted that is: see trustMax.
	assetIDWeight = 3
	// maxAlternativesInAll is for all words of q together, each of which has its best one.
	maxAlternativesInAll = 24
	// searchTimeout ends a search in Elasticsearch itself, so that it doesn't work for a caller that was answered 503.
	searchTimeout = "5s"
	// searchTotalUpTo is how many results of a search are counted; counting on would stop Lucene from skipping.
	searchTotalUpTo = 1000
)

// Names of the clauses, as Elasticsearch reports matched queries. Some are layers of the interface specification.
const (
	layerExact   = "exact"
	layerKeyword = "keyword"
	layerFuzzy   = "fuzzy"
	layerPartial = "partial"
	// layerSemantic is what is near in meaning.
	layerSemantic = "semantic"
)

// layers are the kinds of clauses that find results, the most exact first.
var layers = []string{layerExact, layerKeyword, layerFuzzy, layerPartial, layerSemantic}

// hiddenStatuses are left out of searches unless asked for by status.
var hiddenStatuses = []string{string(lore.UnitWithdrawn), string(lore.UnitSuperseded), lore.StatusFlagged}

// find returns the hits that the page is among, and in q.flagged how many were left out because agentlore itself flagged them. Most
// searches find none of those: so they are asked for too, and again without them only where there are some. Errors: invalid_cursor,
// store_unavailable.
func (s *Searcher) find(ctx context.Context, q *query) (*searchResponse, error) {
	response, err := s.findOnce(ctx, q)
	if err != nil || q.withoutFlagged {
		return response, err
	}
	if q.Filter.Status == lore.StatusFlagged { // what an operator confirmed is asked for
		return response, nil
	}
	for _, hit := range response.Hits.Hits {
		if lore.LeavesOut(hit.Document.Warnings) {
			q.flagged++
		}
	}
	if q.flagged == 0 {
		return response, nil
	}
	q.withoutFlagged = true
	return s.findOnce(ctx, q)
}

func (s *Searcher) findOnce(ctx context.Context, q *query) (*searchResponse, error) {
	body, err := q.body()
	if err != nil {
		return nil, err
	}
	if weight := q.weightOf(lore.TypeAsset); weight != 1 {
		body["indices_boost"] = []any{map[string]any{s.client.AliasOf(lore.Assets): weight}}
	}
	request := s.searchRequest(q, body)
	// A word weighs by how rare it is in all shards of all types together: by itself, a small collection takes every word
	// of q for rare, and outranks the rest. On one shard Elasticsearch leaves the extra phase out.
	if q.vector == nil { // else it is so anyway, and must not be said
		request.SearchType = "dfs_query_then_fetch"
	}
	request.IncludeNamedQueriesScore = new(true)
	s.client.Skipped(ctx, q.Offset)
	response := new(searchResponse)
	if err := s.client.Do(ctx, request, response); err != nil {
		return nil, err
	}
	for _, hit := range response.Hits.Hits {
		hit.itemType, hit.signature = s.typeOf(hit.Index), terms.ReadSignature(hit.Document.Signature)
	}
	response.Hits.Hits = q.readNearness(response.Hits.Hits)
	return response, nil
}

// body builds the request for results.
func (q *query) body() (map[string]any, error) {
	matching := map[string]any{"filter": index.FilterClauses(q.Filter)}
	body := map[string]any{
		"query":            map[string]any{"bool": matching},
		"size":             q.Limit + 1, // the one too many tells whether a next page exists
		"track_total_hits": searchTotalUpTo,
		"timeout":          searchTimeout,
	}
	if q.Text != "" {
		matching["should"], matching["minimum_should_match"] = q.clauses(), 1
	}
	hidden := q.hidden()
	switch {
	case len(hidden) == 0:
	case q.Newest || q.Facets: // facets count before a filter behind the query
		matching["must_not"] = hidden
	default: // Lucene skips what can't be among the best of a query of words alone, and not beside a clause that must not match
		body["post_filter"] = map[string]any{"bool": map[string]any{"must_not": hidden}}
	}
	if len(q.crowds) > 0 {
		hidden, _ := matching["must_not"].([]any)
		matching["must_not"] = append(hidden, index.OfSources(q.crowds))
	}
	if q.Newest {
		body["sort"] = index.TimeOrder(lore.SortNewest)
	}
	if q.Facets {
		body["aggs"] = map[string]any{
			"type": index.TermsOf("_index", 20), "category": index.TermsOf("category", 10),
			"ecosystem": index.TermsOf("ecosystem", 20), "tier": index.TermsOf("tier", 4), "family": index.TermsOf("family_id", 10),
		}
	}
	if q.vector != nil {
		body["knn"] = q.nearestClause()
	}
	if q.reranks() {
		body["size"] = max(q.window(), q.Offset+q.Limit)
		return body, nil
	}
	return body, index.StartAt(body, q.Cursor, q.Offset, q.binding)
}

// hidden returns what results must not be.
func (q *query) hidden() []any {
	var clauses []any
	if q.Filter.Status == "" {
		clauses = append(clauses, index.TermsQuery("status", hiddenStatuses))
	}
	if q.withoutFlagged {
		clauses = append(clauses, index.TermsQuery("warnings.code", lore.LeftOutCodes()))
	}
	return clauses
}

// clauses builds what finds, the sum of which is a result's score.
func (q *query) clauses() []any {
	found := slices.Concat(q.wordClauses(), q.acronymClauses(), q.respeltClauses(), q.entryClauses())
	exact := func(i int, boost float64, filter map[string]any) {
		found = append(found, map[string]any{"constant_score": q.named(layerExact, i, map[string]any{"filter": filter, "boost": boost})})
	}
	if len(q.Named) > 0 {
		exact(len(q.entities), namedBoost, map[string]any{"ids": map[string]any{"values": q.Named}})
	}
	for i, entity := range q.entities {
		exact(i, entityBoost, index.Term("entities", entity))
	}
	if lore.IsAssetID(q.Text) { // a chain's id is the chain's before it is that of what runs on it
		chains := []any{index.Term("type", lore.TypeChain), index.TermsQuery("entities", q.entities)}
		exact(len(q.entities)+1, entityBoost/10, map[string]any{"bool": map[string]any{"filter": chains}})
	}
	return found
}

// wordClauses builds one match a weight over the words that are spelt as they should be: Lucene skips best through few lists of
// many terms.
func (q *query) wordClauses() []any {
	var clauses []any
	for i, weight := range []float64{1, partWeight, wholeWeight} {
		var texts []string
		for _, term := range q.terms {
			if term.weight == weight && term.acronym == nil && q.respelling(term) == nil {
				texts = append(texts, term.text)
			}
		}
		if len(texts) > 0 {
			clauses = append(clauses, q.match("text", strings.Join(texts, " "), weight, layerKeyword, i))
		}
	}
	return clauses
}

// acronymClauses builds a clause for each acronym: the name that a text says best counts.
func (q *query) acronymClauses() []any {
	var clauses []any
	for i, a := range q.acronyms {
		kind := layerKeyword + "." + a.short + strconv.Itoa(i) // explanations count the best of a kind
		other := q.match("text", a.short, shortWeight, kind, 1)
		if a.typedShort {
			phrase := map[string]any{"query": a.phrase, "slop": phraseSlop, "boost": longWeight}
			other = map[string]any{"match_phrase": map[string]any{"text": q.named(kind, 1, phrase)}}
		}
		clauses = append(clauses, bestOf(q.match("text", a.typed, 1, kind, 0), other))
	}
	return clauses
}

// respeltClauses builds a clause for each misspelt word, of what it may stand for; the best of it counts. A word that q repeats
// counts as often, in one clause.
func (q *query) respeltClauses() []any {
	weights := map[string]float64{}
	var words []string
	for _, term := range q.terms {
		if q.respelling(term) == nil || term.acronym != nil {
			continue
		}
		if weights[term.word] == 0 {
			words = append(words, term.word)
		}
		weights[term.word] += term.weight
	}
	var clauses []any
	for _, word := range words {
		var either []any
		r, weight := q.known[word].respelling, weights[word]
		near := func(i int) {
			either = append(either, q.match("text", r.near[i].Text, r.weight*weight, layerFuzzy+"."+word, i))
		}
		if len(r.near) > 0 {
			near(0)
		}
		if r.prefix != "" {
			either = append(either, q.match("prefixes", r.prefix, prefixWeight*weight, layerPartial+"."+word, 0))
		}
		// Also a word that no text has as it is: texts may have another form of it, of the same stem.
		either = append(either, q.match("text", word, weight, layerKeyword+"."+word, len(r.near)))
		for i := 1; i < len(r.near); i++ {
			near(i)
		}
		clauses = append(clauses, bestOf(either[:min(len(either), max(1, maxAlternativesInAll/len(words)))]...))
	}
	return clauses
}

// entryClauses builds the clause by which an asset that has all words of a short q counts in full: a name asks for what is called
// so. No other collection has the field.
func (q *query) entryClauses() []any {
	var names []string
	for _, term := range q.terms {
		if term.weight != partWeight {
			names = append(names, q.spelt(term))
		}
	}
	if len(names) == 0 || len(names) > shortQuestion {
		return nil
	}
	return []any{map[string]any{"match": map[string]any{
		"entry": q.named(layerKeyword, 3, map[string]any{"query": strings.Join(names, " "), "operator": "and"}), // wordClauses has the names before
	}}}
}

// weightOf returns what the words of a type's items count among those of the other types.
func (q *query) weightOf(itemType lore.ItemType) float64 {
	switch {
	case itemType != lore.TypeAsset || len(q.Types) == 1:
		return 1
	case lore.IsAssetID(q.Text):
		return assetIDWeight
	}
	return entryWeight
}

// match builds a clause that matches words in a field. Its analyzer leaves identifiers whole: their parts are terms of their own,
// where the index's analyzer would make them synonyms of the whole, with the frequency of the commonest of them.
func (q *query) match(field, text string, boost float64, kind string, i int) map[string]any {
	return map[string]any{"match": map[string]any{field: q.named(kind, i, map[string]any{"query": text, "boost": boost})}}
}

// named gives a clause a name, the i-th of its kind: of two clauses with one name Elasticsearch reports the last. Where the search
// doesn't report which clauses found a result it gives none, for to report it takes a third of a request.
func (q *query) named(kind string, i int, clause map[string]any) map[string]any {
	if q.Explain || q.severalLayers() {
		clause["_name"] = kind + "." + strconv.Itoa(i)
	}
	return clause
}

// severalLayers reports whether results may have been found by other layers than the words as they were typed.
func (q *query) severalLayers() bool {
	return len(q.entities)+len(q.Named) > 0 || slices.ContainsFunc(q.terms, func(term queryTerm) bool { return q.respelling(term) != nil })
}

// bestOf builds a clause of which the best of several counts.
func bestOf(clauses ...any) map[string]any {
	return map[string]any{"dis_max": map[string]any{"queries": clauses}}
}
