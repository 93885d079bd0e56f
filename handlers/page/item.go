package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentlore/lore"
)

// item is an item of whatever collection, or a result of a search, as the interface writes it: what results have, and what else the
// items themselves have. What its kind doesn't have stays zero.
type item struct {
	lore.SearchHit
	In collection `json:"-"` // where it stands

	Name, Description, Note string

	// Of a question.
	Text       string
	Askers     int          `json:"asker_count"`
	AnsweredBy *lore.Target `json:"answered_by"`
	AskedAt    time.Time    `json:"asked_at"`
	Voices     []lore.Voice

	Type       string          `json:"type"` // an asset's or a source's own; a result's is its collection's kind
	Kind       string          // of a suggestion
	Ecosystem  lore.StringList `json:"ecosystem"` // a submission's is one
	Missing    []lore.Requirement
	Evidence   *lore.Evidence
	ByReports  int             `json:"report_count"` // of a pattern, as the next two
	BySources  int             `json:"source_count"`
	ByOwners   int             `json:"owner_count"`
	ScoreParts lore.ScoreParts `json:"score_parts"`
	Rating     *lore.Rating    `json:"usefulness_score"`
	Reputation *float64        // of a source, 0 to 1
	Scrubbed   map[string]int
	Target     *lore.Target
	Reason     lore.FlagReason
	Severity   string
	Addresses  []string
	URL        string
	Origin     string

	// Of the catalog's assets.
	Symbol      string
	Also        []string
	ChainID     string `json:"chain_id"`
	Explorer    string
	Since       string
	Deployments []lore.Deployment

	SourceID        string              `json:"source_id"`
	RaisedBy        string              `json:"raised_by"`
	ClassifiedBy    lore.ClassifiedBy   `json:"classified_by"`
	PatternID       string              `json:"pattern_id"`
	FamilyID        string              `json:"family_id"`
	FamilyWhy       string              `json:"family_why"`
	Projects        int                 `json:"project_count"` // of a family, as the next
	Months          []lore.MonthReports `json:"months"`
	UnitID          string              `json:"knowledge_unit_id"`
	SupersededBy    string              `json:"superseded_by"`
	ExampleIDs      []string            `json:"example_ids"`
	OverCorrelating bool                `json:"over_correlating"`
	FirstSeenAt     time.Time           `json:"first_seen_at"`
	LastSeenAt      time.Time           `json:"last_seen_at"`
	RevokedAt       time.Time           `json:"revoked_at"`
}

// Href is where the item is shown.
func (i item) Href() string { return i.In.href(i.ID) }

// Title is the item in one line.
func (i item) Title() string {
	title := cmp.Or(i.Name, i.Summary, lore.CutAtWord(i.Text, maxDescription))
	if i.Target != nil && i.Reason != "" {
		title = "Flagged (" + words(i.Reason) + "): " + collectionOf(string(i.Target.Collection)).One + " " + shortID(i.Target.ID)
	}
	return cmp.Or(strings.TrimSpace(title), "(no summary)")
}

// State is its status, or what else a reader must know of it in a word.
func (i item) State() string {
	switch {
	case i.Status != "" && i.Status != "active": // which says nothing
		return i.Status
	case !i.RevokedAt.IsZero():
		return "revoked"
	case i.invalid():
		return lore.InvalidTag
	}
	return ""
}

// invalid reports whether those who judged a report called it invalid.
func (i item) invalid() bool { return slices.Contains(i.Tags, lore.InvalidTag) }

// maxDescription is how much of a description a list shows, in characters.
const maxDescription = 200

// Passage is what a list shows below the title: the words of a search where they stand, else what the item says of itself.
func (i item) Passage() []span {
	if i.Snippet != "" {
		return snippetSpans(i.Snippet)
	}
	return scrubbed("", lore.CutAtWord(i.Description+i.Note, maxDescription))
}

// At is the time that a list shows: of a pattern or family, that of its last report, of a question when it was last
// asked.
func (i item) At() time.Time {
	if !i.AskedAt.IsZero() {
		return i.AskedAt
	}
	if slices.Contains([]string{"pattern", "family"}, i.In.Kind) && !i.LastSeenAt.IsZero() {
		return i.LastSeenAt
	}
	return i.CreatedAt
}

// Rests is what the item rests on; nil: on one report, or on the reference library.
func (i item) Rests() *lore.Evidence {
	switch {
	case i.Reference != nil:
		return nil
	case i.Evidence != nil:
		return i.Evidence
	case i.ByReports+i.Reports > 0:
		return &lore.Evidence{
			Submissions: i.ByReports + i.Reports, Sources: i.BySources, Owners: i.ByOwners + i.Owners, SubmissionIDs: i.ExampleIDs,
		}
	}
	return nil
}

// Notes are what else a list says of an item, in words.
func (i item) Notes() (notes []string) {
	note := func(holds bool, words string) {
		if holds {
			notes = append(notes, words)
		}
	}
	note(i.Type != "" && i.Type != i.In.Kind, i.Type)
	note(i.Kind != "", words(i.Kind))
	note(i.Severity != "", i.Severity+" severity")
	if i.Reputation != nil {
		note(true, "reputation "+decimal(*i.Reputation))
	}
	note(i.Reference != nil, "reference library")
	if rests := i.Rests(); rests != nil {
		note(true, plural(rests.Submissions, "report", "reports"))
		note(true, plural(rests.Owners, "owner", "owners"))
	}
	note(i.Askers > 0, plural(i.Askers, "asker", "askers"))
	note(i.Projects > 0, plural(i.Projects, "project", "projects"))
	note(i.In.Kind == "submission" && i.Resolution != "", "has a resolution")
	if o := i.Outcomes; o != nil {
		note(o.Worked > 0, number(o.Worked)+" worked")
		note(o.Failed > 0, number(o.Failed)+" failed")
		note(o.Unsafe > 0, number(o.Unsafe)+" unsafe")
	}
	note(i.FixWithheld != "", "fix withheld")
	note(i.Disputed, "disputed")
	note(slices.Contains(i.MatchedBy, "exact"), "exact match")
	return notes
}

// tiers are the steps from one agent's word to canonical knowledge, in order.
var tiers = []struct {
	Level         lore.Tier
	Name, Meaning string
}{
	{lore.TierRaw, "raw", "one agent's word"},
	{lore.TierCorroborated, "corroborated", "reported or confirmed by other owners"},
	{lore.TierValidated, "validated", "owners with standing confirmed its fix, or it is from the library"},
	{lore.TierCanonical, "canonical", "validated, and used with success by at least five independent owners"},
}

// tierName says a tier in a word.
func tierName(level any) string {
	for _, step := range tiers {
		if fmt.Sprint(level) == fmt.Sprint(int(step.Level)) {
			return step.Name
		}
	}
	return ""
}

// requirements say what an item lacks for the next tier.
var requirements = map[lore.Requirement]string{
	lore.RequireOwners:       "more independent owners who report the same, or that it worked",
	lore.RequireStanding:     "more of these owners with standing: vouched for by the operator, or proven by fixes that others confirmed",
	lore.RequireResolution:   "a resolution: somebody must say what to do",
	lore.RequireConfidence:   "more confidence: too few owners with standing say that it worked, or too many that it failed or does harm",
	lore.RequireApproval:     "a report of an owner with standing that it worked, or an operator's approval, as its category demands",
	lore.RequireUnflagged:    "an operator's dismissal of the safety flag that stands against it",
	lore.RequireFewerReports: "fewer reports: its pattern gathers so many that it says little",
}

// missing says a requirement in words.
func missing(requirement lore.Requirement) string {
	return cmp.Or(requirements[requirement], words(requirement))
}

// Total is the score: a knowledge unit's is the sum of its parts.
func (i item) Total() float64 {
	total := i.Score
	if total == 0 {
		for _, part := range i.ScoreParts {
			total += part
		}
	}
	return total
}

// Parts are what the score is made of, the largest first, each drawn against it.
func (i item) Parts() []bar {
	var drawn []bar
	for name, value := range i.ScoreParts {
		drawn = append(drawn, bar{Label: words(name), Shown: decimal(value), value: value})
	}
	slices.SortFunc(drawn, func(a, b bar) int { return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.Label, b.Label)) })
	return scaled(drawn)
}
