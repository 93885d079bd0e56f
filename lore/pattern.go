package lore

import "time"

// PatternStatus says how widely a pattern has been reported.
type PatternStatus string

// The states of a pattern.
const (
	PatternEmerging    PatternStatus = "emerging"    // two owners
	PatternEstablished PatternStatus = "established" // three owners or more
)

// Pattern is what independent agents report again and again.
type Pattern struct {
	ID              string        `json:"id" format:"uuid" doc:"Id of the pattern"`
	Summary         string        `json:"summary" doc:"What keeps happening, in one line"`
	Category        Category      `json:"category" doc:"Category"`
	Ecosystem       []string      `json:"ecosystem" nullable:"false" doc:"Chains or networks it was seen on"`
	Tags            []string      `json:"tags" nullable:"false" doc:"Tags"`
	Entities        []string      `json:"entities" nullable:"false" doc:"What its reports name exactly, normalised"`
	Tier            Tier          `json:"tier" minimum:"1" maximum:"4" doc:"1 raw, 2 corroborated, 3 validated, 4 canonical"`
	Reports         int           `json:"report_count" doc:"Number of reports"`
	Sources         int           `json:"source_count" doc:"Number of sources that reported it"`
	Owners          int           `json:"owner_count" doc:"Number of independent owners that reported it"`
	ExampleIDs      []string      `json:"example_ids" nullable:"false" doc:"At most 20 of its submissions"`
	Resolution      string        `json:"resolution,omitempty" doc:"The best resolution reported"`
	Status          PatternStatus `json:"status" enum:"emerging,established" doc:"emerging: 2 owners; established: 3 or more"`
	Warnings        []ItemWarning `json:"warnings,omitempty" doc:"What safety flags say against it; absent where there is nothing"`
	Missing         []Requirement `json:"missing,omitempty" doc:"What it lacks to become knowledge"`
	OverCorrelating bool          `json:"over_correlating,omitempty" doc:"So many owners report it that it says little; kept out of promotion"`
	FirstSeenAt     time.Time     `json:"first_seen_at" doc:"First report, UTC"`
	LastSeenAt      time.Time     `json:"last_seen_at" doc:"Latest report, UTC"`
	CreatedAt       time.Time     `json:"created_at" doc:"When it was detected, UTC"`
}
