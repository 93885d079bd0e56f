package search

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"agentlore/index"
	"agentlore/lore"
)

// A compact page of ten results stays below 8 kB: the item itself has everything.
const (
	compactSummary  = 200 // characters
	minResolution   = 160 // characters
	maxResolution   = 300
	compactList     = 5   // tags, ecosystems, entities
	compactResult   = 450 // bytes of all texts together, unless the shortest of each need more
	minSnippet      = 80  // bytes; a shorter one says nothing
	maxSnippet      = 200 // bytes
	fullSnippet     = 300 // bytes, on detail=full
	maxEntityLength = 80  // a longer one, such as a transaction's signature, is shown on detail=full
)

// render makes the result that a caller gets of the response and the hits of the page.
func (s *Searcher) render(q *query, response *searchResponse, hits []*searchHit) (result lore.SearchResult, err error) {
	total := response.Hits.Total
	result.Page = lore.Page[lore.SearchHit]{Results: make([]lore.SearchHit, 0, q.Limit), Total: total.Value, TotalRelation: total.Relation}
	result.Flagged = q.flagged
	if q.Newest && index.GoesOn(len(hits), q.Limit, q.Offset, q.Cursor, total.Relation) {
		result.NextCursor = index.NewCursor(q.binding, hits[q.Limit-1].Sort)
	}
	marker := newMarker(q)
	for _, hit := range hits[:min(len(hits), q.Limit)] {
		result.Results = append(result.Results, q.renderHit(hit, marker))
	}
	if q.Facets {
		result.Facets, err = s.facets(response)
	}
	return result, err
}

// renderHit makes one result.
func (q *query) renderHit(hit *searchHit, marker *marker) lore.SearchHit {
	document := &hit.Document
	result := lore.SearchHit{
		ID: document.ID, Type: hit.itemType, Summary: document.Summary, Category: document.Category,
		Ecosystem: orEmpty(document.Ecosystem), Tags: orEmpty(document.Tags), Tier: document.Tier, Score: math.Round(1000*hit.Score) / 1000,
		Confidence: document.Confidence, Status: document.Status, Warnings: document.Warnings, Ref: document.Ref,
		Entities: []string{}, CreatedAt: document.CreatedAt, MatchedBy: q.layersOf(hit),
	}
	for _, entity := range slices.Concat(q.entities, document.Entities) { // those that q names first
		if slices.Contains(document.Entities, entity) && !slices.Contains(result.Entities, entity) {
			result.Entities = append(result.Entities, entity)
		}
	}
	length := fullSnippet
	result.Resolution, result.Outcomes, result.LastConfirmedAt = document.Resolution, document.Outcomes, document.LastConfirmedAt
	result.Evident, result.FixWithheld, result.DetailWithheld = document.Evident, document.FixWithheld, document.DetailWithheld
	if result.Type == lore.TypeSubmission {
		result.SourceID, result.Standing = document.SourceID, document.Standing
	}
	shown := []string{document.Content, document.Resolution, document.Description}
	withheld := !q.Withheld && (document.FixWithheld != "" || document.DetailWithheld)
	if withheld { // what the detail says may be the same
		result.Resolution, shown = "", nil
	}
	result.Owners, result.Reports = cmp.Or(document.Owners, document.Evidence.Owners), cmp.Or(document.Reports, document.Evidence.Submissions)
	result.Reference, result.Alike = document.Reference, hit.alike
	if problem := cmp.Or(document.KnowledgeUnitID, document.PatternID); result.Type != lore.TypeKnowledgeUnit {
		result.ProblemID = problem
	}
	if q.Full {
		result.Content, result.Applies = cmp.Or(document.Content, document.Description), document.Applies
		result.Names, result.Asked = slices.Concat(document.Names, document.Shared), document.Asked
		if withheld {
			result.Content = ""
		}
	} else {
		result.Alternatives = nil
		length = compact(&result)
	}
	result.Snippet = marker.snippet(length, shown...)
	if q.Explain && !q.Newest {
		result.Explanation = q.explanation(hit)
	}
	return result
}

// compact shortens what a result may do without, and returns how much room that leaves for its snippet.
func compact(result *lore.SearchHit) int {
	firstFew := func(list []string) []string { return list[:min(len(list), compactList)] }
	result.Summary = lore.CutAtWord(result.Summary, compactSummary)
	result.Tags, result.Ecosystem = firstFew(result.Tags), firstFew(result.Ecosystem)
	result.Entities = firstFew(slices.DeleteFunc(result.Entities, func(entity string) bool { return len(entity) > maxEntityLength }))
	used := len(result.Summary) + len(result.Ref)
	for _, text := range slices.Concat(result.Tags, result.Ecosystem, result.Entities) {
		used += len(text) + len(`"",`)
	}
	result.Resolution = lore.CutAtWord(result.Resolution, max(minResolution, min(maxResolution, compactResult-used-minSnippet)))
	return max(minSnippet, min(maxSnippet, compactResult-used-len(result.Resolution)))
}

// orEmpty returns an empty list for nil, so that JSON shows [] and not null.
func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// layerOf returns the layer of a clause with a name.
func layerOf(name string) string {
	layer, _, _ := strings.Cut(name, ".")
	return layer
}

// layersOf returns each layer that found a result once, the most exact first.
func (q *query) layersOf(hit *searchHit) []string {
	found := []string{}
	for _, layer := range layers {
		for name := range hit.Matched {
			if layerOf(name) == layer && (layer != layerSemantic || hit.near) {
				found = append(found, layer)
				break
			}
		}
	}
	if q.Text != "" && !q.Explain && !q.severalLayers() && (q.vector == nil || hit.words) { // no clause of words has a name
		found = slices.Insert(found, 0, layerKeyword)
	}
	return found
}

// explanation says what a result's score is made of. Of what one word may stand for only the best counted; those clauses have names of
// three parts, the middle one being the word.
func (q *query) explanation(hit *searchHit) *lore.Explanation {
	trust := trustOf(&hit.Document, q.now)
	explained := &lore.Explanation{Words: map[string]float64{}, Trust: trust.parts(), Factor: 1, Neighbours: hit.boost}
	best := map[string]string{} // by word: its clause that counted
	for name, score := range hit.Matched {
		if parts := strings.Split(name, "."); name == layerSemantic { // in the features, by how near it is
			continue
		} else if len(parts) < 3 {
			explained.Words[layerOf(name)] += score * q.weightOf(hit.itemType)
		} else if known, there := best[parts[1]]; !there || score > hit.Matched[known] {
			best[parts[1]] = name
		}
	}
	for _, name := range best {
		explained.Words[layerOf(name)] += hit.Matched[name] * q.weightOf(hit.itemType)
	}
	if hit.reranked {
		maps.Copy(explained.Words, hit.features.parts())
		if q.vector != nil {
			explained.Words[layerSemantic] = hit.features.semantic
		}
		explained.Factor = trust.factor()
	}
	return explained
}

// facets reads the facets' counts; the index names of the type facet become types.
func (s *Searcher) facets(response *searchResponse) (map[string][]lore.FacetCount, error) {
	facets := make(map[string][]lore.FacetCount, len(response.Aggregations))
	for name, part := range response.Aggregations {
		counts, err := index.FacetCounts(part)
		if err != nil {
			return nil, err
		}
		if name == "type" {
			for i := range counts {
				counts[i].Value = string(s.typeOf(counts[i].Value))
			}
		}
		facets[name] = counts
	}
	return facets, nil
}
