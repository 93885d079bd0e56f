package lore

import (
	"encoding/json"
	"time"
)

// Draft is what the service adds to an observation when it stores it.
type Draft struct {
	ID           string
	Identity     Identity
	Category     Category // the category to store; empty: the observation's own
	ClassifiedBy ClassifiedBy
	Warnings     []ItemWarning // of the flags that agentlore raises on it
	AsksFor      []AsksFor     // what its resolution asks for
	FixWithheld  Withheld      // until it is curated
	// DetailWithheld: so is its content.
	DetailWithheld bool
	Follows        string  // id of the submission that it adds to
	Supersedes     bool    // readers get it in place of that one
	Score          float64 // 1 to 10; 0: not scored
	ScoreParts     ScoreParts
	CreatedAt      time.Time
	StoredAt       time.Time // zero: as CreatedAt
}

// ClassifiedBy says who chose a submission's category.
type ClassifiedBy string

// Who chose the category.
const (
	BySubmitter ClassifiedBy = "submitter"
	ByAgentlore ClassifiedBy = "agentlore"
	ByOperator  ClassifiedBy = "operator"
)

// Submission is a stored observation.
type Submission struct {
	ID              string         `json:"id" scrub:"-" format:"uuid" doc:"Id of the submission"`
	SourceID        string         `json:"source_id" scrub:"-" format:"uuid" doc:"Who submitted it"`
	Summary         string         `json:"summary" doc:"The observation in one line"`
	Category        Category       `json:"category" doc:"Category"`
	ClassifiedBy    ClassifiedBy   `json:"classified_by" enum:"submitter,agentlore,operator" doc:"Who chose the category"`
	Content         string         `json:"content,omitempty" doc:"Detail"`
	Resolution      string         `json:"resolution,omitempty" doc:"What solved it"`
	Tags            []string       `json:"tags" nullable:"false" doc:"Tags, lowercase; invalid, which comes first: those who judged it called it invalid"`
	Ecosystem       string         `json:"ecosystem,omitempty" doc:"Chain or network, lowercase"`
	Usefulness      *Rating        `json:"usefulness_score,omitempty" doc:"The submitter's own rating, 1 to 10"`
	Tier            Tier           `json:"tier" minimum:"1" maximum:"4" doc:"1 raw, 2 corroborated, 3 validated, 4 canonical"`
	Revision        string         `json:"revision,omitempty" scrub:"-" doc:"Stands for its words: name it when you report an outcome or flag"`
	RevisedAt       *time.Time     `json:"revised_at,omitempty" doc:"When its source last changed its words, UTC; absent while they are the first"`
	AsksFor         []AsksFor      `json:"asks_for,omitempty" doc:"What its resolution asks its reader to do"`
	FixWithheld     Withheld       `json:"fix_withheld,omitempty" enum:"unvouched,unsafe" doc:"Why answers, searches, lists and feeds leave its resolution out: unvouched: nobody with standing stands for what it asks; unsafe: it was found to do harm"`
	DetailWithheld  bool           `json:"detail_withheld,omitempty" doc:"true: answers, searches and lists leave its content out too: it asks its reader for something that can do harm, and nobody with standing stands for it"`
	FixEvidence     *FixEvidence   `json:"fix_evidence,omitempty" doc:"What is said of its resolution, in these words, wherever they stand; absent where nothing is"`
	Standing        Standing       `json:"standing,omitempty" enum:"given,earned,none" doc:"Whether its author counts: given by an operator, earned, or not; absent until it is curated"`
	Entities        []string       `json:"entities" nullable:"false" doc:"Addresses, hashes, chains, EIP, CVE and SWC numbers, error names and packages it names, normalised"`
	Status          string         `json:"status,omitempty" scrub:"-" doc:"Absent: nothing is against it; flagged: a confirmed safety flag warns of it; withdrawn: an operator advises against it"`
	Warnings        []ItemWarning  `json:"warnings,omitempty" doc:"What safety flags say against it; absent where there is nothing"`
	Score           float64        `json:"score,omitempty" doc:"How much there is in it, 1 to 10; absent until it is scored"`
	ScoreParts      ScoreParts     `json:"score_parts,omitempty" doc:"What the score is made of; they add up to it"`
	Missing         []Requirement  `json:"missing,omitempty" doc:"What it lacks for the next tier"`
	PatternID       string         `json:"pattern_id,omitempty" scrub:"-" doc:"The pattern it belongs to"`
	FamilyID        string         `json:"family_id,omitempty" scrub:"-" doc:"The family of problems of one kind that it belongs to"`
	FamilyWhy       string         `json:"family_why,omitempty" doc:"Why: what its title says of that kind, in the library's words, or that its pattern belongs to the family"`
	Project         string         `json:"project,omitempty" doc:"The project that it is about, lowercase: a repository that it links to, or the folder of an import"`
	KnowledgeUnitID string         `json:"knowledge_unit_id,omitempty" scrub:"-" doc:"The knowledge unit made from it"`
	Follows         string         `json:"follows,omitempty" scrub:"-" format:"uuid" doc:"Id of the submission of the same principal that this adds to"`
	Supersedes      bool           `json:"supersedes,omitempty" doc:"true: its source wants it read in place of the one it follows"`
	Outcomes        *Outcomes      `json:"outcomes,omitempty" doc:"What others reported after using it"`
	Scrubbed        map[string]int `json:"scrubbed,omitempty" doc:"How many secrets of each kind were removed before it was stored"`
	SourceName      string         `json:"source_name,omitempty" doc:"Name of the source"`
	Protocol        string         `json:"protocol,omitempty" doc:"Protocol or program that it is about, as its tags or its ref say"`
	Severity        string         `json:"severity,omitempty" doc:"How severe its judges called it: critical, high, medium, low, informational"`
	Ref             string         `json:"ref,omitempty" doc:"Where an imported observation came from; unique a source"`
	CreatedAt       time.Time      `json:"created_at" doc:"When it was submitted (or first published, if imported), UTC"`
	StoredAt        time.Time      `json:"stored_at,omitzero" doc:"When agentlore stored it, UTC; absent from imports of before 2026-11-24"`
	LastConfirmedAt *time.Time     `json:"last_confirmed_at,omitempty" doc:"When another owner last reported or confirmed it, UTC"`
}

// PublishedAt returns when the submission was made. An imported one may give a time that lies ahead: nothing is published after
// it was stored.
func (s Submission) PublishedAt() time.Time {
	if s.StoredAt.IsZero() || s.CreatedAt.Before(s.StoredAt) {
		return s.CreatedAt
	}
	return s.StoredAt
}

// HandedOut returns the submission as lists and tools show it: without what is withheld.
func (s Submission) HandedOut() Submission {
	if s.FixWithheld != "" {
		s.Resolution = ""
	}
	if s.FixWithheld != "" || s.DetailWithheld {
		s.Content = ""
	}
	return s
}

// Outcomes counts what others reported after they used an item.
type Outcomes struct {
	Worked int `json:"worked" doc:"Reports that it worked"`
	Failed int `json:"failed" doc:"Reports that it failed"`
	Unsafe int `json:"unsafe" doc:"Reports that it does harm"`
}

// Similar is a report that says what a new one seems to say.
type Similar struct {
	ID              string `json:"id" format:"uuid" doc:"Id of the submission"`
	Summary         string `json:"summary" doc:"The observation in one line"`
	Tier            Tier   `json:"tier" minimum:"1" maximum:"4" doc:"1 raw, 2 corroborated, 3 validated, 4 canonical"`
	PatternID       string `json:"pattern_id,omitempty" doc:"The pattern it belongs to"`
	KnowledgeUnitID string `json:"knowledge_unit_id,omitempty" doc:"The knowledge unit made from it"`
	// SameWords: but for addresses, hashes, numbers and case it is the same text.
	SameWords bool `json:"same_words,omitempty" doc:"true: but for addresses, hashes and numbers it is the same text"`
}

// Record remembers the answer to a request with an Idempotency-Key.
type Record struct {
	ID        string          `json:"-"`
	SourceID  string          `json:"source_id"`
	Body      string          `json:"body_hash"` // fingerprint of the scrubbed text
	Answer    json.RawMessage `json:"-"`         // empty until the request is done
	CreatedAt time.Time       `json:"created_at"`
	ExpiresAt time.Time       `json:"expires_at"`
}

// InvalidTag marks a report that those who judged it called invalid: an audit contest's judges, say. It comes first among the tags,
// and searches put the report behind valid ones.
const InvalidTag = "invalid"
