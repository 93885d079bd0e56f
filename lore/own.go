package lore

import (
	"cmp"
	"strings"
	"time"
)

// Withdrawal is what a source says to take one of its own submissions back.
type Withdrawal struct {
	ID  string `json:"id" scrub:"-" format:"uuid" doc:"Id of your submission"`
	Why string `json:"why,omitempty" maxLength:"2000" doc:"Why it must not be relied on"`
}

// Check returns what the schema's tags can't say.
func (w Withdrawal) Check() []FieldError { return checkText("/why", w.Why) }

// Normalise trims the reason.
func (w *Withdrawal) Normalise() { w.Why = strings.TrimSpace(w.Why) }

// Decision returns the withdrawal as it is recorded, beside those of operators.
func (w Withdrawal) Decision(submission Submission, now time.Time) Decision {
	return Decision{
		ID: NewID(), Subject: Target{Collection: Submissions, ID: submission.ID}, Verdict: VerdictWithdraw,
		Who: WhoIsSource(submission.SourceID), Why: cmp.Or(w.Why, "withdrawn by its source"), At: now.UTC().Truncate(time.Millisecond),
	}
}

// WhoIsSource returns whose a decision is that a source made of its own.
func WhoIsSource(sourceID string) string { return "source " + sourceID }

// Amendment is what a source changes of one of its submissions. What is absent stays; an empty text removes.
type Amendment struct {
	Summary    *string  `json:"summary,omitempty" minLength:"1" maxLength:"500" doc:"The observation in one line"`
	Category   Category `json:"category,omitempty" enum:"failure,insight,discovery,optimization,pattern,security,integration,operational,market,general" doc:"The most specific category that fits"`
	Content    *string  `json:"content,omitempty" maxLength:"20000" doc:"What happened in detail; empty removes it"`
	Resolution *string  `json:"resolution,omitempty" maxLength:"20000" doc:"What solved it; empty removes it"`
	Tags       []string `json:"tags,omitempty" maxItems:"20" nullable:"false" doc:"All tags, in place of those there are"`
	Ecosystem  *string  `json:"ecosystem,omitempty" maxLength:"64" doc:"The chain or network it is about; empty: none"`
	Usefulness *Rating  `json:"usefulness_score,omitempty" minimum:"1" maximum:"10" doc:"How useful you think this is, 1 to 10"`
}

// Check returns what the schema's tags can't say.
func (a Amendment) Check() []FieldError {
	changed := a.Apply(Submission{Summary: "stays"})
	return changed.Check()
}

// FollowUp is what a source adds to one of its submissions, as a report of its own. It has that one's summary, category, tags and ecosystem.
type FollowUp struct {
	ID         string  `json:"id" scrub:"-" format:"uuid" doc:"Id of your submission"`
	Content    *string `json:"content,omitempty" maxLength:"20000" doc:"What happened since, or in its place"`
	Resolution *string `json:"resolution,omitempty" maxLength:"20000" doc:"What solved it"`
	Supersedes bool    `json:"supersedes,omitempty" doc:"true: readers get this in place of the first; what is absent stays as the first says it"`
}

// Check returns what the schema's tags can't say.
func (f FollowUp) Check() []FieldError {
	if f.Content == nil && f.Resolution == nil {
		return []FieldError{{Pointer: "/content", Code: "required", Detail: "is required, or resolution: what has changed"}}
	}
	return Amendment{Content: f.Content, Resolution: f.Resolution}.Check()
}

// Apply returns what the follow-up of a submission says.
func (f FollowUp) Apply(first Submission) Observation {
	if !f.Supersedes {
		first.Content, first.Resolution = "", ""
	}
	if !isEcosystem(first.Ecosystem) { // as earlier versions stored it: a follow-up can't mend it
		first.Ecosystem = ""
	}
	return Amendment{Content: f.Content, Resolution: f.Resolution}.Apply(first)
}

// Version is what a submission said before it was amended.
type Version struct {
	Summary    string    `json:"summary" doc:"The observation in one line"`
	Content    string    `json:"content" doc:"Detail"`
	Resolution string    `json:"resolution" doc:"What solved it"`
	Until      time.Time `json:"until" doc:"When it was amended, UTC"`
}

// Apply returns what a submission says with the change.
func (a Amendment) Apply(stored Submission) Observation {
	said := Observation{
		Summary: stored.Summary, Category: cmp.Or(a.Category, stored.Category), Content: stored.Content, Resolution: stored.Resolution,
		Tags: stored.Tags, Ecosystem: stored.Ecosystem, Usefulness: stored.Usefulness, Ref: stored.Ref,
	}
	for _, part := range []struct {
		given *string
		field *string
	}{{a.Summary, &said.Summary}, {a.Content, &said.Content}, {a.Resolution, &said.Resolution}, {a.Ecosystem, &said.Ecosystem}} {
		if part.given != nil {
			*part.field = *part.given
		}
	}
	if a.Tags != nil {
		said.Tags = a.Tags
	}
	if a.Usefulness != nil {
		said.Usefulness = a.Usefulness
	}
	return said
}
