package lore

import "time"

// Sort orders a list.
type Sort string

// The orders of a list. All have a cursor, since all go by stored values.
const (
	// SortNewest goes by when an item was submitted or first published; of patterns and knowledge units, by their first report.
	SortNewest Sort = "newest"
	SortOldest Sort = "oldest"
	// SortEvidence and SortTrending order patterns and knowledge units: by tier and Rank.Evidence, and by Rank.Trending.
	SortEvidence Sort = "evidence"
	SortTrending Sort = "trending"
	// SortStored is the order of an export: patterns and units by when they were made, so that new ones come last. SortMade is its
	// reverse, the order of a feed.
	SortStored Sort = "stored"
	SortMade   Sort = "made"
)

// MaxWindow is how deep offset paging reaches: Elasticsearch's own index.max_result_window. Deeper pages go by cursor.
const MaxWindow = 10_000

// Filter restricts a list or a search; zero values restrict nothing. Not every collection has every field: the handlers
// offer only those that do.
type Filter struct {
	Category  string
	Ecosystem string
	Tag       string
	Tier      int
	Type      string
	Kind      string
	Reason    string
	Status    string
	SourceID  string
	PatternID string
	FamilyID  string
	Follows   string
	Entity    string
	Severity  string
	RaisedBy  string
	TargetID  string
	Since     time.Time
	Until     time.Time
	// HideOpenLeaks leaves out open flags for a leak: they would lead readers to what is not yet removed.
	HideOpenLeaks bool
	// AskerID is a source that asked a question.
	AskerID string `json:",omitzero"`
	// Origin is where items come from; empty: anywhere.
	Origin Origin `json:",omitzero"`
	// Unflagged leaves out what agentlore itself warns of, as searches do.
	Unflagged bool `json:",omitzero"`
	// LapsedBefore leaves out open flags from before a time, but for agentlore's own: no operator decided on them in time. It
	// moves with the clock and is no part of what a cursor is bound to.
	LapsedBefore time.Time `json:"-"`
}

// Origin is where reports and knowledge come from.
type Origin string

// OriginAgents is what agents sent to this service, and what was made of it: neither imports nor the reference library.
const OriginAgents Origin = "agents"

// Writable returns the filter with bounds in time that JSON and Elasticsearch can write, in UTC, of the years 1970 to 9999, and that
// choose the same: nothing is stored before or after. A caller's own may have an offset of 24 hours, or leave year 9999 by theirs.
func (f Filter) Writable() Filter {
	first, last := time.Unix(0, 0).UTC(), time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC)
	for _, bound := range []*time.Time{&f.Since, &f.Until} {
		switch *bound = bound.UTC(); {
		case bound.IsZero():
		case bound.Before(first):
			*bound = first
		case bound.After(last):
			*bound = last
		}
	}
	return f
}

// ListQuery asks for a page of a collection.
type ListQuery struct {
	Filter Filter
	Sort   Sort
	Limit  int
	Offset int
	Cursor string
	// After starts the page after an item instead, in the order of Sort; a cursor comes before it.
	After *Position
	// MaxBytes bounds the items of the page, as JSON: it ends before the first one that has no room, and has one at least; 0: no bound.
	MaxBytes int
}

// Position is where an item stands in a list.
type Position struct {
	CreatedAt time.Time `json:"created_at"`
	ID        string    `json:"id"`
}

// Page is one page of a list.
type Page[T any] struct {
	Results       []T    `json:"results" nullable:"false" doc:"The items of this page"`
	Total         int64  `json:"total" doc:"Number of items over all pages; at least that many where total_relation is gte"`
	TotalRelation string `json:"total_relation" enum:"eq,gte" doc:"eq: total is exact; gte: there are at least that many"`
	NextCursor    string `json:"next_cursor,omitempty" doc:"Send it as cursor to get the next page; absent on the last one"`
}
