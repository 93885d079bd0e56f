package index

import (
	"agentlore/lore"
)

// Weights of a search, in one place. Relevance comes from BM25 over the merged field "text" (summary three times,
// content, resolution, tags: copy_to repeats are term frequencies), which Lucene can skip through; see docs/search.md.
const (
	// entityBoost lets a document that names what q names exactly outrank all that only share words with it: BM25 over
	// at most 32 terms stays far below it.
	entityBoost = 1000
	// summaryBoost rewards words in the summary over words in a long content (design, part 4: + 0.005 nDCG@10).
	summaryBoost = 0.5
	// searchTotalUpTo is how many results of a search are counted; counting on would stop Lucene from skipping.
	searchTotalUpTo = 1000
	// snippetLength is the length of a snippet in characters.
	snippetLength = 200
)

// Marks around matched words in a snippet: plain text that survives JSON, terminals and Markdown.
const markOpen, markClose = "**", "**"

// Names of the layers that found a result, as Elasticsearch reports matched queries.
const (
	layerExact   = "exact"
	layerKeyword = "keyword"
)

// hiddenStatuses are left out of searches unless asked for by status.
var hiddenStatuses = []string{string(lore.UnitWithdrawn), string(lore.UnitSuperseded)}

// searchBody builds the query of a search.
func searchBody(query lore.SearchQuery, binding string) (map[string]any, error) {
	body := map[string]any{
		"query":            searchClauses(query),
		"size":             query.Limit + 1,
		"track_total_hits": searchTotalUpTo,
		"_source":          map[string]any{"includes": hitFields(query.Full)},
	}
	if query.Newest {
		body["sort"] = timeOrder(lore.SortNewest)
	} else {
		body["highlight"] = snippetRequest()
	}
	if query.Facets {
		body["aggs"] = map[string]any{
			"type": termsOf("_index", 20), "category": termsOf("category", 10),
			"ecosystem": termsOf("ecosystem", 20), "tier": termsOf("tier", 4),
		}
	}
	return body, startAt(body, query.Cursor, query.Offset, binding)
}

// searchClauses builds what must match and what counts.
func searchClauses(query lore.SearchQuery) map[string]any {
	clauses := map[string]any{"filter": filterClauses(query.Filter)}
	if query.Filter.Status == "" {
		clauses["must_not"] = []any{map[string]any{"terms": map[string]any{"status": hiddenStatuses}}}
	}
	if query.Text == "" {
		return map[string]any{"bool": clauses}
	}
	matches := []any{
		map[string]any{"match": map[string]any{"text": map[string]any{"query": query.Text, "_name": layerKeyword}}},
		map[string]any{"match": map[string]any{"summary": map[string]any{"query": query.Text, "boost": summaryBoost}}},
	}
	for _, entity := range lore.Entities(query.Text) {
		matches = append(matches, map[string]any{"constant_score": map[string]any{
			"filter": map[string]any{"term": map[string]any{"entities": entity}}, "boost": entityBoost, "_name": layerExact,
		}})
	}
	clauses["should"], clauses["minimum_should_match"] = matches, 1
	return map[string]any{"bool": clauses}
}

// hitFields are the stored fields that a result is made from.
func hitFields(full bool) []string {
	fields := []string{
		"id", "summary", "category", "type", "ecosystem", "tags", "tier", "confidence", "status", "ref", "entities", "created_at",
	}
	if full {
		fields = append(fields, "content", "resolution", "description")
	}
	return fields
}

// snippetRequest asks for the best passage of a result. The query runs on the merged field, the passage comes from
// where the words stand.
func snippetRequest() map[string]any {
	passage := map[string]any{"number_of_fragments": 1, "fragment_size": snippetLength}
	return map[string]any{
		"pre_tags": []string{markOpen}, "post_tags": []string{markClose}, "require_field_match": false,
		"max_analyzed_offset": 20_000,
		"fields":              map[string]any{"content": passage, "resolution": passage, "description": passage, "summary": passage},
	}
}
