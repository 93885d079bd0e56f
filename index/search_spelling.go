package index

import (
	"cmp"
	"slices"
	"strings"
)

// spelling is what to search for in place of words that the corpus doesn't know, by word.
type spelling map[string]respelt

// respelt is what one word may stand for.
type respelt struct {
	near   []alternative // best first
	prefix string        // a beginning of words of the corpus, or ""
	kept   bool          // the word is known, if doubtful: it counts beside its alternatives
}

// alternative is a word of the corpus that a misspelt one may stand for.
type alternative struct {
	text      string
	weight    float64
	documents int64
}

// When a word is taken for misspelt or cut short. Of real typing errors with one edit 5 % are words of the corpus
// themselves, and of beginnings of words 28 %.
const (
	// typoRatio is how many times more frequent a neighbour at one edit must be to put a known word in doubt.
	typoRatio = 50
	// prefixRatio is how many times more documents must have a word that begins so than the word itself.
	prefixRatio = 20
	// prefixWeight counts a beginning below a word that is there in full.
	prefixWeight = 0.8
	// maxAlternatives bounds the request for results: the right word is among the first four of 99 % of typing errors.
	maxAlternatives = 4
	// maxAlternativesInAll is for all words of q together, each of which has its best one.
	maxAlternativesInAll = 24
	// maxCorrected is how many words of q are corrected and completed, of at most so many letters together: each letter costs.
	maxCorrected        = 16
	maxCorrectedLetters = 128
	// maxCorrectable is the length up to which a word is corrected: longer ones are hardly English.
	maxCorrectable = 16
	// A word is looked for two edits away from twoEditsFrom letters on, as in Elasticsearch's own fuzziness AUTO, and up to
	// twoEditsUpTo: the time it takes grows with the letters. maxTwoEdits is for how many words of a q of at most shortQuestion.
	twoEditsFrom  = 6
	twoEditsUpTo  = 12
	maxTwoEdits   = 2
	shortQuestion = 8
	// secondEditWeight counts an alternative two edits away beside one that is a single edit away.
	secondEditWeight = 0.6
)

// correctable reports whether the vocabulary is asked what a word in the form of the words field may stand for.
func correctable(word string) bool {
	return len(word) >= minCorrectable && len(word) <= maxCorrectable && onlyLetters(word)
}

// telling returns the words that are corrected where they must be: the longest ones, which are rarer than short ones and
// more often mistyped. Which they are depends on q alone, so that all pages of a search are read alike.
func telling(words []string) []string {
	words = slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !correctable(word) })
	slices.SortStableFunc(words, func(a, b string) int { return len(b) - len(a) })
	letters := 0
	for i, word := range words {
		if letters += len(word); i == maxCorrected || letters > maxCorrectedLetters {
			return words[:i]
		}
	}
	return words
}

// doubts reports whether a word is corrected where it must be.
func (s search) doubts(word string) bool { return slices.Contains(s.doubted, word) }

// lost returns the words of a short q of which the corpus has neither the word nor one that is an edit away. Of many words the
// others find the result.
func (s search) lost(known vocabulary) []string {
	if len(known.count) > shortQuestion {
		return nil
	}
	lost := slices.DeleteFunc(slices.Clone(s.unsure), func(word string) bool {
		return !s.doubts(word) || len(word) < twoEditsFrom || len(word) > twoEditsUpTo ||
			known.count[word] > 0 || len(known.near[word]) > 0 || known.prefixes[word] > 0
	})
	return lost[:min(len(lost), maxTwoEdits)]
}

// decide adds which words are to be searched for otherwise than as they were typed.
func (s search) decide(known vocabulary) {
	for _, word := range s.unsure {
		if instead, needed := respell(word, known); needed && s.doubts(word) {
			s.spelling[word] = instead
		}
	}
}

// respell returns what a word may stand for, unless it is one that the corpus knows well.
func respell(word string, known vocabulary) (instead respelt, needed bool) {
	documents := known.count[word]
	if instead.near = alternatives(known.near[word], 1); len(instead.near) == 0 {
		instead.near = alternatives(known.far[word], secondEditWeight)
	}
	instead.kept = documents > 0
	if len(word) > maxPrefix && !instead.kept {
		instead.prefix = word[:maxPrefix]
	} else if known.prefixes[word] > documents*prefixRatio {
		instead.prefix = word
	}
	if !instead.kept {
		return instead, len(instead.near) > 0 || instead.prefix != ""
	}
	nearer := slices.ContainsFunc(known.near[word], func(option suggestion) bool { return option.Documents >= documents*typoRatio })
	if !nearer {
		instead.near = nil
	}
	return instead, nearer || instead.prefix != ""
}

// alternatives weighs the neighbours of a word, all of one distance: frequent ones before rare ones. A much rarer one is left
// out: it is most often somebody else's typing error, and its rarity alone would put it first.
func alternatives(options []suggestion, weight float64) []alternative {
	options = slices.Clone(options)
	slices.SortStableFunc(options, func(a, b suggestion) int { return cmp.Compare(b.Documents, a.Documents) })
	var chosen []alternative
	for _, option := range options[:min(len(options), maxAlternatives)] {
		if option.Documents*20 >= options[0].Documents {
			chosen = append(chosen, alternative{option.Text, weight, option.Documents})
		}
	}
	return chosen
}

// replaces reports whether a word is searched for by clauses of the spelling instead of as it was typed.
func (s spelling) replaces(word queryWord) bool {
	key, can := word.key()
	_, there := s[key]
	return can && there
}

// best returns the likeliest spelling of a word.
func (s spelling) best(word queryWord) string {
	key, _ := word.key()
	if instead := s[key]; !instead.kept && len(instead.near) > 0 {
		return instead.near[0].text
	}
	return word.text
}

// respeltWords builds one clause a misspelt word, of all that it may stand for; the best of it counts. The clauses are
// named after the layers.
func (s search) respeltWords() []any {
	weights := map[string]float64{} // a word that q repeats counts as often, in one clause
	var keys []string
	for _, word := range s.subject() {
		if !s.spelling.replaces(word.queryWord) {
			continue
		}
		key, _ := word.key()
		if weights[key] == 0 {
			keys = append(keys, key)
		}
		weights[key] += word.weight
	}
	var clauses []any
	for _, key := range keys {
		instead, weight := s.spelling[key], weights[key]
		var either []any
		for i, near := range instead.near[:min(len(instead.near), max(1, maxAlternativesInAll/len(keys)))] {
			either = append(either, matchWords("text", near.text, near.weight*weight, s.name(layerFuzzy+"."+key, i)))
		}
		// Also a word that no text has as it is: texts may have another form of it, of the same stem.
		either = append(either, matchWords("text", key, weight, s.name(layerKeyword+"."+key, len(instead.near))))
		if instead.prefix != "" {
			either = append(either, matchWords("prefixes", instead.prefix, prefixWeight*weight, s.name(layerPartial+"."+key, 0)))
		}
		clauses = append(clauses, map[string]any{"dis_max": map[string]any{"queries": either}})
	}
	return clauses
}

// didYouMean returns q with its misspelt words corrected, or "" if there are none.
func (s spelling) didYouMean(q string, words []queryWord) string {
	type change struct {
		word queryWord
		text string
	}
	var changes []change
	add := func(word queryWord) bool {
		key, _ := word.key()
		instead := s[key]
		if !s.replaces(word) || instead.kept || len(instead.near) == 0 {
			return false
		}
		changes = append(changes, change{word, inCaseOf(word.text, instead.near[0].text)})
		return true
	}
	for _, word := range words {
		if !add(word) {
			for _, part := range word.parts {
				add(part)
			}
		}
	}
	for _, c := range slices.Backward(changes) {
		q = q[:c.word.start] + c.text + q[c.word.end:]
	}
	if len(changes) == 0 {
		return ""
	}
	return q
}

// inCaseOf returns a word with the capital that the typed one began with.
func inCaseOf(typed, word string) string {
	if first := typed[:1]; first != strings.ToLower(first) {
		return strings.ToUpper(word[:1]) + word[1:]
	}
	return word
}
