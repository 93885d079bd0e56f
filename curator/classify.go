package curator

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"agentlore/lore"
	"agentlore/terms"
)

// Classification says which category a report belongs to, and why.
type Classification struct {
	Category lore.Category `json:"category" enum:"failure,insight,discovery,optimization,pattern,security,integration,operational,market,general" doc:"The category that was chosen"`
	// Confidence is the share of Category, 0..1. It orders reports by certainty and is not calibrated.
	Confidence float64 `json:"confidence" minimum:"0" maximum:"1" doc:"Its share of 1; a report whose words tell next to nothing is general"`
	// RunnersUp are the next three categories, best first.
	RunnersUp []CategoryScore `json:"runners_up" nullable:"false" doc:"The next categories, best first"`
	// Evidence are the report's words that spoke for the category, at most eight, those of the summary first.
	Evidence []string `json:"evidence" nullable:"false" doc:"The words that spoke most for the category"`
}

// CategoryScore is a category's share, 0..1.
type CategoryScore struct {
	Category lore.Category `json:"category" doc:"Category"`
	Score    float64       `json:"score" minimum:"0" maximum:"1" doc:"Its share of 1"`
}

// CategoryWeights say what a report's evidence is worth. The shares of the categories are the softmax of its sums.
type CategoryWeights struct {
	// Start is what each category has before a word is read. General's is what the others must exceed, so that a report that tells
	// nothing is general.
	Start map[lore.Category]float64
	// Evidence is what each number of a CategoryEvidence is worth.
	Evidence CategoryEvidence
}

// GeneralStart and PatternStart are set by hand, since no labelled report is of these categories. At 1.3 a report whose words say next to
// nothing is general; a pattern must say twice that something recurs.
const (
	GeneralStart = 1.3
	PatternStart = -1.5
)

// categoryWeights are fitted to the labelled reports by `go run ./scripts/categories`, and rounded.
var categoryWeights = CategoryWeights{
	Start: map[lore.Category]float64{
		lore.CategoryFailure: 0.2, lore.CategoryInsight: 0.7, lore.CategoryDiscovery: -0.8, lore.CategoryOptimization: 1.2,
		lore.CategoryPattern: PatternStart, lore.CategorySecurity: 0.3, lore.CategoryIntegration: -0.3, lore.CategoryOperational: 0.3,
		lore.CategoryMarket: -1.7, lore.CategoryGeneral: GeneralStart,
	},
	Evidence: CategoryEvidence{0.4, 2, 1, 1.6},
}

// Classify chooses a report's category from its summary, content and resolution; a category that the submitter gave is not
// looked at. It does no I/O and may be called from many goroutines.
func Classify(o lore.Observation) Classification {
	found, words := readCategoryWords(o)
	scores := categoryWeights.shares(found)
	best := scores[0]
	return Classification{best.Category, best.Score, scores[1:4], words.of(best.Category)}
}

// Choose returns the category of what was found in a report.
func (w CategoryWeights) Choose(found []CategoryEvidence) lore.Category {
	return w.shares(found)[0].Category
}

// shares returns all categories with shares that add up to 1, best first.
func (w CategoryWeights) shares(found []CategoryEvidence) []CategoryScore {
	scores, total := make([]CategoryScore, len(categoryWords)), 0.0
	for i, list := range categoryWords {
		sum := w.Start[list.category]
		for j, value := range found[i] {
			sum += w.Evidence[j] * value
		}
		scores[i] = CategoryScore{list.category, math.Exp(sum)}
		total += scores[i].Score
	}
	for i := range scores {
		scores[i].Score /= total
	}
	slices.SortStableFunc(scores, func(a, b CategoryScore) int { return cmp.Compare(b.Score, a.Score) })
	return scores
}

// CategoryEvidence is what in a report speaks for one category: the points of the words in its summary, at most nine; the logarithm of
// one and the points of the words below; 1 where the summary begins with a strong word; 1 where a line begins with its label of a
// conventional commit, such as "fix:".
type CategoryEvidence [4]float64

const (
	strongPoints     = 3
	maxSummaryPoints = 9
	// maxEvidence is how many words a classification names: enough to see why, few enough to read.
	maxEvidence = 8
	// classifiedLength is how many bytes of content and resolution are read each: what a report is about stands at its beginning, and
	// the time for one report stays bounded.
	classifiedLength = 2000
)

// FindCategoryEvidence returns what speaks for each category, in the order of lore.Categories. Each word counts once.
func FindCategoryEvidence(o lore.Observation) []CategoryEvidence {
	found, _ := readCategoryWords(o)
	return found
}

// spokenWords are the words that were found, by the place of their category.
type spokenWords [][]string

func (w spokenWords) of(category lore.Category) []string {
	words := []string{}
	for i, list := range categoryWords {
		if list.category == category {
			words = append(words, w[i]...)
		}
	}
	return words
}

func readCategoryWords(o lore.Observation) ([]CategoryEvidence, spokenWords) {
	found, spoken := make([]CategoryEvidence, len(categoryWords)), make(spokenWords, len(categoryWords))
	below := cutBytes(o.Content, classifiedLength) + "\n" + cutBytes(o.Resolution, classifiedLength)
	for place, text := range []string{o.Summary, below} {
		seen, first := make(map[string]bool, 64), place == 0
		for word := range eachPart(withoutLinks(text)) {
			stem := terms.Stem(word)
			votes := categoryVotes[stem]
			if len(votes) == 0 || seen[stem] {
				first = false
				continue
			}
			for _, vote := range votes {
				if place == 1 && categoryWords[vote.at].category == lore.CategoryGeneral {
					continue // a template's checklist: docs, changelog, comments
				}
				found[vote.at][place] += vote.points
				if first && vote.points == strongPoints {
					found[vote.at][2] = 1
				}
				if words := spoken[vote.at]; len(words) < maxEvidence && !slices.Contains(words, word) {
					spoken[vote.at] = append(words, word)
				}
			}
			seen[stem], first = true, false
		}
	}
	for line := range strings.Lines(below) {
		label, _, has := strings.Cut(strings.TrimLeft(line, " \t*-"), ":")
		if !has {
			continue
		}
		label, _, _ = strings.Cut(label, "(")
		for i, list := range categoryWords {
			if list.category == commitLabels[strings.ToLower(label)] {
				found[i][3] = 1
			}
		}
	}
	for i := range found {
		found[i][0], found[i][1] = min(found[i][0], maxSummaryPoints), math.Log1p(found[i][1])
	}
	return found, spoken
}

// commitLabels are the labels of conventional commits that say what a change is for.
var commitLabels = map[string]lore.Category{
	"fix": lore.CategoryFailure, "bugfix": lore.CategoryFailure, "feat": lore.CategoryDiscovery, "feature": lore.CategoryDiscovery,
	"perf": lore.CategoryOptimization, "ci": lore.CategoryOperational, "build": lore.CategoryOperational,
}

// categoryVote is what a word says: points for the category at a place of categoryWords.
type categoryVote struct {
	at     int
	points float64
}

// categoryVotes are the votes of each word's stem.
var categoryVotes = func() map[string][]categoryVote {
	votes := map[string][]categoryVote{}
	for i, list := range categoryWords {
		for points, words := range map[float64]string{strongPoints: list.strong, 1: list.weak} {
			for word := range strings.FieldsSeq(words) {
				votes[terms.Stem(word)] = append(votes[terms.Stem(word)], categoryVote{i, points})
			}
		}
	}
	return votes
}()

// cutBytes cuts a text; a rune cut in two is no letter, so no word comes of it.
func cutBytes(text string, limit int) string {
	return text[:min(len(text), limit)]
}
