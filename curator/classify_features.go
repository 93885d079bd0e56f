package curator

import (
	"iter"
	"math"
	"slices"
	"strings"

	"agentlore/lore"
)

// classifiedLength is how many bytes of content and resolution are read each: what a report is about stands at its beginning,
// and the time for one report stays bounded.
const classifiedLength = 2000

// summaryWeight is what a word of the summary counts against one of the text below it: a summary is the submitter's own digest.
const summaryWeight = 1.5

// cueScale and shapeScale bring cues and shapes to the size of single words in a normalised text, so that one penalty fits all.
const (
	cueScale   = 0.3
	shapeScale = 0.3
)

// CategoryFeature is one thing that the classifier sees in a report.
type CategoryFeature struct {
	// Name is a lowercase word, or "cue:LIST.summary", "cue:LIST.text" or "shape:NAME".
	Name string
	// Value is above 0, and at most 1 for words, whose values have the Euclidean norm 1 together.
	Value float64
}

// CategoryFeatures returns what the classifier sees in a report, in an order that depends on the report alone. known filters the
// words (nil: all); the norm is taken over those. Words in fenced code and addresses of web pages are not read: they are the
// project's, not the report's.
func CategoryFeatures(o lore.Observation, known func(word string) bool) []CategoryFeature {
	return readCategoryText(o).features(known)
}

// categoryText is the part of a report that is read, and its words.
type categoryText struct {
	summary, text         string
	summaryWords, further []string
}

func readCategoryText(o lore.Observation) categoryText {
	text := cutBytes(o.Content, classifiedLength)
	if o.Resolution != "" {
		text += "\n" + cutBytes(o.Resolution, classifiedLength)
	}
	return categoryText{o.Summary, text, categoryWords(o.Summary), categoryWords(text)}
}

func (t categoryText) features(known func(string) bool) []CategoryFeature {
	features := wordFeatures(t.summaryWords, t.further, known)
	features = append(features, cueFeatures(t.summaryWords, t.further)...)
	return append(features, shapeFeatures(t.summary, t.text)...)
}

// wordFeatures weighs each word once for the summary and by the logarithm of its count below.
func wordFeatures(summary, below []string, known func(string) bool) []CategoryFeature {
	position := make(map[string]int, len(summary)+len(below))
	var features []CategoryFeature
	var counts []int
	for part, words := range [][]string{summary, below} {
		for _, word := range words {
			at, found := position[word]
			if !found {
				if known != nil && !known(word) {
					continue
				}
				at = len(features)
				position[word] = at
				features, counts = append(features, CategoryFeature{Name: word}), append(counts, 0)
			}
			if part == 0 {
				features[at].Value = summaryWeight
			} else {
				counts[at]++
			}
		}
	}
	norm := 0.0
	for i := range features {
		if counts[i] > 0 {
			features[i].Value += 1 + math.Log(float64(counts[i]))
		}
		norm += features[i].Value * features[i].Value
	}
	for i := range features {
		features[i].Value /= math.Sqrt(norm)
	}
	return features
}

// cueFeatures counts the cue words of each list: up to two in the summary, by their density below.
func cueFeatures(summary, below []string) []CategoryFeature {
	above, hits := make([]int, len(cueLists)), make([]int, len(cueLists))
	for i, word := range summary {
		if !slices.Contains(summary[:i], word) {
			for _, list := range listsOf[word] {
				above[list]++
			}
		}
	}
	for _, word := range below {
		for _, list := range listsOf[word] {
			hits[list]++
		}
	}
	var features []CategoryFeature
	for i, list := range cueLists {
		if above[i] > 0 {
			features = append(features, CategoryFeature{"cue:" + list.name + ".summary", cueScale * float64(min(above[i], 2))})
		}
		if hits[i] > 0 {
			density := math.Log1p(30 * float64(hits[i]) / float64(10+len(below)))
			features = append(features, CategoryFeature{"cue:" + list.name + ".text", cueScale * density})
		}
	}
	return features
}

// listsOf finds the cue lists that a word is in, by one look-up a word.
var listsOf = func() map[string][]int {
	lists := map[string][]int{}
	for i, list := range cueLists {
		for word := range list.words {
			lists[word] = append(lists[word], i)
		}
	}
	return lists
}()

// shapeFeatures are marks of form. Length and missing content are no part of them: they tell origins apart, not categories.
func shapeFeatures(summary, text string) []CategoryFeature {
	shapes := []struct {
		name  string
		shown bool
	}{
		{"code", strings.Contains(text, "```")},
		{"headings", strings.HasPrefix(text, "#") || strings.Contains(text, "\n#")},
		{"percent", strings.Contains(summary, "%") || strings.Contains(cutBytes(text, 300), "%")},
		{"table", strings.Contains(text, "|")},
		{"titled", strings.Contains(summary, ": ")},
		{"sentence", strings.HasSuffix(summary, ".")},
		{"figures", strings.ContainsAny(summary, "0123456789")},
	}
	var features []CategoryFeature
	for _, shape := range shapes {
		if shape.shown {
			features = append(features, CategoryFeature{"shape:" + shape.name, shapeScale})
		}
	}
	return features
}

func distinctHits(words []string, list map[string]bool) int {
	seen := map[string]bool{}
	for _, word := range words {
		if list[word] {
			seen[word] = true
		}
	}
	return len(seen)
}

func countHits(words []string, list map[string]bool) int {
	hits := 0
	for _, word := range words {
		if list[word] {
			hits++
		}
	}
	return hits
}

// cutBytes cuts a text; a rune cut in two is no letter, so no word comes of it.
func cutBytes(text string, limit int) string {
	return text[:min(len(text), limit)]
}

// categoryWords returns the words of eachCategoryWord.
func categoryWords(text string) []string {
	words := make([]string, 0, len(text)/6)
	for word := range eachCategoryWord(text) {
		words = append(words, word)
	}
	return words
}

// eachCategoryWord splits a text into lowercase words of two or more ASCII letters. An identifier's parts are words of their own:
// maxOpenInterest speaks of interest, however a project writes it.
func eachCategoryWord(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i < len(text); {
			if strings.HasPrefix(text[i:], "```") {
				end := strings.Index(text[i+3:], "```")
				if end < 0 {
					break
				}
				i += 3 + end + 3
				continue
			}
			if strings.HasPrefix(text[i:], "https://") || strings.HasPrefix(text[i:], "http://") {
				for i < len(text) && text[i] > ' ' {
					i++
				}
				continue
			}
			end := wordEnd(text, i)
			if end-i >= 2 && !yield(strings.ToLower(text[i:end])) {
				return
			}
			i = max(end, i+1)
		}
	}
}

// wordEnd returns where the word that begins at i ends: before a capital that follows a small letter, and before the last capital
// of a run that a small letter follows (HTTPServer: http, server).
func wordEnd(text string, i int) int {
	end := i
	for end < len(text) && isUpper(text[end]) {
		end++
	}
	if end < len(text) && isLower(text[end]) {
		if end-i > 1 {
			return end - 1
		}
		for end < len(text) && isLower(text[end]) {
			end++
		}
	}
	return end
}

func isUpper(b byte) bool { return b >= 'A' && b <= 'Z' }
func isLower(b byte) bool { return b >= 'a' && b <= 'z' }
