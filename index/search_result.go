package index

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"agentlore/lore"
)

// searchDocument is what the four searchable collections have in common.
type searchDocument struct {
	ID              string             `json:"id"`
	Summary         string             `json:"summary"`
	Category        lore.Category      `json:"category"`
	Ecosystem       words              `json:"ecosystem"`
	Tags            []string           `json:"tags"`
	Tier            lore.Tier          `json:"tier"`
	Confidence      *float64           `json:"confidence"`
	Status          string             `json:"status"`
	Ref             string             `json:"ref"`
	Entities        []string           `json:"entities"`
	CreatedAt       time.Time          `json:"created_at"`
	LastConfirmedAt *time.Time         `json:"last_confirmed_at"`
	Outcomes        *lore.Outcomes     `json:"outcomes"`
	Content         string             `json:"content"`
	Resolution      string             `json:"resolution"`
	Description     string             `json:"description"`
	Signature       []byte             `json:"signature"`
	Warnings        []lore.ItemWarning `json:"warnings"`
}

// words reads a string (a submission's ecosystem) or a list (the others').
type words []string

// UnmarshalJSON reads one word or a list of them.
func (w *words) UnmarshalJSON(data []byte) error {
	return (*lore.StringList)(w).UnmarshalJSON(data)
}

// A compact page of ten results stays below 8 kB: the item itself has everything.
const (
	compactSummary  = 200 // characters
	compactList     = 5   // tags, ecosystems, entities
	compactResult   = 420 // bytes of summary, lists, ref and snippet together, unless summary and ref alone need more
	minSnippet      = 80  // bytes; a shorter one says nothing
	maxSnippet      = 200 // bytes
	fullSnippet     = 300 // bytes, on detail=full
	maxEntityLength = 80  // a longer one, such as a transaction's signature, is shown on detail=full
)

// searchPage makes the page of results.
func (c *Client) searchPage(answer searchAnswer[searchDocument], asked search) lore.Page[lore.SearchHit] {
	page := lore.Page[lore.SearchHit]{
		Results: make([]lore.SearchHit, 0, asked.query.Limit), Total: answer.Hits.Total.Value, TotalRelation: answer.Hits.Total.Relation,
	}
	marker := asked.marker()
	hits := answer.Hits.Hits
	if asked.query.Newest && goesOn(len(hits), asked.query.Limit, asked.query.Offset, asked.query.Cursor, page.TotalRelation) {
		page.NextCursor = newCursor(asked.binding, hits[asked.query.Limit-1].Sort)
	}
	for _, found := range hits[:min(len(hits), asked.query.Limit)] {
		page.Results = append(page.Results, c.searchHit(found, asked, marker))
	}
	return page
}

// searchHit makes one result.
func (c *Client) searchHit(found hit[searchDocument], asked search, marker *marker) lore.SearchHit {
	document := found.Source
	result := lore.SearchHit{
		ID: document.ID, Type: c.typeOf(found.Index), Summary: document.Summary, Category: document.Category,
		Ecosystem: orEmpty(document.Ecosystem), Tags: orEmpty(document.Tags), Tier: document.Tier,
		Confidence: document.Confidence, Status: document.Status, Warnings: document.Warnings, Ref: document.Ref,
		Entities:  shownEntities(document.Entities, asked.entities),
		CreatedAt: document.CreatedAt, MatchedBy: asked.foundBy(found.Matched),
	}
	if found.Score != nil {
		result.Score = *found.Score
	}
	length := fullSnippet
	if asked.query.Full {
		result.Content, result.Resolution = document.Content, document.Resolution
		if result.Content == "" {
			result.Content = document.Description
		}
	} else {
		length = compact(&result)
	}
	result.Snippet = marker.snippet(length, document.Content, document.Resolution, document.Description)
	if asked.query.Explain && found.Score != nil {
		result.Explanation = found.Matched.explanation(asked.weightOf(result.Type))
		trust := trustOf(document, asked.now)
		result.Explanation.Trust = trust.parts()
		if found.Closeness != nil {
			maps.Copy(result.Explanation.Words, found.Closeness.parts())
			result.Explanation.Factor = trust.factor()
		}
		result.Explanation.Neighbours = found.Support
	}
	return result
}

// compact shortens what a result may do without, and returns how much room that leaves for its snippet.
func compact(result *lore.SearchHit) int {
	result.Summary = lore.CutAtWord(result.Summary, compactSummary)
	result.Tags = firstFew(result.Tags)
	result.Ecosystem = firstFew(result.Ecosystem)
	result.Entities = firstFew(slices.DeleteFunc(slices.Clone(result.Entities), func(entity string) bool { return len(entity) > maxEntityLength }))
	used := len(result.Summary) + len(result.Ref)
	for _, list := range [][]string{result.Tags, result.Ecosystem, result.Entities} {
		for _, text := range list {
			used += len(text) + len(`"",`)
		}
	}
	return max(minSnippet, min(maxSnippet, compactResult-used))
}

func firstFew(list []string) []string { return list[:min(len(list), compactList)] }

// shownEntities returns a result's entities, those that q names first.
func shownEntities(all, asked []string) []string {
	shown := make([]string, 0, len(all))
	for _, entity := range all {
		if slices.Contains(asked, entity) {
			shown = append(shown, entity)
		}
	}
	for _, entity := range all {
		if !slices.Contains(asked, entity) {
			shown = append(shown, entity)
		}
	}
	return shown
}

// matched is which clauses found a result, with the score of each where that was asked for.
type matched map[string]float64

// UnmarshalJSON reads the names alone, or an object of scores.
func (m *matched) UnmarshalJSON(data []byte) error {
	*m = matched{}
	if len(data) > 0 && data[0] == '{' {
		return json.Unmarshal(data, (*map[string]float64)(m))
	}
	var names []string
	err := json.Unmarshal(data, &names)
	for _, name := range names {
		(*m)[name] = 0
	}
	return err
}

// foundBy returns each layer that found a result once, the most exact first.
func (s search) foundBy(m matched) []string {
	found := []string{}
	for _, layer := range layers {
		for name := range m {
			if kindOf(name) == layer {
				found = append(found, layer)
				break
			}
		}
	}
	if len(found) == 0 && s.query.Text != "" && !s.severalLayers() {
		found = append(found, layerKeyword)
	}
	return found
}

// explanation sums what each layer added to a result of a type that weighs so much. Of what one misspelt word may stand for
// only the best counted; those clauses have names of three parts, the middle one being the word.
func (m matched) explanation(weight float64) *lore.Explanation {
	explained := &lore.Explanation{Words: map[string]float64{}, Factor: 1}
	type best struct {
		layer string
		score float64
	}
	either := map[string]best{}
	for name, score := range m {
		score *= weight
		layer := kindOf(name)
		parts := strings.Split(name, ".")
		if len(parts) < 3 {
			explained.Words[layer] += score
		} else if known, there := either[parts[1]]; !there || score > known.score {
			either[parts[1]] = best{layer, score}
		}
	}
	for _, b := range either {
		explained.Words[b.layer] += b.score
	}
	return explained
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
