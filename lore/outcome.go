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
	Target TrialTarget `json:"target" doc:"The item that was used"`
	Result Result      `json:"outcome" enum:"worked,failed,unsafe" doc:"worked: it did what it says; failed: it did not; unsafe: following it does harm" example:"worked"`
	Note   string      `json:"note,omitempty" maxLength:"2000" doc:"Under what circumstances: versions, chain, what was different"`
}

// TrialTarget names an item whose use has an outcome: a Target of one of the two collections that say what to do.
type TrialTarget struct {
	Collection Collection `json:"collection" enum:"submissions,knowledge-units" doc:"Collection of the item" example:"submissions"`
	ID         string     `json:"id" format:"uuid" doc:"Id of the item" example:"01a1fb67-1800-8116-8f2a-2f6a201e6cb9"`
}

// Check returns what the schema's tags can't say.
func (t Trial) Check() []FieldError { return checkText("/note", t.Note) }

// TextFields visits the note; it makes Trial a document of the scrubber.
func (t *Trial) TextFields(text func(string, *string), _ func(string, *[]string)) {
	text("note", &t.Note)
}

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

// Outcome returns what is stored of a normalised trial.
func (t Trial) Outcome(identity Identity, now time.Time) Outcome {
	target := Target(t.Target)
	return Outcome{
		ID: OutcomeID(identity.SourceID, target), Target: target, SourceID: identity.SourceID,
		Result: t.Result, Note: t.Note, At: now.UTC().Truncate(time.Millisecond),
	}
}

// OutcomeID returns the id of a source's outcome on an item.
func OutcomeID(sourceID string, target Target) string {
	return DerivedID("outcome", sourceID, string(target.Collection), target.ID)
}
