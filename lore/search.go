package lore

import (
	"fmt"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
)

// MaxQueryLength is how long a q may be, in characters; it comes from the design: a longer one is a document, not a question.
const MaxQueryLength = 512

// QueryText returns a q as it is searched for: its words one space apart, with each letter and its accents as one character, as
// texts have them, and U+FFFD for bytes that aren't UTF-8.
func QueryText(q string) string {
	return strings.Join(strings.Fields(norm.NFC.String(strings.ToValidUTF8(q, "\uFFFD"))), " ")
}

// StatusFlagged is the status of an item, of whatever type, that a confirmed safety flag warns of. Like withdrawn and
// superseded items it is left out of searches unless they ask for it by status.
const StatusFlagged = "flagged"

// SearchQuery asks for one page of results over the searchable collections.
type SearchQuery struct {
	Text string
	// Named are ids of items that the text names by a name of their own, most certain first: they come first.
	Named   []string
	Types   []ItemType // empty: all
	Filter  Filter
	Limit   int
	Offset  int
	Cursor  string
	Newest  bool // order by time instead of relevance; implied by an empty text
	Full    bool // with content and resolution
	Facets  bool
	Explain bool
	// ByProblem gives one result for each problem: a knowledge unit stands for its pattern and reports, a pattern for its reports.
	ByProblem bool
	// Withheld asks for withheld resolutions too: the caller decides whether to hand them out.
	Withheld bool
	// Frequencies asks for how many documents have each word of the text.
	Frequencies bool
}

// SearchHit is one result.
type SearchHit struct {
	ID         string        `json:"id" doc:"Id; read the whole item at the path of its type"`
	Type       ItemType      `json:"type" enum:"knowledge,pattern,submission,asset" doc:"What it is"`
	Summary    string        `json:"summary" doc:"In one line; a long one is cut at a word and ends in … unless detail=full"`
	Category   Category      `json:"category,omitempty" doc:"Category"`
	Ecosystem  []string      `json:"ecosystem" nullable:"false" doc:"Chains or networks; the first few unless detail=full"`
	Tags       []string      `json:"tags" nullable:"false" doc:"Tags; the first few unless detail=full"`
	Tier       Tier          `json:"tier,omitempty" doc:"1 raw, 2 corroborated, 3 validated, 4 canonical"`
	Score      float64       `json:"score" doc:"Relevance; comparable within one answer only"`
	Confidence *float64      `json:"confidence,omitempty" doc:"0 to 1, of knowledge units"`
	Status     string        `json:"status,omitempty" doc:"Its state, where it has one"`
	Warnings   []ItemWarning `json:"warnings,omitempty" doc:"What safety flags say against it; absent where there is nothing"`
	Ref        string        `json:"ref,omitempty" doc:"Where an imported observation came from"`
	Snippet    string        `json:"snippet,omitempty" doc:"The best passage of the detail, matched words between ** and **; none where only the summary matches"`
	Entities   []string      `json:"entities" nullable:"false" doc:"What it names exactly, first what q names too; the first few unless detail=full"`
	CreatedAt  time.Time     `json:"created_at" doc:"When it was stored, UTC"`
	MatchedBy  []string      `json:"matched_by" nullable:"false" doc:"Layers that found it: exact, keyword, fuzzy, partial, semantic"`
	Content    string        `json:"content,omitempty" doc:"Detail, on detail=full"`
	Resolution string        `json:"resolution,omitempty" doc:"What solved it, or what to do; cut at 300 characters unless detail=full"`
	Names      []string      `json:"names,omitempty" doc:"Error names, codes and message texts that it is met by, on detail=full"`
	Asked      []string      `json:"asked,omitempty" doc:"Other words in which people ask for it, on detail=full"`
	Applies    string        `json:"applies,omitempty" doc:"Programs, versions and chains that it holds for, on detail=full"`
	Owners     int           `json:"owners,omitempty" doc:"Independent owners behind a pattern or knowledge unit"`
	Reports    int           `json:"reports,omitempty" doc:"Reports behind a pattern or knowledge unit"`
	Outcomes   *Outcomes     `json:"outcomes,omitempty" doc:"What others reported after using it; absent where nothing was"`
	// LastConfirmedAt is when another owner last reported the same or that it worked.
	LastConfirmedAt *time.Time `json:"last_confirmed_at,omitempty" doc:"When another owner last reported or confirmed it, UTC"`
	ProblemID       string     `json:"problem_id,omitempty" doc:"The knowledge unit or pattern that it is part of, where that is another item"`
	Alike           int        `json:"alike,omitempty" doc:"Results of the same problem that this one stands for, on group=problem"`
	Reference       *Reference `json:"reference,omitempty" doc:"Where it stands in the reference library; absent from what agents reported"`
	SourceID        string     `json:"source_id,omitempty" doc:"Who submitted it, of a submission"`
	Standing        Standing   `json:"standing,omitempty" enum:"given,earned,none" doc:"Whether the author of a submission counts"`
	FixWithheld     Withheld   `json:"fix_withheld,omitempty" enum:"unvouched,unsafe" doc:"Why the resolution is left out; its own address has it, under its author's name"`
	DetailWithheld  bool       `json:"detail_withheld,omitempty" doc:"true: the content is left out too"`
	Evident

	Explanation *Explanation `json:"explanation,omitempty" doc:"What the score is made of, on explain=true"`
}

// Explanation says what a result's score is made of: the sum of the words' parts times the trust, and
// the neighbours' support.
type Explanation struct {
	Words map[string]float64 `json:"words" doc:"What each way of matching adds"`
	Trust map[string]float64 `json:"trust" doc:"Factors of tier, confidence, outcomes and age"`
	// Factor is 1 where a result lies behind the window that is put in order.
	Factor float64 `json:"factor" doc:"The factor that trust made of them, 1 to 2"`
	// Neighbours is 0 behind that window too, and where q names something exactly.
	Neighbours float64 `json:"neighbours" doc:"What the results most like it add, for being near the best"`
}

// FacetCount is how many results have one value.
type FacetCount struct {
	Value string `json:"value" doc:"The value"`
	Count int64  `json:"count" doc:"Results that have it"`
}

// LayerState is whether a layer of search takes part.
type LayerState string

// States of layers.
const (
	LayerActive LayerState = "active"
	// LayerReserved is that of the semantic layer where no operator has set it up.
	LayerReserved LayerState = "reserved"
	// LayerUnavailable is that of the semantic layer where the embeddings server was late or failed.
	LayerUnavailable LayerState = "unavailable"
)

// SearchResult is one page of a search.
type SearchResult struct {
	Page[SearchHit]
	DidYouMean string
	// Flagged is how many items were left out because of what agentlore itself found in them: of the best
	// results that a page by relevance is taken from, or of a page by time.
	Flagged int
	Facets  map[string][]FacetCount
	// Semantic is the state of the semantic layer in this search.
	Semantic LayerState
	// Frequencies are, by word in lower case, how many documents have it, of Documents; on SearchQuery.Frequencies.
	Frequencies map[string]int64
	Documents   int64
}

// Searched is one search as analysts see it: what was asked and what came of it, and nothing of who asked.
type Searched struct {
	CreatedAt time.Time `json:"created_at"`
	// Q is what was asked; it goes through the scrubber before it is stored.
	Q         string   `json:"q,omitempty"`
	Words     int      `json:"words"`
	Entities  []string `json:"entities,omitempty" scrub:"-"`
	Type      ItemType `json:"type,omitempty"`
	Category  string   `json:"category,omitempty" scrub:"-"`
	Ecosystem string   `json:"ecosystem,omitempty"`
	Sort      Sort     `json:"sort"`
	Offset    int      `json:"offset"`
	// Layers are those that found a result of the page.
	Layers    []string `json:"layers,omitempty" scrub:"-"`
	Corrected bool     `json:"corrected"` // words of q were taken for misspelt
	Found     bool     `json:"found"`     // there is a result
	Results   int      `json:"results"`   // on the page
	Total     int64    `json:"total"`     // in all, counted to 1,000
	TookMS    int64    `json:"took_ms"`
	Scrubbed  bool     `json:"scrubbed"` // q was changed by the scrubber
}

// SortRelevance stands in Searched for the order that has no name of its own.
const SortRelevance Sort = "relevance"

// Normalise finds what the scrubbed text names.
func (s *Searched) Normalise() { s.Entities = Entities(s.Q) }

// Analytics is what the corpus holds, in numbers.
type Analytics struct {
	Submissions  int64        `json:"submissions" doc:"Number of submissions counted"`
	ByCategory   []FacetCount `json:"by_category" nullable:"false" doc:"Submissions by category"`
	ByTier       []FacetCount `json:"by_tier" nullable:"false" doc:"Submissions by tier"`
	ByEcosystem  []FacetCount `json:"by_ecosystem" nullable:"false" doc:"Submissions by ecosystem, at most 50"`
	ByDay        []FacetCount `json:"by_day" nullable:"false" doc:"Submissions by day (UTC), days without any left out"`
	ByMonth      []FacetCount `json:"by_month" nullable:"false" doc:"Submissions by month (UTC), months without any left out"`
	BySourceType []FacetCount `json:"by_source_type" nullable:"false" doc:"Sources by type"`
	TopTags      []FacetCount `json:"top_tags" nullable:"false" doc:"The 20 most used tags"`
	TopEntities  []FacetCount `json:"top_entities" nullable:"false" doc:"The 20 most named addresses, standards, errors and so on"`
	Scrubbed     []FacetCount `json:"scrubbed" nullable:"false" doc:"Submissions that something was removed from, by kind of secret"`
}

// Library is the validated knowledge of one ecosystem and category.
type Library struct {
	Ecosystem string // empty for knowledge that holds everywhere
	Category  Category
	Count     int64
	Best      []KnowledgeUnit // the three most trusted
}

// Question is what an agent asks: a question in words, an error message, or a log.
type Question struct {
	Text      string `json:"text" minLength:"1" maxLength:"262144" doc:"The error message, the log with its stack trace, or a question in words, as long as a body may be; secrets are removed before it is used. Of a long log the lines are read that say what went wrong" example:"AA25 invalid account nonce"`
	Ecosystem string `json:"ecosystem,omitempty" maxLength:"64" doc:"What holds for this ecosystem, or for all, comes first" example:"ethereum"`
	Limit     int    `json:"limit,omitempty" minimum:"1" maximum:"5" doc:"Problems to name at most; by default 3, or 2 where the first is known"`
	// Tried and More follow an answer up: the same text again, what didn't help, and what else was found out.
	Tried []string `json:"tried,omitempty" maxItems:"20" nullable:"false" doc:"Ids of problems whose fixes you have tried in vain: they are left out"`
	More  string   `json:"more,omitempty" maxLength:"65536" doc:"What you have found out since: what look_up of the last answer named, further lines of the log, versions"`
}

// Normalise trims the texts.
func (q *Question) Normalise() { q.Text, q.More = strings.TrimSpace(q.Text), strings.TrimSpace(q.More) }

// Check returns what the schema's tags can't say.
func (q Question) Check() []FieldError {
	faults := append(checkNotBlank("/text", q.Text), checkEcosystem("/ecosystem", q.Ecosystem)...)
	for i, id := range q.Tried {
		if !ValidID(id) {
			faults = append(faults, FieldError{Pointer: fmt.Sprintf("/tried/%d", i), Code: "not_an_id", Detail: "must be the id of a problem that an answer named"})
		}
	}
	return faults
}
