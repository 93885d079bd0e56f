package lore

import "time"

// Search limits; the query's come from the design (a longer one is a document, not a question).
const (
	MaxQueryLength = 512 // characters
	MaxQueryTerms  = 32
)

// SearchQuery asks for one page of results over the searchable collections.
type SearchQuery struct {
	Text    string
	Types   []ItemType // empty: all
	Filter  Filter
	Limit   int
	Offset  int
	Cursor  string
	Newest  bool // order by time instead of relevance; implied by an empty text
	Full    bool // with content and resolution
	Facets  bool
	Explain bool
}

// SearchHit is one result.
type SearchHit struct {
	ID         string    `json:"id" doc:"Id; read the whole item at the path of its type"`
	Type       ItemType  `json:"type" enum:"knowledge_unit,pattern,submission,asset" doc:"What it is"`
	Summary    string    `json:"summary" doc:"In one line"`
	Category   Category  `json:"category,omitempty" doc:"Category"`
	Ecosystem  []string  `json:"ecosystem" nullable:"false" doc:"Chains or networks"`
	Tags       []string  `json:"tags" nullable:"false" doc:"Tags"`
	Tier       Tier      `json:"tier,omitempty" doc:"1 raw, 2 corroborated, 3 validated, 4 canonical"`
	Score      float64   `json:"score" doc:"Relevance; comparable within one answer only"`
	Confidence *float64  `json:"confidence,omitempty" doc:"0 to 1, of knowledge units"`
	Status     string    `json:"status,omitempty" doc:"Its state, where it has one"`
	Ref        string    `json:"ref,omitempty" doc:"Where an imported observation came from"`
	Snippet    string    `json:"snippet,omitempty" doc:"The best passage, matched words between ** and **"`
	Entities   []string  `json:"entities" nullable:"false" doc:"What it names exactly; at most 10 unless detail=full"`
	CreatedAt  time.Time `json:"created_at" doc:"When it was stored, UTC"`
	MatchedBy  []string  `json:"matched_by" nullable:"false" doc:"Layers that found it: exact, keyword, fuzzy, partial"`
	Content    string    `json:"content,omitempty" doc:"Detail, on detail=full"`
	Resolution string    `json:"resolution,omitempty" doc:"What solved it, on detail=full"`

	Explanation map[string]float64 `json:"explanation,omitempty" doc:"Parts of the score, on explain=true"`
}

// FacetCount is how many results have one value.
type FacetCount struct {
	Value string `json:"value" doc:"The value"`
	Count int64  `json:"count" doc:"Results that have it"`
}

// SearchResult is one page of a search.
type SearchResult struct {
	Page[SearchHit]
	DidYouMean string
	Facets     map[string][]FacetCount
}
