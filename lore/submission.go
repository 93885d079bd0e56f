package lore

import (
	"strconv"
	"strings"
	"time"
)

// Observation is what a submitter says: one thing that it saw, found or fixed.
type Observation struct {
	Summary    string   `json:"summary" minLength:"1" maxLength:"500" doc:"The observation in one line" example:"USDT approve reverts unless the allowance is zero first"`
	Category   Category `json:"category" enum:"failure,insight,discovery,optimization,pattern,security,integration,operational,market,general" doc:"The most specific category that fits; GET /categories explains them" example:"failure"`
	Content    string   `json:"content,omitempty" maxLength:"20000" doc:"What happened in detail: error text, versions, addresses" example:"approve(spender, n) reverts when both the old and the new allowance are above zero."`
	Resolution string   `json:"resolution,omitempty" maxLength:"20000" doc:"What solved it" example:"Call approve(spender, 0) first, or use forceApprove."`
	Tags       []string `json:"tags,omitempty" maxItems:"20" nullable:"false" doc:"At most 20 tags of at most 64 characters" example:"[\"erc20\",\"usdt\"]"`
	Ecosystem  string   `json:"ecosystem,omitempty" maxLength:"64" doc:"The chain or network it is about" example:"ethereum"`
	Usefulness *Rating  `json:"usefulness_score,omitempty" minimum:"1" maximum:"10" doc:"How useful you think this is, 1 to 10" example:"8"`
	// Ref is where an imported observation came from. Only the importer fills it.
	Ref string `json:"-"`
	// Raw observations are one text, whose parts Normalise names. RawReport makes them.
	Raw bool `json:"-"`
}

// Limits that code needs besides the schema's tags. Lengths are counted in characters.
const (
	MaxSummaryLength   = 500
	MaxContentLength   = 20_000
	MaxTagLength       = 64
	MaxEcosystemLength = 64
)

// Check returns what the schema's tags can't say: length of each tag, blank summaries, NUL characters.
func (o Observation) Check() []FieldError {
	faults := checkSummary("/summary", o.Summary)
	faults = append(faults, checkText("/content", o.Content)...)
	faults = append(faults, checkText("/resolution", o.Resolution)...)
	faults = append(faults, checkText("/ecosystem", o.Ecosystem)...)
	return append(faults, checkItems("/tags", o.Tags, MaxTagLength)...)
}

// TextFields visits every free-text field; it makes Observation a document of the scrubber.
func (o *Observation) TextFields(text func(string, *string), list func(string, *[]string)) {
	text("summary", &o.Summary)
	text("content", &o.Content)
	text("resolution", &o.Resolution)
	list("tags", &o.Tags)
	text("ecosystem", &o.Ecosystem)
	text("ref", &o.Ref)
}

// Normalise trims texts, lowercases ecosystem and tags, and drops empty and repeated tags, keeping their order.
func (o *Observation) Normalise() {
	if o.Raw {
		o.sortOut()
	}
	o.Summary = strings.TrimSpace(o.Summary)
	o.Content = strings.TrimSpace(o.Content)
	o.Resolution = strings.TrimSpace(o.Resolution)
	o.Ecosystem = NormaliseWord(o.Ecosystem)
	o.Tags = normaliseList(o.Tags)
}

// Fingerprint returns a digest of everything that the observation says: equal ones are the same report. It is made of
// the scrubbed and normalised observation only.
func (o Observation) Fingerprint() string {
	usefulness := ""
	if o.Usefulness != nil {
		usefulness = strconv.Itoa(int(*o.Usefulness))
	}
	parts := []string{o.Summary, string(o.Category), o.Content, o.Resolution, o.Ecosystem, usefulness}
	return DerivedID(append(parts, o.Tags...)...)
}

// Draft is what the service adds to an observation when it stores it.
type Draft struct {
	ID           string
	Identity     Identity
	Category     Category // the category to store; empty: the observation's own
	ClassifiedBy ClassifiedBy
	Warnings     []ItemWarning // of the flags that agentlore raises on it
	Score        float64       // 1 to 10; 0: not scored
	ScoreParts   ScoreParts
	CreatedAt    time.Time
}

// ClassifiedBy says who chose a submission's category.
type ClassifiedBy string

// Who chose the category.
const (
	BySubmitter ClassifiedBy = "submitter"
	ByAgentlore ClassifiedBy = "agentlore"
)

// Submission is a stored observation.
type Submission struct {
	ID              string         `json:"id" format:"uuid" doc:"Id of the submission"`
	SourceID        string         `json:"source_id" format:"uuid" doc:"Who submitted it"`
	Summary         string         `json:"summary" doc:"The observation in one line"`
	Category        Category       `json:"category" doc:"Category"`
	ClassifiedBy    ClassifiedBy   `json:"classified_by" enum:"submitter,agentlore" doc:"Who chose the category"`
	Content         string         `json:"content,omitempty" doc:"Detail"`
	Resolution      string         `json:"resolution,omitempty" doc:"What solved it"`
	Tags            []string       `json:"tags" nullable:"false" doc:"Tags, lowercase"`
	Ecosystem       string         `json:"ecosystem,omitempty" doc:"Chain or network, lowercase"`
	Usefulness      *Rating        `json:"usefulness_score,omitempty" doc:"The submitter's own rating, 1 to 10"`
	Tier            Tier           `json:"tier" minimum:"1" maximum:"4" doc:"1 raw, 2 corroborated, 3 validated, 4 canonical"`
	Entities        []string       `json:"entities" nullable:"false" doc:"Addresses, hashes, chains, EIP, CVE and SWC numbers, error names and packages it names, normalised"`
	Status          string         `json:"status,omitempty" doc:"Absent: nothing is against it; flagged: a confirmed safety flag warns of it; withdrawn: an operator advises against it"`
	Warnings        []ItemWarning  `json:"warnings,omitempty" doc:"What safety flags say against it; absent where there is nothing"`
	Score           float64        `json:"score,omitempty" doc:"How much there is in it, 1 to 10; absent until it is scored"`
	ScoreParts      ScoreParts     `json:"score_parts,omitempty" doc:"What the score is made of; they add up to it"`
	Missing         []Requirement  `json:"missing,omitempty" doc:"What it lacks for the next tier"`
	PatternID       string         `json:"pattern_id,omitempty" doc:"The pattern it belongs to"`
	KnowledgeUnitID string         `json:"knowledge_unit_id,omitempty" doc:"The knowledge unit made from it"`
	Outcomes        *Outcomes      `json:"outcomes,omitempty" doc:"What others reported after using it"`
	Scrubbed        map[string]int `json:"scrubbed,omitempty" doc:"How many secrets of each kind were removed before it was stored"`
	Ref             string         `json:"ref,omitempty" doc:"Where an imported observation came from; unique a source"`
	CreatedAt       time.Time      `json:"created_at" doc:"When it was submitted (or first published, if imported), UTC"`
	LastConfirmedAt *time.Time     `json:"last_confirmed_at,omitempty" doc:"When another owner last reported or confirmed it, UTC"`
}

// Outcomes counts what others reported after they used an item.
type Outcomes struct {
	Worked int `json:"worked" doc:"Reports that it worked"`
	Failed int `json:"failed" doc:"Reports that it failed"`
	Unsafe int `json:"unsafe" doc:"Reports that it does harm"`
}
