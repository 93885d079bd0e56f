package curator

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"agentlore/lore"
)

// ScoreRules are the weights of a score. A score is 1 plus its parts, at most 10.
type ScoreRules struct {
	// Specificity is added in full where a report names FullEntities things that can be looked up.
	Specificity float64 `json:"specificity"`
	// FullEntities counts addresses, standards, error names and packages, versions, and passages of code.
	FullEntities float64 `json:"full_entities"`
	// Resolution is added in full where a resolution has FullResolutionWords words that the summary has not.
	Resolution          float64 `json:"resolution"`
	FullResolutionWords float64 `json:"full_resolution_words"`
	// Structure is added in full where the content has FullContentWords different words and a visible order.
	Structure        float64 `json:"structure"`
	FullContentWords float64 `json:"full_content_words"`
	// Order is the share of Structure for a list, headings, a code block or paragraphs; the rest is for words.
	Order float64 `json:"order"`
	// Reputation is multiplied with the source's reputation, 0..1.
	Reputation float64 `json:"reputation"`
	// Usefulness is multiplied with the submitter's own rating, as 0..1. A report without one gets half.
	Usefulness float64 `json:"usefulness"`
}

// Bounds of a score.
const (
	LeastScore = 1.0
	MostScore  = 10.0
)

// maxSelfRating is the share of a score's range by which a submitter's own rating may move it: the design's 5 %.
const maxSelfRating = 0.05

// defaultScoreRules: what can be looked up makes a report findable and checkable, so it weighs most; then what to do about
// it. The rest is our judgement: no labelled data says which report helped.
func defaultScoreRules() ScoreRules {
	return ScoreRules{
		Specificity: 3.5, FullEntities: 4, // an error name, a version, an address and a piece of code say where to look
		Resolution: 2, FullResolutionWords: 10, // one whole sentence
		Structure: 1.5, FullContentWords: 50, // half a page; different words, so that repeating says nothing
		Order:      0.3,
		Reputation: 1.55,
		Usefulness: 0.45, // 5 % of the range of 9
	}
}

// check returns every fault of the weights.
func (r ScoreRules) check() error {
	faults := []error{
		inRange("score.specificity", r.Specificity, 0, MostScore), inRange("score.resolution", r.Resolution, 0, MostScore),
		inRange("score.structure", r.Structure, 0, MostScore), inRange("score.order", r.Order, 0, 1),
		inRange("score.reputation", r.Reputation, 0, MostScore),
		inRange("score.usefulness", r.Usefulness, 0, maxSelfRating*(MostScore-LeastScore)),
		inRange("score.full_entities", r.FullEntities, 1, 1000), inRange("score.full_resolution_words", r.FullResolutionWords, 1, 1000),
		inRange("score.full_content_words", r.FullContentWords, 1, 10_000),
	}
	if sum := LeastScore + r.Specificity + r.Resolution + r.Structure + r.Reputation + r.Usefulness; sum > MostScore+1e-9 {
		faults = append(faults, errors.New("rules: the weights of score must add up to 9 at most"))
	}
	return errors.Join(faults...)
}

// The parts of a score.
const (
	PartBase        = "base"
	PartSpecificity = "specificity"
	PartResolution  = "resolution"
	PartStructure   = "structure"
	PartReputation  = "reputation"
	PartUsefulness  = "usefulness"
)

// Score returns how much there is in a scrubbed report, 1..10, as the sum of its parts, both to the hundredth. It reads what
// the report says and the reputation (0..1) of its source, nothing else, so that it can be computed anew at any time.
func (r ScoreRules) Score(o lore.Observation, reputation float64) (score float64, parts lore.ScoreParts) {
	rating := 0.5
	if o.Usefulness != nil {
		rating = float64(*o.Usefulness-1) / 9
	}
	parts = lore.ScoreParts{
		PartBase:        LeastScore,
		PartSpecificity: hundredths(r.Specificity * share(specifics(o), r.FullEntities)),
		PartResolution:  hundredths(r.Resolution * share(newWords(o.Resolution, o.Summary), r.FullResolutionWords)),
		PartStructure: hundredths(r.Structure * (r.Order*order(o.Content+"\n\n"+o.Resolution) +
			(1-r.Order)*share(newWords(o.Content, o.Summary), r.FullContentWords))),
		PartReputation: hundredths(r.Reputation * min(1, max(0, reputation))),
		PartUsefulness: hundredths(r.Usefulness * min(1, max(0, rating))),
	}
	for _, part := range parts {
		score += part
	}
	return min(MostScore, hundredths(score)), parts
}

// share returns how much of what is enough there is, at most 1.
func share(count int, enough float64) float64 { return min(1, float64(count)/enough) }

var (
	codeBlock = regexp.MustCompile("(?s)```.*?(?:```|$)")
	codeSpan  = regexp.MustCompile("`[^`\n]+`")
	version   = regexp.MustCompile(`\bv\d+(?:\.\d+)*\b|\b\d+(?:\.\d+){2,}\b`)
	// ordered finds what a reader's eye can hold on to: paragraphs, a block of code, a list, headings.
	ordered = regexp.MustCompile("\\S\n\\s*\n\\s*\\S|```" + `|(?m)^[ \t]*(?:[-*+]|\d+[.)]|#{1,6})[ \t]+\S`)
)

// specifics counts what can be looked up: different entities and versions, and passages of code.
func specifics(o lore.Observation) int {
	text := strings.Join([]string{o.Summary, o.Content, o.Resolution}, "\n")
	passages := codeBlock.FindAllString(text, -1)
	if len(passages) == 0 {
		passages = codeSpan.FindAllString(text, -1)
	}
	found := map[string]bool{}
	for _, one := range slices.Concat(passages, version.FindAllString(text, -1), lore.Entities(text)) {
		found[one] = true
	}
	return len(found)
}

// newWords counts the different words of a text that another one has not. The scrubber's marker is none.
func newWords(text, other string) int {
	known := map[string]bool{"": true, marker: true}
	for word := range eachPart(other) {
		known[word] = true
	}
	before := len(known)
	for word := range eachPart(text) {
		known[word] = true
	}
	return len(known) - before
}

// order is 1 for a text that is more than one run of words.
func order(text string) float64 {
	if ordered.MatchString(text) {
		return 1
	}
	return 0
}
