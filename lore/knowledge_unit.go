package lore

import "time"

// UnitStatus says whether a knowledge unit holds.
type UnitStatus string

// The states of a knowledge unit. Superseded and withdrawn ones stay readable by id.
const (
	UnitActive     UnitStatus = "active"
	UnitSuperseded UnitStatus = "superseded"
	UnitWithdrawn  UnitStatus = "withdrawn"
)

// KnowledgeUnit is verified knowledge: what independent owners' evidence agrees on.
type KnowledgeUnit struct {
	ID              string        `json:"id" format:"uuid" doc:"Id of the knowledge unit"`
	Summary         string        `json:"summary" doc:"What is known, in one line"`
	Content         string        `json:"content,omitempty" doc:"Detail"`
	Resolution      string        `json:"resolution,omitempty" doc:"What to do"`
	Names           []string      `json:"names,omitempty" doc:"What an agent has in hand that meets it: error names, codes, selectors, message texts with {word} for what varies"`
	Applies         string        `json:"applies,omitempty" doc:"Programs, versions and chains that it holds for"`
	Reference       *Reference    `json:"reference,omitempty" doc:"Where it stands in the reference library that ships with the service; absent from what agents reported"`
	Category        Category      `json:"category" doc:"Category"`
	Ecosystem       []string      `json:"ecosystem" nullable:"false" doc:"Chains or networks it holds for"`
	Tags            []string      `json:"tags" nullable:"false" doc:"Tags"`
	Entities        []string      `json:"entities" nullable:"false" doc:"What it names exactly, normalised"`
	Tier            Tier          `json:"tier" minimum:"3" maximum:"4" doc:"3 validated, 4 canonical"`
	Confidence      float64       `json:"confidence" minimum:"0" maximum:"1" doc:"0 to 1"`
	ScoreParts      ScoreParts    `json:"score_parts,omitempty" doc:"What the score of its best report is made of"`
	Missing         []Requirement `json:"missing,omitempty" doc:"What it lacks for the next tier"`
	Evidence        Evidence      `json:"evidence" doc:"What it rests on"`
	PatternID       string        `json:"pattern_id,omitempty" doc:"The pattern it grew from"`
	Outcomes        Outcomes      `json:"outcomes" doc:"What others reported after using it"`
	Status          UnitStatus    `json:"status" enum:"active,superseded,withdrawn" doc:"Whether it holds"`
	Warnings        []ItemWarning `json:"warnings,omitempty" doc:"What safety flags say against it; absent where there is nothing"`
	SupersededBy    string        `json:"superseded_by,omitempty" doc:"Id of the unit that replaces it"`
	FirstSeenAt     time.Time     `json:"first_seen_at" doc:"First report of it, UTC"`
	LastSeenAt      time.Time     `json:"last_seen_at" doc:"Latest report of it, UTC"`
	PromotedAt      time.Time     `json:"promoted_at" doc:"When it became a knowledge unit, UTC"`
	CreatedAt       time.Time     `json:"created_at" doc:"When it was stored, UTC"`
	LastConfirmedAt *time.Time    `json:"last_confirmed_at,omitempty" doc:"When another owner last reported or confirmed it, UTC"`
}

// Reference is where a knowledge unit stands in the reference library.
type Reference struct {
	ID        string     `json:"id" doc:"Id of the entry" example:"geth.nonce-too-low"`
	URL       string     `json:"url" doc:"The specification or code that states the facts"`
	Checked   string     `json:"checked" doc:"Day on which they were looked up there" example:"2026-11-24"`
	RemovedAt *time.Time `json:"removed_at,omitempty" doc:"When the library dropped the entry, UTC; absent while it has it"`
}

// MaxEvidenceIDs is how many ids of supporting submissions a unit or pattern carries; the counts go on beyond it.
const MaxEvidenceIDs = 20

// Evidence is what a knowledge unit rests on.
type Evidence struct {
	SubmissionIDs []string `json:"submission_ids" nullable:"false" doc:"At most 20 supporting submissions"`
	Submissions   int      `json:"submissions" doc:"Number of supporting submissions"`
	Sources       int      `json:"sources" doc:"Number of sources behind them"`
	Owners        int      `json:"owners" doc:"Number of independent owners behind them"`
}
