package lore

import "time"

// Tier says how far an observation has been borne out, from 1 (one agent's word) to 4.
type Tier int

const (
	// TierRaw is one source's word; every submission starts here.
	TierRaw Tier = 1
	// TierCorroborated has been reported or confirmed by other owners.
	TierCorroborated Tier = 2
	// TierValidated has an active knowledge unit.
	TierValidated Tier = 3
	// TierCanonical is validated and has been used with success by at least five independent owners.
	TierCanonical Tier = 4
)

// Requirement is something that an item lacks for the next tier.
type Requirement string

// What an item can lack for its next tier. docs/design.md has the rules.
const (
	// RequireOwners: more owners must report the same, or that it worked.
	RequireOwners Requirement = "owners"
	// RequireStanding: more owners with standing must do so.
	RequireStanding Requirement = "standing"
	// RequireResolution: a report must say what to do.
	RequireResolution Requirement = "resolution"
	// RequireConfidence: too many owners with standing report that it failed or does harm, or too few that it worked.
	RequireConfidence Requirement = "confidence"
	// RequireApproval: it is of a category in which an owner with standing must report that it worked, or an operator approve.
	RequireApproval Requirement = "approval"
	// RequireUnflagged: a safety flag that blocks must be dismissed.
	RequireUnflagged Requirement = "unflagged"
	// RequireFewerReports: its pattern gathers so many reports that it says little.
	RequireFewerReports Requirement = "fewer_reports"
)

// ScoreParts says what a score is made of, by name. They add up to the score.
type ScoreParts map[string]float64

// PatternStatus says how widely a pattern has been reported.
type PatternStatus string

// The states of a pattern.
const (
	PatternEmerging    PatternStatus = "emerging"    // two owners
	PatternEstablished PatternStatus = "established" // three owners or more
	PatternWithdrawn   PatternStatus = "withdrawn"   // by an operator
)

// Pattern is what independent agents report again and again.
type Pattern struct {
	ID              string        `json:"id" scrub:"-" format:"uuid" doc:"Id of the pattern"`
	Summary         string        `json:"summary" doc:"What keeps happening, in one line"`
	Category        Category      `json:"category" doc:"Category"`
	Ecosystem       []string      `json:"ecosystem" nullable:"false" doc:"Chains or networks it was seen on"`
	Tags            []string      `json:"tags" nullable:"false" doc:"Tags"`
	Entities        []string      `json:"entities" nullable:"false" doc:"What its reports name exactly, normalised"`
	Tier            Tier          `json:"tier" minimum:"1" maximum:"4" doc:"1 raw, 2 corroborated, 3 validated, 4 canonical"`
	Reports         int           `json:"report_count" doc:"Number of reports"`
	Sources         int           `json:"source_count" doc:"Number of sources that reported it"`
	Owners          int           `json:"owner_count" doc:"Number of independent owners that reported it"`
	FamilyID        string        `json:"family_id,omitempty" scrub:"-" doc:"The family of problems of one kind that it belongs to"`
	ExampleIDs      []string      `json:"example_ids" scrub:"-" nullable:"false" doc:"At most 20 of its submissions"`
	Content         string        `json:"content,omitempty" doc:"What happens and why, as one of its reports says: see words_from"`
	Resolution      string        `json:"resolution,omitempty" doc:"The best confirmed fix; absent while owners with standing confirmed none: see alternatives"`
	Status          PatternStatus `json:"status" enum:"emerging,established,flagged,withdrawn" doc:"emerging: 2 owners; established: 3 or more; flagged: an operator confirmed a warning; withdrawn: an operator advises against it"`
	Warnings        []ItemWarning `json:"warnings,omitempty" doc:"What safety flags say against it; absent where there is nothing"`
	Missing         []Requirement `json:"missing,omitempty" doc:"What it lacks to become knowledge"`
	OverCorrelating bool          `json:"over_correlating,omitempty" doc:"So many owners report it that it says little; kept out of promotion"`
	FirstSeenAt     time.Time     `json:"first_seen_at" doc:"First report, UTC"`
	LastSeenAt      time.Time     `json:"last_seen_at" doc:"Latest report, UTC"`
	EstablishedAt   *time.Time    `json:"established_at,omitempty" doc:"When the report came that established it, UTC; absent while it is emerging"`
	CreatedAt       time.Time     `json:"created_at" doc:"When it was detected, UTC"`
	Rank            *Rank         `json:"rank,omitempty" hidden:"true"`
	// WordsFrom is the submission that summary and content are from; empty: from none that can be quoted.
	WordsFrom string `json:"words_from,omitempty" scrub:"-" doc:"Id of the submission that summary and content are from"`
	Evident
}

// Rank is where a pattern or a knowledge unit stands in lists, higher ones first. It is stored, and no reader sees it.
type Rank struct {
	Evidence float64 `json:"evidence"` // independent owners who bear it out, each halved for every year since; as a logarithm
	Trending float64 `json:"trending"` // the same, halved every two weeks
}

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
	ID              string        `json:"id" scrub:"-" format:"uuid" doc:"Id of the knowledge unit"`
	Summary         string        `json:"summary" doc:"What is known, in one line"`
	Content         string        `json:"content,omitempty" doc:"Detail"`
	Resolution      string        `json:"resolution,omitempty" doc:"What to do"`
	Names           []string      `json:"names,omitempty" doc:"What an agent has in hand that meets it: error names, codes, selectors, message texts with {word} for what varies"`
	Shared          []string      `json:"shared,omitempty" doc:"Names that other programs have as well: they mean it only where its context stands around them"`
	Context         []string      `json:"context,omitempty" doc:"What must stand around a shared name for this to be meant, one of them: program ids, packages, tools, ecosystems; eth_* is all words that begin so"`
	Asked           []string      `json:"asked,omitempty" doc:"Other words in which people ask for it"`
	Signs           []string      `json:"signs,omitempty" doc:"What titles of reports of its kind say"`
	Wraps           bool          `json:"wraps,omitempty" doc:"true: it only reports another error; what else a text names tells more"`
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
	PatternID       string        `json:"pattern_id,omitempty" scrub:"-" doc:"The pattern it grew from"`
	Outcomes        Outcomes      `json:"outcomes" doc:"What others reported after using it"`
	Status          UnitStatus    `json:"status" enum:"active,superseded,withdrawn,flagged" doc:"Whether it holds"`
	Warnings        []ItemWarning `json:"warnings,omitempty" doc:"What safety flags say against it; absent where there is nothing"`
	SupersededBy    string        `json:"superseded_by,omitempty" scrub:"-" doc:"Id of the unit that replaces it"`
	FirstSeenAt     time.Time     `json:"first_seen_at" doc:"First report of it, UTC"`
	LastSeenAt      time.Time     `json:"last_seen_at" doc:"Latest report of it, UTC"`
	PromotedAt      time.Time     `json:"promoted_at" doc:"When it became a knowledge unit, UTC"`
	CreatedAt       time.Time     `json:"created_at" doc:"When it was stored, UTC"`
	LastConfirmedAt *time.Time    `json:"last_confirmed_at,omitempty" doc:"When another owner last reported or confirmed it, UTC"`
	Rank            *Rank         `json:"rank,omitempty" hidden:"true"`
	WordsFrom       string        `json:"words_from,omitempty" scrub:"-" doc:"Id of the submission that summary and content are from; absent from the reference library"`
	Ref             string        `json:"ref,omitempty" doc:"Where that submission came from, if it was imported"`
	Evident
}

// Reference is where a knowledge unit stands in the reference library.
type Reference struct {
	ID           string     `json:"id" doc:"Id of the entry" example:"geth.nonce-too-low"`
	Family       string     `json:"family,omitempty" doc:"Id of the entry of whose kind it is a variant; absent where it is a kind of its own" example:"audit.slippage"`
	URL          string     `json:"url" doc:"The specification or code that states the facts"`
	Further      []string   `json:"further,omitempty" doc:"Further specifications and code that state them"`
	Checked      string     `json:"checked" doc:"Day on which they were looked up there" example:"2026-11-24"`
	CheckedAgain string     `json:"checked_again,omitempty" doc:"Day on which another reader looked them up there once more; absent where nobody did" example:"2026-11-26"`
	RemovedAt    *time.Time `json:"removed_at,omitempty" doc:"When the library dropped the entry, UTC; absent while it has it"`
}

// MaxEvidenceIDs is how many ids of supporting submissions a unit or pattern carries; the counts go on beyond it.
const MaxEvidenceIDs = 20

// Evidence is what a knowledge unit rests on.
type Evidence struct {
	SubmissionIDs []string `json:"submission_ids" scrub:"-" nullable:"false" doc:"At most 20 supporting submissions"`
	Submissions   int      `json:"submissions" doc:"Number of supporting submissions"`
	Sources       int      `json:"sources" doc:"Number of sources behind them"`
	Owners        int      `json:"owners" doc:"Number of independent owners behind them"`
}
