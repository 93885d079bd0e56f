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
	// twoEditsFrom is the length from which a word may be two edits away from what was meant, as in Elasticsearch's own
	// fuzziness AUTO.
	twoEditsFrom = 6
	// secondEditWeight counts an alternative two edits away beside one that is a single edit away.
	secondEditWeight = 0.6
)

// decide adds which words are to be searched for otherwise than as they were typed.
func (s spelling) decide(words []string, known vocabulary) {
	for _, word := range words {
		if len(word) < minCorrectable || !onlyLetters(word) {
			continue
		}
		if instead, needed := respell(word, known); needed {
			s[word] = instead
		}
	}
}

// respell returns what a word may stand for, unless it is one that the corpus knows well.
func respell(word string, known vocabulary) (instead respelt, needed bool) {
	documents := known.count[word]
	instead.near = alternatives(word, known.near[word])
	instead.kept = documents > 0
	if len(word) > maxPrefix && documents == 0 {
		instead.prefix = word[:maxPrefix]
	} else if known.prefixes[word] > documents*prefixRatio {
		instead.prefix = word
	}
	if documents == 0 {
		return instead, len(instead.near) > 0 || instead.prefix != ""
	}
	nearer := slices.ContainsFunc(known.near[word], func(option suggestion) bool {
		return option.Documents >= documents*typoRatio && edits(word, option.Text) == 1
	})
	if !nearer {
		instead.near = nil
	}
	return instead, nearer || instead.prefix != ""
}

// alternatives weighs the neighbours of a word: near ones before far ones, frequent ones before rare ones. A rare
// neighbour of the same distance is left out: it is most often somebody else's typing error, and its rarity alone would
// put it first.
func alternatives(word string, near []suggestion) []alternative {
	type candidate struct {
		suggestion
		edits int
	}
	var candidates []candidate
	for _, option := range near {
		if distance := edits(word, option.Text); distance == 1 || len(word) >= twoEditsFrom {
			candidates = append(candidates, candidate{option, distance})
		}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.edits, b.edits), cmp.Compare(b.Documents, a.Documents))
	})
	var chosen []alternative
	most := int64(0)
	for _, c := range candidates {
		if len(chosen) == maxAlternatives {
			break
		}
		if c.Documents*20 < most {
			continue
		}
		most = max(most, c.Documents)
		weight := 1.0
		if c.edits > 1 {
			weight = secondEditWeight
		}
		chosen = append(chosen, alternative{c.Text, weight, c.Documents})
	}
	return chosen
}

// edits returns how many letters must be changed, added, left out or swapped with the next to make b of a.
func edits(a, b string) int {
	var before, last []int
	for i := range len(a) + 1 {
		row := make([]int, len(b)+1)
		for j := range row {
			switch {
			case i == 0 || j == 0:
				row[j] = i + j
				continue
			case a[i-1] == b[j-1]:
				row[j] = last[j-1]
			default:
				row[j] = 1 + min(last[j-1], last[j], row[j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
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
	var clauses []any
	for _, word := range s.subject() {
		if !s.spelling.replaces(word.queryWord) {
			continue
		}
		key, _ := word.key()
		instead := s.spelling[key]
		var either []any
		for i, near := range instead.near {
			either = append(either, matchWords("text", near.text, near.weight*word.weight, s.name(layerFuzzy+"."+key, i)))
		}
		// Also a word that no text has as it is: texts may have another form of it, of the same stem.
		either = append(either, matchWords("text", key, word.weight, s.name(layerKeyword+"."+key, len(instead.near))))
		if instead.prefix != "" {
			either = append(either, matchWords("prefixes", instead.prefix, prefixWeight*word.weight, s.name(layerPartial+"."+key, 0)))
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
