package handlers

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"agentlore/handlers/mcp"
	"agentlore/lore"
	"agentlore/scrubber"
)

// Searcher searches the corpus.
type Searcher interface {
	// Search returns a page of results. Errors: invalid_cursor, store_unavailable.
	Search(ctx context.Context, query lore.SearchQuery) (lore.SearchResult, error)
	// Similar returns stored reports that seem to say what an observation says, those of the same words first. Errors:
	// store_unavailable.
	Similar(ctx context.Context, text scrubber.Scrubbed[lore.Observation], fingerprint string, limit int) ([]lore.Similar, error)
}

// SearchLog writes down what was searched for.
type SearchLog interface {
	// Add takes a search, unscrubbed; it never waits.
	Add(searched lore.Searched)
}

// maxRelevanceWindow is how deep relevance can be paged: scores move while documents arrive, so that deeper pages would
// repeat and skip.
const maxRelevanceWindow = 1000

type searchInput struct {
	Q  string `query:"q" maxLength:"512" doc:"What to look for: any text, whose first 40 words count, and of the rest those that are rare, and what it names exactly (addresses, hashes, selectors, standards); words may be misspelt. Empty lists the newest"`
	Of string `query:"type" enum:"knowledge,pattern,submission,asset,knowledge_unit,knowledge-units,patterns,submissions,assets" doc:"Only this type; plural and older spellings count too"`
	ItemFilter
	FamilyID string    `query:"family" format:"uuid" doc:"Only patterns and submissions of this family of problems"`
	Tier     int       `query:"tier" minimum:"1" maximum:"4" doc:"Only this tier"`
	Status   string    `query:"status" enum:"active,superseded,withdrawn,flagged,emerging,established,deprecated,sunset,exploited" doc:"Only this status; without it, withdrawn, superseded and flagged items are left out"`
	Sort     lore.Sort `query:"sort" enum:"relevance,newest" default:"relevance" doc:"newest has a cursor and can be read to the end"`
	Limit    int       `query:"limit" minimum:"1" maximum:"100" default:"10" doc:"Results a page"`
	Offset   int       `query:"offset" minimum:"0" maximum:"10000" default:"0" doc:"Results to leave out; offset + limit is at most 1,000 by relevance, 10,000 by time"`
	Cursor   string    `query:"cursor" maxLength:"512" doc:"next_cursor of the page before, with sort=newest; replaces offset"`
	Detail   string    `query:"detail" enum:"compact,full" default:"compact" doc:"full adds content and resolution"`
	Group    string    `query:"group" enum:"problem" doc:"problem: one result for all that are of one problem, of the best 40 by relevance; the default of the MCP tool"`
	Facets   bool      `query:"facets" doc:"Count results by type, category, ecosystem, tier and family"`
	Explain  bool      `query:"explain" doc:"Show what each score is made of"`
}

type searchBody struct {
	ListBody[lore.SearchHit]
	LeftOut    leftOut                      `json:"left_out" doc:"What was found and isn't shown"`
	Unnamed    []string                     `json:"unnamed,omitempty" doc:"What q names exactly, where it says nothing else and nothing stored has it: there are no results then"`
	DidYouMean string                       `json:"did_you_mean,omitempty" doc:"A likelier spelling of q; not given where q holds a secret"`
	Facets     map[string][]lore.FacetCount `json:"facets,omitempty" doc:"Counts by value, on facets=true"`
	Layers     map[string]lore.LayerState   `json:"layers" doc:"Search layers and their state in this search: active, reserved (not set up) or unavailable"`
	TookMS     int64                        `json:"took_ms" doc:"Time of the search in milliseconds"`
}

// leftOut counts what a search found and doesn't show.
type leftOut struct {
	Flagged int `json:"flagged" doc:"Items in which agentlore itself found instructions to their reader or a malicious address: among the best 40 by relevance, or of this page by time; not counted on later pages by offset. GET by id shows them, with warnings"`
}

// searchLayers are the layers of the interface specification. The semantic one is reserved unless an operator has set it up.
func searchLayers(semantic lore.LayerState) map[string]lore.LayerState {
	return map[string]lore.LayerState{"keyword": lore.LayerActive, "fuzzy": lore.LayerActive, "semantic": semantic}
}

func (s *server) search(ctx context.Context, input *searchInput) (*bodyOutput[searchBody], error) {
	started := s.Now()
	query, err := input.query()
	if err != nil {
		return nil, err
	}
	query.ByProblem = query.ByProblem || mcp.ArgumentsOf(ctx) != nil
	if query.Text != "" {
		known, err := s.Knowledge.Current(ctx)
		if err != nil {
			return nil, err
		}
		query.Named = known.Named(query.Text)
		if question, asks := known.Catalog.Read(query.Text, ""); asks {
			for _, asset := range question.Assets {
				query.Named = append(query.Named, asset.ID)
			}
		}
	}
	found, err := s.Searcher.Search(ctx, query)
	if err != nil {
		return nil, err
	}
	unnamed := unnamedBy(query, found)
	if len(unnamed) > 0 {
		found.Page, found.Facets = lore.Page[lore.SearchHit]{Results: []lore.SearchHit{}, TotalRelation: "eq"}, nil
	}
	if query.Full || query.Explain || query.Limit > 20 { // few results without detail have room
		if fits := fitting(ctx, found.Results); fits < len(found.Results) {
			query.Limit = fits
			found.Results = found.Results[:fits]
			if query.Newest { // asked for again, so that its cursor is right
				if found, err = s.Searcher.Search(ctx, query); err != nil {
					return nil, err
				}
			}
		}
	}
	took := s.Now().Sub(started).Milliseconds()
	if s.SearchLog != nil {
		s.SearchLog.Add(searchedFor(query, found, started, took))
	}
	s.Recorder.Searched(layersOf(found.Results))
	if found.DidYouMean != "" && !s.Scrubber.Clean(query.Text) {
		found.DidYouMean = "" // it repeats q, and a secret in q is not echoed; a correction may have made it unknowable
	}
	return &bodyOutput[searchBody]{searchBody{
		ListBody: ListBody[lore.SearchHit]{Page: found.Page, Limit: query.Limit, Offset: query.Offset, ContentTrust: untrusted},
		LeftOut:  leftOut{found.Flagged}, Unnamed: unnamed, DidYouMean: found.DidYouMean, Facets: found.Facets, Layers: searchLayers(found.Semantic), TookMS: took,
	}}, nil
}

// numbered are standards and advisories, addresses and hashes: what is not stored under them is about another one.
var numbered = regexp.MustCompile(`^(?:[A-Z]{2,8}-[0-9A-Za-z-]+|0x[0-9a-fA-F]{8,})$`)

// unnamedBy returns what a query names exactly if it says nothing else and nothing was found that has it: an EIP's number has words that
// seven hundred documents share.
func unnamedBy(query lore.SearchQuery, found lore.SearchResult) []string {
	named := lore.Entities(query.Text)
	if query.Newest || query.Offset > 0 || len(named) == 0 || len(strings.Fields(query.Text)) > len(named) {
		return nil
	}
	if slices.ContainsFunc(named, func(entity string) bool { return !numbered.MatchString(entity) }) { // an error's name may be misspelt
		return nil
	}
	if slices.ContainsFunc(found.Results, func(hit lore.SearchHit) bool { return slices.Contains(hit.MatchedBy, "exact") }) {
		return nil
	}
	return named
}

// searchedFor returns what a search was and what came of it.
func searchedFor(query lore.SearchQuery, found lore.SearchResult, at time.Time, took int64) lore.Searched {
	searched := lore.Searched{
		CreatedAt: at.UTC().Truncate(time.Millisecond), Q: query.Text, Words: len(strings.Fields(query.Text)), Category: query.Filter.Category,
		Ecosystem: query.Filter.Ecosystem, Sort: lore.SortRelevance, Offset: query.Offset, Corrected: found.DidYouMean != "",
		Found: len(found.Results) > 0, Results: len(found.Results), Total: found.Total, TookMS: took, Layers: layersOf(found.Results),
	}
	if query.Newest {
		searched.Sort = lore.SortNewest
	}
	if len(query.Types) == 1 {
		searched.Type = query.Types[0]
	}
	return searched
}

// layersOf returns the layers that found something, each once.
func layersOf(hits []lore.SearchHit) (layers []string) {
	for _, hit := range hits {
		for _, layer := range hit.MatchedBy {
			if !slices.Contains(layers, layer) {
				layers = append(layers, layer)
			}
		}
	}
	return layers
}

// query returns what to search for.
func (i *searchInput) query() (lore.SearchQuery, error) {
	query := lore.SearchQuery{
		Text: lore.QueryText(i.Q), Filter: queryOf(*i).Filter, Limit: i.Limit, Offset: i.Offset, Cursor: i.Cursor,
		Newest: i.Sort == lore.SortNewest, Full: i.Detail == "full", Facets: i.Facets, Explain: i.Explain, ByProblem: i.Group == "problem",
	}
	if i.Of != "" {
		query.Types = []lore.ItemType{lore.ItemTypeOf(i.Of)}
	}
	if query.Newest = query.Newest || query.Text == ""; query.Newest {
		return query, checkDepth(i.Limit, i.Offset, i.Cursor, lore.MaxWindow, useCursor)
	}
	if i.Cursor != "" {
		return query, &lore.Problem{
			Code: lore.CodeInvalidCursor, Detail: "results by relevance have no cursor: use offset, or sort=newest with its cursor",
		}
	}
	return query, checkDepth(i.Limit, i.Offset, "", maxRelevanceWindow, "ask more precisely, or read all with sort=newest and its next_cursor")
}
