package curator

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"agentlore/lore"
)

// CategoryFloor is the confidence below which a report is called general. Nine categories that are equally likely have 0.11
// each; at 0.25 the best has more than twice that.
const CategoryFloor = 0.25

// maxEvidence is how many words a classification names: enough to see why, few enough to read.
const maxEvidence = 8

// Classification says which category a report belongs to, and why.
type Classification struct {
	Category lore.Category `json:"category" enum:"failure,insight,discovery,optimization,pattern,security,integration,operational,market,general" doc:"The category that was chosen"`
	// Confidence is the share of Category, 0..1, or of the best category where Category is general because of the floor. It
	// orders reports by certainty and is not calibrated on unknown origins.
	Confidence float64 `json:"confidence" minimum:"0" maximum:"1" doc:"Its share of 1; below the floor the category is general"`
	// RunnersUp are the next categories, best first, at most three.
	RunnersUp []CategoryScore `json:"runners_up" nullable:"false" doc:"The next categories, best first"`
	// Evidence are the report's words that spoke most for the best category, at most eight, strongest first.
	Evidence []string `json:"evidence" nullable:"false" doc:"The words that spoke most for the category"`
}

// CategoryScore is a category's share, 0..1.
type CategoryScore struct {
	Category lore.Category `json:"category" doc:"Category"`
	Score    float64       `json:"score" minimum:"0" maximum:"1" doc:"Its share of 1"`
}

// Classify chooses a report's category from its summary, content and resolution; a category that the submitter gave is not
// looked at. It does no I/O and may be called from many goroutines.
func Classify(o lore.Observation) Classification {
	return categoryModel.Classify(o)
}

// Classify is the package's Classify by another model: held-out evaluation needs it.
func (m CategoryModel) Classify(o lore.Observation) Classification {
	text := readCategoryText(o)
	features := text.features(func(word string) bool { return m.Weights[word] != nil })
	sums := slices.Clone(m.Weights[alwaysFeature])
	if sums == nil {
		sums = make([]float64, len(m.Categories))
	}
	for _, feature := range features {
		for i, weight := range m.Weights[feature.Name] {
			sums[i] += weight * feature.Value
		}
	}
	if !slices.ContainsFunc(features, func(f CategoryFeature) bool { return !strings.HasPrefix(f.Name, "shape:") }) {
		clear(sums) // nothing was said: form alone is no reason
	}
	scores := splitScores(text, shares(m.Categories, sums))
	slices.SortStableFunc(scores, func(a, b CategoryScore) int { return cmp.Compare(b.Score, a.Score) })
	best := scores[0]
	result := Classification{
		Category: best.Category, Confidence: best.Score, RunnersUp: scores[1:min(4, len(scores))],
		Evidence: m.evidence(text, features, best.Category),
	}
	if best.Score < CategoryFloor {
		result.Category, result.RunnersUp = lore.CategoryGeneral, scores[:min(3, len(scores))]
	}
	return result
}

// shares turns sums into shares that add up to 1.
func shares(categories []lore.Category, sums []float64) []CategoryScore {
	largest, total := slices.Max(sums), 0.0
	scores := make([]CategoryScore, len(sums))
	for i, sum := range sums {
		scores[i] = CategoryScore{categories[i], math.Exp(sum - largest)}
		total += scores[i].Score
	}
	for i := range scores {
		scores[i].Score /= total
	}
	return scores
}

// splitScores divides shares between learned categories and those that too few labelled origins show: integration takes from
// operational, pattern from insight, failure and operational, each by its own cue words.
func splitScores(text categoryText, scores []CategoryScore) []CategoryScore {
	link := cuePart(text, linking)
	again := cuePart(text, recurring)
	var integration, pattern float64
	for i := range scores {
		switch scores[i].Category {
		case lore.CategoryOperational:
			pattern += scores[i].Score * again
			integration += scores[i].Score * (1 - again) * link
			scores[i].Score *= (1 - again) * (1 - link)
		case lore.CategoryInsight, lore.CategoryFailure:
			pattern += scores[i].Score * again
			scores[i].Score *= 1 - again
		}
	}
	return append(scores, CategoryScore{lore.CategoryIntegration, integration}, CategoryScore{lore.CategoryPattern, pattern})
}

// cuePart is how much of a share a list of cues takes, 0..1: two different ones in the summary take most of it, one with others
// below it half.
func cuePart(text categoryText, list map[string]bool) float64 {
	density := float64(countHits(text.further, list)) / float64(20+len(text.further))
	evidence := 1.5*float64(min(distinctHits(text.summaryWords, list), 3)) + 20*density
	return 1 / (1 + math.Exp(-2*(evidence-2.2)))
}

// bareWords count, but tell a reader nothing as evidence.
var bareWords = cueWords(`a all also an and any are as at be been but by can could do does for from had has have if in into is
it its may might more no not of on only or other should so some such than that the their them then there these they this to up
was we were when where which while will with would you your`)

// evidence names the words that moved the sum of a category most above the mean of all categories. For a category without
// learned weights they are its cue words.
func (m CategoryModel) evidence(text categoryText, features []CategoryFeature, category lore.Category) []string {
	words := []string{}
	at := slices.Index(m.Categories, category)
	if at < 0 {
		list := linking
		if category == lore.CategoryPattern {
			list = recurring
		}
		for _, word := range slices.Concat(text.summaryWords, text.further) {
			if list[word] && len(words) < maxEvidence && !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
		return words
	}
	type spoke struct {
		word string
		gain float64
	}
	var gains []spoke
	for _, feature := range features {
		if strings.Contains(feature.Name, ":") || bareWords[feature.Name] {
			continue
		}
		weights := m.Weights[feature.Name]
		mean := 0.0
		for _, weight := range weights {
			mean += weight / float64(len(weights))
		}
		if gain := (weights[at] - mean) * feature.Value; gain > 0 {
			gains = append(gains, spoke{feature.Name, gain})
		}
	}
	slices.SortStableFunc(gains, func(a, b spoke) int { return cmp.Compare(b.gain, a.gain) })
	for _, g := range gains[:min(maxEvidence, len(gains))] {
		words = append(words, g.word)
	}
	return words
}
