package terms

import (
	"math"
	"strings"
	"unicode/utf8"
)

// Each calls a function for each term of a text, in order: the stems of the parts of its words, in lower case. Stop words and
// parts of one character are left out. An encoded value is one term.
func Each(text string, visit func(term string)) {
	visitPart := func(part string) {
		if utf8.RuneCountInString(part) > 1 && !IsStop(part) {
			visit(Stem(part))
		}
	}
	for start, end := Next(text, 0); start < len(text); start, end = Next(text, end) {
		word := text[start:end]
		switch {
		case IsEncoded(word):
			visit(strings.ToLower(word))
		case isLower(word): // most words
			visitPart(word)
		default:
			for from, to := NextPart(word, 0); from < len(word); from, to = NextPart(word, to) {
				visitPart(strings.ToLower(word[from:to]))
			}
		}
	}
}

// isLower reports whether a word is of small ASCII letters: it is its only part, and in lower case.
func isLower(word string) bool {
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return false
		}
	}
	return true
}

// Stem takes the commonest English endings off a word in lower case, and leaves four letters at least. It has no dictionary:
// a wrong stem makes two texts a little more or less alike. Stored signatures are made of stems, so that a change here makes
// what was stored before harder to find.
func Stem(word string) string {
	for _, ending := range [...]string{"ing", "ed", "es", "s", "e"} {
		if stem, has := strings.CutSuffix(word, ending); has && len(stem) >= 4 {
			return stem
		}
	}
	return word
}

// IsStop reports whether a word in lower case is one that carries the sentence and not its subject.
func IsStop(word string) bool { return len(word) <= longestStop && stopWords[word] }

// stopWords are the stop words. Like stems they are left out of stored signatures.
var stopWords, longestStop = func(list string) (map[string]bool, int) {
	words, longest := map[string]bool{}, 0
	for word := range strings.FieldsSeq(list) {
		words[word], longest = true, max(longest, len(word))
	}
	return words, longest
}(`a about all am an and any are as at be because been being but by can could did do does for from had has have how i if in into
	is it its may me might my no not of on or our shall should so such than that the their them then there these they this to us
	was we were what when where which who whose why will with would you your`)

// Rarity returns how much a term tells that so many documents of all have: BM25's inverse document frequency.
func Rarity(all, documents float64) float64 {
	return math.Log(1 + (all-documents+0.5)/(documents+0.5))
}
