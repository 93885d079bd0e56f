package lore

import (
	"strings"
	"time"
)

// FlagReason says what is wrong with a flagged item.
type FlagReason string

// The reasons to flag an item.
const (
	FlagInjection        FlagReason = "injection"
	FlagLeak             FlagReason = "leak"
	FlagMaliciousAddress FlagReason = "malicious_address"
	FlagIncorrect        FlagReason = "incorrect"
	FlagStale            FlagReason = "stale"
	FlagDuplicate        FlagReason = "duplicate"
	FlagSpam             FlagReason = "spam"
)

// Severity says how much harm a flagged item can do.
type Severity string

// The severities, least first.
const (
	SeverityLow      Severity = "low"
	SeverityMedium   Severity = "medium"
	SeverityHigh     Severity = "high"
	SeverityCritical Severity = "critical"
)

// FlagStatus says what became of a flag.
type FlagStatus string

// The states of a flag. Confirming and dismissing are an operator's acts.
const (
	FlagOpen      FlagStatus = "open"
	FlagConfirmed FlagStatus = "confirmed"
	FlagDismissed FlagStatus = "dismissed"
)

// RaisedByAgentlore stands in raised_by for flags that agentlore itself raised; others hold a source's id.
const RaisedByAgentlore = "agentlore"

// SafetyFlag warns of an item.
type SafetyFlag struct {
	ID        string     `json:"id" format:"uuid" doc:"Id of the flag"`
	Target    Target     `json:"target" doc:"The flagged item"`
	Reason    FlagReason `json:"reason" enum:"injection,leak,malicious_address,incorrect,stale,duplicate,spam" doc:"What is wrong with it"`
	Severity  Severity   `json:"severity" enum:"low,medium,high,critical" doc:"How much harm it can do"`
	RaisedBy  string     `json:"raised_by" doc:"Id of the source that raised it, or agentlore"`
	Note      string     `json:"note,omitempty" doc:"Why"`
	Status    FlagStatus `json:"status" enum:"open,confirmed,dismissed" doc:"What became of it"`
	CreatedAt time.Time  `json:"created_at" doc:"When it was raised, UTC"`
}

// Warning is what a source says to flag an item.
type Warning struct {
	Target   Target     `json:"target" doc:"The item to warn of"`
	Reason   FlagReason `json:"reason" enum:"injection,leak,malicious_address,incorrect,stale,duplicate,spam" doc:"What is wrong with it; leak: the item is scanned again at once"`
	Severity Severity   `json:"severity,omitempty" enum:"low,medium,high,critical" default:"medium" doc:"How much harm it can do"`
	Note     string     `json:"note,omitempty" maxLength:"2000" doc:"Why; never repeat a leaked secret here"`
}

// Check returns what the schema's tags can't say.
func (w Warning) Check() []FieldError { return checkText("/note", w.Note) }

// TextFields visits the note; it makes Warning a document of the scrubber.
func (w *Warning) TextFields(text func(string, *string), _ func(string, *[]string)) {
	text("note", &w.Note)
}

// Normalise trims the note.
func (w *Warning) Normalise() { w.Note = strings.TrimSpace(w.Note) }

// SafetyFlag returns what is stored of a normalised warning. A source flags an item for one reason once.
func (w Warning) SafetyFlag(sourceID string, now time.Time) SafetyFlag {
	return SafetyFlag{
		ID:     DerivedID("flag", sourceID, string(w.Target.Collection), w.Target.ID, string(w.Reason)),
		Target: w.Target, Reason: w.Reason, Severity: w.Severity, RaisedBy: sourceID, Note: w.Note, Status: FlagOpen, CreatedAt: now,
	}
}
