package lore

import (
	"strings"
	"time"
)

// Result is what came of using an item.
type Result string

// The results of using an item.
const (
	ResultWorked Result = "worked"
	ResultFailed Result = "failed"
	ResultUnsafe Result = "unsafe" // following it does harm
)

// Trial is what a source says after it used an item.
type Trial struct {
	Item
	Result Result `json:"outcome" enum:"worked,failed,unsafe" doc:"worked: it did what it says; failed: it did not; unsafe: following it does harm" example:"worked"`
	Note   string `json:"note,omitempty" maxLength:"2000" doc:"Under what circumstances: versions, chain, what was different"`
}

// Check returns what the schema's tags can't say.
func (t Trial) Check() []FieldError { return append(t.Item.Check(), checkText("/note", t.Note)...) }

// Normalise trims the note.
func (t *Trial) Normalise() { t.Note = strings.TrimSpace(t.Note) }

// Outcome is the last word of one source on one item. It is internal: the public sees counts.
type Outcome struct {
	// ID follows from source and target, so that a source has one word an item.
	ID       string    `json:"id"`
	Target   Target    `json:"target"`
	SourceID string    `json:"source_id"`
	Result   Result    `json:"outcome"`
	Note     string    `json:"note,omitempty"`
	At       time.Time `json:"at"` // of the last change, to the millisecond, UTC
}

// Outcome returns what is stored of a normalised trial, whose Target is known.
func (t Trial) Outcome(identity Identity, now time.Time) Outcome {
	target := *t.Target
	return Outcome{
		ID: OutcomeID(identity.SourceID, target), Target: target, SourceID: identity.SourceID,
		Result: t.Result, Note: t.Note, At: now.UTC().Truncate(time.Millisecond),
	}
}

// OutcomeID returns the id of a source's outcome on an item.
func OutcomeID(sourceID string, target Target) string {
	return DerivedID("outcome", sourceID, string(target.Collection), target.ID)
}
