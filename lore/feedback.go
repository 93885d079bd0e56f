package lore

import (
	"slices"
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
	// Revision is that of the words that were used.
	Revision string `json:"revision,omitempty" scrub:"-" maxLength:"16" doc:"Revision of the words that you used, as the answer gave it; where the item changed since, the answer is 409 changed"`
	Note     string `json:"note,omitempty" maxLength:"2000" doc:"Under what circumstances: versions, chain, what was different"`
	// QuestionID marks the item as what helped with that question.
	QuestionID string `json:"question,omitempty" scrub:"-" format:"uuid" doc:"Id of a question of yours that this helped with, where it worked: readers of the question see so"`
}

// Check returns what the schema's tags can't say.
func (t Trial) Check() []FieldError {
	faults := append(t.Item.Check(), checkText("/note", t.Note)...)
	if t.QuestionID != "" && t.Result != ResultWorked {
		faults = append(faults, FieldError{
			Pointer: "/question", Code: "not_worked",
			Detail: "goes with the outcome worked: leave it out of another one, which takes the mark back",
		})
	}
	return faults
}

// Normalise trims the note.
func (t *Trial) Normalise() { t.Note = strings.TrimSpace(t.Note) }

// Outcome is the last word of one source on one item. It is internal: the public sees counts.
type Outcome struct {
	// ID follows from source and target, so that a source has one word an item.
	ID       string `json:"id"`
	Target   Target `json:"target"`
	SourceID string `json:"source_id"`
	Result   Result `json:"outcome"`
	Note     string `json:"note,omitempty"`
	// QuestionID is the question of the source that this helped with; empty: it names none.
	QuestionID string `json:"question_id,omitempty"`
	// Words are those that it is about: it counts for them alone.
	Words
	At time.Time `json:"at"` // of the last change, to the millisecond, UTC
	// Before is what the source said before, oldest first, at most MaxEarlierWords: it counts again where a thief's word in its place is taken back.
	Before []EarlierWord `json:"before,omitempty"`
}

// MaxEarlierWords is how many earlier words of a source on an item are kept.
const MaxEarlierWords = 20

// EarlierWord is what a source had said of an item before its last word.
type EarlierWord struct {
	Result Result `json:"outcome"`
	Words
	At time.Time `json:"at"`
}

// Replaces notes what the source had said before, and returns the outcome.
func (o Outcome) Replaces(earlier Outcome) Outcome {
	before := append(slices.Clone(earlier.Before), EarlierWord{earlier.Result, earlier.Words, earlier.At})
	o.Before = before[max(0, len(before)-MaxEarlierWords):]
	return o
}

// Outcome returns what is stored of a normalised trial of words, whose Target is known.
func (t Trial) Outcome(identity Identity, words Words, now time.Time) Outcome {
	target := *t.Target
	return Outcome{
		ID: OutcomeID(identity.SourceID, target), Target: target, SourceID: identity.SourceID,
		Result: t.Result, Note: t.Note, QuestionID: t.QuestionID, Words: words, At: now.UTC().Truncate(time.Millisecond),
	}
}

// OutcomeID returns the id of a source's outcome on an item.
func OutcomeID(sourceID string, target Target) string {
	return DerivedID("outcome", sourceID, string(target.Collection), target.ID)
}

// SuggestionKind says what a suggestion asks for.
type SuggestionKind string

// The kinds of suggestions.
const (
	SuggestAsset      SuggestionKind = "asset"
	SuggestCategory   SuggestionKind = "category"
	SuggestCorrection SuggestionKind = "correction"
	SuggestMerge      SuggestionKind = "merge"
	SuggestFeature    SuggestionKind = "feature"
)

// SuggestionStatus says what became of a suggestion.
type SuggestionStatus string

// The states of a suggestion.
const (
	SuggestionOpen     SuggestionStatus = "open"
	SuggestionAccepted SuggestionStatus = "accepted"
	SuggestionRejected SuggestionStatus = "rejected"
)

// OriginSuggestion stands before a suggestion's id in the origin of the asset that was made from it.
const OriginSuggestion = "suggestion "

// Suggestion is a change that a source proposes; an operator decides on it.
type Suggestion struct {
	ID        string           `json:"id" scrub:"-" format:"uuid" doc:"Id of the suggestion"`
	SourceID  string           `json:"source_id" scrub:"-" format:"uuid" doc:"Who suggests it"`
	Kind      SuggestionKind   `json:"kind" enum:"asset,category,correction,merge,feature" doc:"What it asks for"`
	Target    *Target          `json:"target,omitempty" doc:"The item it is about"`
	Summary   string           `json:"summary" doc:"The suggestion in one line"`
	Content   string           `json:"content,omitempty" doc:"Detail"`
	Status    SuggestionStatus `json:"status" enum:"open,accepted,rejected" doc:"What became of it"`
	CreatedAt time.Time        `json:"created_at" doc:"When it was made, UTC"`
}

// Proposal is what a source says to suggest a change.
type Proposal struct {
	Kind SuggestionKind `json:"kind" enum:"asset,category,correction,merge,feature" doc:"What it asks for"`
	Item
	Summary string `json:"summary" minLength:"1" maxLength:"500" doc:"The suggestion in one line"`
	Content string `json:"content,omitempty" maxLength:"20000" doc:"Detail: for an asset its type, ecosystem, addresses and official address"`
}

// Check returns what the schema's tags can't say.
func (p Proposal) Check() []FieldError {
	faults := append(checkNotBlank("/summary", p.Summary), checkText("/content", p.Content)...)
	if p.Named() == "" && (p.Kind == SuggestCorrection || p.Kind == SuggestMerge || p.Item != Item{}) {
		faults = append(faults, p.Item.Check()...)
	}
	return faults
}

// Normalise trims the texts.
func (p *Proposal) Normalise() {
	p.Summary, p.Content = strings.TrimSpace(p.Summary), strings.TrimSpace(p.Content)
}

// Suggestion returns what is stored of a normalised proposal. The same words of one source are one suggestion.
func (p Proposal) Suggestion(sourceID string, now time.Time) Suggestion {
	target := Target{}
	if p.Target != nil {
		target = *p.Target
	}
	return Suggestion{
		ID:       DerivedID("suggestion", sourceID, string(p.Kind), string(target.Collection), target.ID, p.Summary, p.Content),
		SourceID: sourceID, Kind: p.Kind, Target: p.Target, Summary: p.Summary, Content: p.Content, Status: SuggestionOpen, CreatedAt: now,
	}
}
