package lore

import "time"

// Family is problems of one kind, in whatever projects they were found. Its words are those of the reference library or, where that has no
// such kind, of a title that several owners gave, among them one with standing.
type Family struct {
	ID              string         `json:"id" scrub:"-" format:"uuid" doc:"Id of the family"`
	Summary         string         `json:"summary" doc:"What its problems have in common, in one line"`
	Content         string         `json:"content,omitempty" doc:"Why it happens, as the reference library says; absent where it doesn't know the kind"`
	Resolution      string         `json:"resolution,omitempty" doc:"What to do, as the reference library says"`
	Category        Category       `json:"category" doc:"Category"`
	Ecosystem       []string       `json:"ecosystem" nullable:"false" doc:"Chains or networks that it holds for; empty: not known"`
	KnowledgeUnitID string         `json:"knowledge_unit_id,omitempty" scrub:"-" doc:"The unit of the reference library that is its core"`
	Reports         int            `json:"report_count" doc:"Number of reports"`
	Sources         int            `json:"source_count" doc:"Number of sources that reported one of its problems"`
	Owners          int            `json:"owner_count" doc:"Number of independent owners that did"`
	Patterns        int            `json:"pattern_count" doc:"Number of patterns among its problems"`
	Projects        int            `json:"project_count" doc:"Number of projects that the reports name: repositories that they link to, or folders of an import"`
	Months          []MonthReports `json:"months" nullable:"false" doc:"Reports by month, oldest first, at most the last 24 that had some"`
	FirstSeenAt     time.Time      `json:"first_seen_at" doc:"First report, UTC"`
	LastSeenAt      time.Time      `json:"last_seen_at" doc:"Latest report, UTC"`
	CreatedAt       time.Time      `json:"created_at" doc:"When it was detected, UTC"`
}

// MonthReports is how many reports a month had.
type MonthReports struct {
	Month   string `json:"month" doc:"Month, as 2026-11" example:"2026-11"`
	Reports int    `json:"reports" doc:"Number of reports"`
}

// MaxFamilyMonths is how many months a family tells of.
const MaxFamilyMonths = 24

// FamilyMember is what a family is counted from: a report that belongs to it, or would if there were one.
type FamilyMember struct {
	ID, SourceID, PatternID, FamilyID, Project string
	Void                                       bool // flagged, withdrawn or left out of answers: it counts for nothing
	CreatedAt                                  time.Time
}
