package lore

import (
	"cmp"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
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
	Ecosystem  string   `json:"ecosystem,omitempty" maxLength:"64" doc:"The chain or network it is about, by any of its names or its CAIP-2 id" example:"ethereum"`
	Usefulness *Rating  `json:"usefulness_score,omitempty" minimum:"1" maximum:"10" doc:"How useful you think this is, 1 to 10" example:"8"`
	// Ref is where an imported observation came from. Only the importer fills it.
	Ref string `json:"-"`
	// Raw observations are one text, whose parts Normalise names. RawReport makes them.
	Raw bool `json:"-"`
}

// Limits that code needs besides the schema's tags. Lengths are counted in characters.
const (
	MaxSummaryLength   = 500
	MaxTagLength       = 64
	MaxEcosystemLength = 64
)

// Check returns what the schema's tags can't say: length of each tag, blank summaries, NUL characters.
func (o Observation) Check() []FieldError {
	faults := checkNotBlank("/summary", o.Summary)
	faults = append(faults, checkText("/content", o.Content)...)
	faults = append(faults, checkText("/resolution", o.Resolution)...)
	faults = append(faults, checkText("/ecosystem", o.Ecosystem)...)
	return append(faults, checkItems("/tags", o.Tags, MaxTagLength)...)
}

// Normalise trims texts, lowercases tags, gives the ecosystem its one name, and drops empty and repeated tags, keeping their order.
func (o *Observation) Normalise() {
	if o.Raw {
		o.sortOut()
	}
	o.Summary = strings.TrimSpace(o.Summary)
	o.Content = strings.TrimSpace(o.Content)
	o.Resolution = strings.TrimSpace(o.Resolution)
	o.Ecosystem = NormaliseEcosystem(o.Ecosystem)
	o.Tags = normaliseList(o.Tags, NormaliseWord)
	if i := slices.Index(o.Tags, InvalidTag); i > 0 {
		o.Tags = slices.Insert(slices.Delete(o.Tags, i, i+1), 0, InvalidTag)
	}
}

// Words are the words of the submission that it becomes.
func (o Observation) Words() Words { return WordsOf(o.Summary, o.Content, o.Resolution) }

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

// Rating is how useful a submitter thinks its report is, a whole number from 1 to 10.
type Rating int

// UnmarshalJSON reads a whole number in any spelling: JSON knows no integers, and to JSON Schema 7.0 and 7e0 are the
// integer 7. Errors: what isn't a whole number; the range is the schema's to check.
func (r *Rating) UnmarshalJSON(data []byte) error {
	var number float64
	if err := json.Unmarshal(data, &number); err != nil {
		return errors.New("rating: not a number")
	}
	if number != float64(int(number)) {
		return errors.New("rating: not a whole number")
	}
	*r = Rating(number)
	return nil
}

// SubmissionLine is one line of an import file: an observation with where it came from.
type SubmissionLine struct {
	Source     string     `json:"source" minLength:"1" maxLength:"64" doc:"Name of the source; made as needed, of type tool"`
	Summary    string     `json:"summary" minLength:"1" maxLength:"500" doc:"The observation in one line"`
	Category   Category   `json:"category,omitempty" enum:"failure,insight,discovery,optimization,pattern,security,integration,operational,market,general" doc:"Category; agentlore chooses one where it is missing"`
	Content    string     `json:"content,omitempty" maxLength:"20000" doc:"Detail"`
	Resolution string     `json:"resolution,omitempty" maxLength:"20000" doc:"What solved it"`
	Tags       []string   `json:"tags,omitempty" maxItems:"20" nullable:"false" doc:"Tags"`
	Ecosystem  string     `json:"ecosystem,omitempty" maxLength:"64" doc:"Chain or network"`
	Usefulness *Rating    `json:"usefulness_score,omitempty" minimum:"1" maximum:"10" doc:"1 to 10"`
	CreatedAt  *time.Time `json:"created_at,omitempty" doc:"When it was first published"`
	Ref        string     `json:"ref,omitempty" maxLength:"1024" doc:"Where it came from; unique a source, so that an import can run twice"`
	Invalid    bool       `json:"invalid,omitempty" doc:"true: those who judged it called it invalid; the same as the tag invalid"`
}

// Check returns what the schema's tags can't say.
func (l SubmissionLine) Check() []FieldError {
	faults := append(checkPrintable("/source", l.Source), checkText("/ref", l.Ref)...)
	if l.CreatedAt != nil && l.CreatedAt.Year() < 1970 {
		faults = append(faults, FieldError{Pointer: "/created_at", Code: "out_of_range", Detail: "must not lie before 1970"})
	}
	return append(faults, l.Observation().Check()...)
}

// Observation returns what the line says. Where it has no category, it is general until one is chosen.
func (l SubmissionLine) Observation() Observation {
	observation := Observation{
		Summary: l.Summary, Category: l.Category, Content: l.Content, Resolution: l.Resolution, Tags: l.Tags,
		Ecosystem: l.Ecosystem, Usefulness: l.Usefulness, Ref: l.Ref,
	}
	if l.Invalid {
		observation.Tags = append([]string{InvalidTag}, l.Tags...)
	}
	if observation.Category == "" {
		observation.Category = CategoryGeneral
	}
	return observation
}

// ImportID returns the id of an imported observation: its source and ref, or, without a ref of its own, its text. A ref
// that the scrubber changed may be no longer unique, so the text counts then as well.
func (o Observation) ImportID(sourceID string) string {
	if o.Ref == "" || strings.Contains(o.Ref, ScrubMarker) {
		return DerivedID("import", sourceID, o.Ref, o.Fingerprint())
	}
	return DerivedID("import", sourceID, o.Ref)
}

// RawReport is a text that the service is to sort out: an observation without its parts named.
type RawReport struct {
	Content   string `json:"content" minLength:"1" maxLength:"20000" doc:"What you saw, found or solved, in any form; a part under Resolution:, Fix:, Solution: or Workaround: is taken as what solved it" example:"approve() of USDT on mainnet reverts when the allowance is above zero.\n\nFix: call approve(spender, 0) first."`
	Summary   string `json:"summary,omitempty" maxLength:"500" doc:"The same in one line; made from the content when absent"`
	Ecosystem string `json:"ecosystem,omitempty" maxLength:"64" doc:"The chain or network it is about" example:"ethereum"`
	DryRun    bool   `json:"dry_run,omitempty" doc:"true: only say what would be done; nothing is stored"`
}

// Check returns what the schema's tags can't say.
func (r RawReport) Check() []FieldError {
	faults := append(checkNotBlank("/summary", r.Summary), checkText("/ecosystem", r.Ecosystem)...)
	return append(faults, checkNotBlank("/content", r.Content)...)
}

// Observation returns the report as an observation whose parts are named when it is normalised: behind the scrubber, since
// a cut before it could leave half a secret, which it doesn't know.
func (r RawReport) Observation() Observation {
	return Observation{Summary: r.Summary, Content: r.Content, Ecosystem: r.Ecosystem, Raw: true}
}

var (
	// sectionStart is a line that begins a part: a heading, or a word and a colon.
	sectionStart = regexp.MustCompile(`(?m)^[ \t]*(?:#{1,6}[ \t]+[^\n]+|\*\*[^*\n]{1,60}\*\*:?|[A-Z][A-Za-z ]{1,30}:)`)
	// resolutionStart is one that begins what solved it.
	resolutionStart = regexp.MustCompile(`(?i)^[ \t#*]*(?:the )?(?:resolution|fix|solution|workaround|mitigation|how to fix|recommended fix|what (?:solved|fixed|worked)[a-z ]{0,10})[ \t]*\**[ \t]*:?[ \t]*\**[ \t]*`)
	firstSentence   = regexp.MustCompile(`^[^\n]*?[.!?](?:\s|$)`)
	headingMarks    = regexp.MustCompile(`^[\s#>*-]+|[\s*:]+$`)
)

// sortOut names the parts of a raw report: what solved it moves from content to resolution, and a summary is made of the
// first sentence. It changes nothing where both are named.
func (o *Observation) sortOut() {
	if o.Resolution == "" {
		o.Content, o.Resolution = splitResolution(o.Content)
	}
	if o.Summary == "" {
		text := strings.TrimSpace(cmp.Or(o.Content, o.Resolution))
		line, _, _ := strings.Cut(text, "\n")
		if sentence := firstSentence.FindString(line); sentence != "" && len(sentence) >= 20 {
			line = sentence
		}
		o.Summary = CutAtWord(strings.TrimSuffix(headingMarks.ReplaceAllString(line, ""), "."), MaxSummaryLength)
		if o.Summary == "" {
			o.Summary = CutAtWord(text, MaxSummaryLength)
		}
	}
}

// splitResolution takes the parts that say what solved it out of a content. A content that is nothing else stays whole.
func splitResolution(content string) (rest, resolution string) {
	starts := sectionStart.FindAllStringIndex(content, -1)
	var kept, taken strings.Builder
	from := 0
	for i, start := range starts {
		end := len(content)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		if label := resolutionStart.FindString(content[start[0]:end]); label != "" && strings.ContainsAny(label, ":#*") {
			kept.WriteString(content[from:start[0]])
			taken.WriteString("\n" + content[start[0]+len(label):end])
			from = end
		}
	}
	kept.WriteString(content[from:])
	rest, resolution = strings.TrimSpace(kept.String()), strings.TrimSpace(taken.String())
	if rest == "" || resolution == "" {
		return content, ""
	}
	return rest, resolution
}
