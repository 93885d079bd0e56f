package lore

import "time"

// Events is the collection of what happened to items. Analysts read it in Kibana and by an export.
const Events Collection = "events"

// EventKind says what happened.
type EventKind string

// What happens.
const (
	EventOutcome EventKind = "outcome" // a source reported what came of using the item
	EventTier    EventKind = "tier"    // the item went from one tier to another
	EventStatus  EventKind = "status"  // the item's status changed
)

// Event is something that happened to an item. It has no word of anybody's, and no owner.
type Event struct {
	// ID follows from what happened, so that it is stored once.
	ID   string    `json:"id"`
	Kind EventKind `json:"kind"`
	// From and To are the tier or status before and after; From is empty for what is new. Of an outcome, To is the result.
	From      string   `json:"from,omitempty"`
	To        string   `json:"to"`
	Target    Target   `json:"target"`
	PatternID string   `json:"pattern_id,omitempty"`
	Category  Category `json:"category,omitempty"`
	Ecosystem []string `json:"ecosystem,omitempty"`
	// Source is who reported an outcome, Author whose submission it is on; a pattern or unit has no one author. Those are named that had
	// standing then.
	SourceID   string `json:"source_id,omitempty"`
	SourceName string `json:"source_name,omitempty"`
	AuthorID   string `json:"author_id,omitempty"`
	AuthorName string `json:"author_name,omitempty"`
	// Days is how many days after the item's first report it happened.
	Days      float64   `json:"days"`
	CreatedAt time.Time `json:"created_at"`
}

// After sets the days since the item's first report.
func (e Event) After(first time.Time) Event {
	e.Days = float64(int(e.CreatedAt.Sub(first).Hours()/24*100)) / 100
	return e
}
