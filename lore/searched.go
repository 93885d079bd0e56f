package lore

import "time"

// Searched is one search as analysts see it: what was asked and what came of it, and nothing of who asked.
type Searched struct {
	CreatedAt time.Time `json:"created_at"`
	// Q is what was asked; it goes through the scrubber before it is stored.
	Q         string   `json:"q,omitempty"`
	Words     int      `json:"words"`
	Entities  []string `json:"entities,omitempty"`
	Type      ItemType `json:"type,omitempty"`
	Category  string   `json:"category,omitempty"`
	Ecosystem string   `json:"ecosystem,omitempty"`
	Sort      Sort     `json:"sort"`
	Offset    int      `json:"offset"`
	// Layers are those that found a result of the page.
	Layers    []string `json:"layers,omitempty"`
	Corrected bool     `json:"corrected"` // words of q were taken for misspelt
	Found     bool     `json:"found"`     // there is a result
	Results   int      `json:"results"`   // on the page
	Total     int64    `json:"total"`     // in all, counted to 1,000
	TookMS    int64    `json:"took_ms"`
	Scrubbed  bool     `json:"scrubbed"` // q was changed by the scrubber
}

// SortRelevance stands in Searched for the order that has no name of its own.
const SortRelevance Sort = "relevance"

// TextFields visits the client's own words; it makes Searched a document of the scrubber.
func (s *Searched) TextFields(text func(string, *string), _ func(string, *[]string)) {
	text("q", &s.Q)
	text("ecosystem", &s.Ecosystem)
}

// Normalise finds what the scrubbed text names.
func (s *Searched) Normalise() { s.Entities = Entities(s.Q) }
