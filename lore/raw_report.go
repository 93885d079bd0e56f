package lore

import (
	"regexp"
	"strings"
)

// RawReport is a text that the service is to sort out: an observation without its parts named.
type RawReport struct {
	Content   string `json:"content" minLength:"1" maxLength:"20000" doc:"What you saw, found or solved, in any form; a part under Resolution:, Fix:, Solution: or Workaround: is taken as what solved it" example:"approve() of USDT on mainnet reverts when the allowance is above zero.\n\nFix: call approve(spender, 0) first."`
	Summary   string `json:"summary,omitempty" maxLength:"500" doc:"The same in one line; made from the content when absent"`
	Ecosystem string `json:"ecosystem,omitempty" maxLength:"64" doc:"The chain or network it is about" example:"ethereum"`
	DryRun    bool   `json:"dry_run,omitempty" doc:"true: only say what would be done; nothing is stored"`
}

// Check returns what the schema's tags can't say.
func (r RawReport) Check() []FieldError {
	faults := append(checkSummary("/summary", r.Summary), checkText("/ecosystem", r.Ecosystem)...)
	if r.Content != "" && strings.TrimSpace(r.Content) == "" {
		return append(faults, FieldError{Pointer: "/content", Code: "blank", Detail: "must say something: it holds only spaces"})
	}
	return append(faults, checkText("/content", r.Content)...)
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
		text := strings.TrimSpace(first(o.Content, o.Resolution))
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

// first returns the first text that isn't empty.
func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
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
