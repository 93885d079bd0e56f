package search

import (
	stdjson "encoding/json"
	"time"

	"agentlore/lore"
	"agentlore/terms"
)

// searchResponse is Elasticsearch's answer to a search. It is read whole: to pass over the texts that no page shows takes as long.
type searchResponse struct {
	Hits struct {
		Total struct {
			Value    int64  `json:"value"`
			Relation string `json:"relation"`
		} `json:"total"`
		Hits []*searchHit `json:"hits"`
	} `json:"hits"`
	Aggregations map[string]stdjson.RawMessage `json:"aggregations"`
}

// searchHit is one document of it, with what rank knows of it.
type searchHit struct {
	Index    string               `json:"_index"`
	Score    float64              `json:"_score"` // 0 in the order of time
	Sort     []stdjson.RawMessage `json:"sort"`
	Matched  map[string]float64   `json:"matched_queries"` // scores of the named clauses that found it
	Document searchDocument       `json:"_source"`

	signature terms.Signature
	reranked  bool
	features  rankFeatures
	boost     float64 // what its neighbours add to the score
	itemType  lore.ItemType
	words     bool    // found it, where it could be found by meaning too
	near      bool    // it is among the nearest in meaning
	nearness  float64 // the cosine; 0: unknown
	alike     int     // the other results of its problem
	crowd     string  // the crowd that wrote it; "": none
}

// searchDocument is what the four searchable collections have in common.
type searchDocument struct {
	ID              string             `json:"id"`
	Summary         string             `json:"summary"`
	Category        lore.Category      `json:"category"`
	Ecosystem       lore.StringList    `json:"ecosystem"` // a string of submissions, a list of the others
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
	Embedding       string             `json:"embedding"`
	EmbeddingModel  string             `json:"embedding_model"`
	Warnings        []lore.ItemWarning `json:"warnings"`
	Names           []string           `json:"names"`
	Shared          []string           `json:"shared"`
	Asked           []string           `json:"asked"`
	Applies         string             `json:"applies"`
	PatternID       string             `json:"pattern_id"`
	Follows         string             `json:"follows"`
	Supersedes      bool               `json:"supersedes"`
	KnowledgeUnitID string             `json:"knowledge_unit_id"`
	Evidence        lore.Evidence      `json:"evidence"`     // of knowledge units
	Reports         int                `json:"report_count"` // of patterns
	Owners          int                `json:"owner_count"`
	Reference       *lore.Reference    `json:"reference"`
	SourceID        string             `json:"source_id"`
	Standing        lore.Standing      `json:"standing"`
	FixWithheld     lore.Withheld      `json:"fix_withheld"`
	DetailWithheld  bool               `json:"detail_withheld"`
	lore.Evident
}
