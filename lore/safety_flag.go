package lore

import "time"

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
