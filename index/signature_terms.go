package index

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A term's hash has so many bits of its root, and behind them so many of the whole term.
const (
	rootBits = 16
	restBits = 8
)

// hashTerm returns the 24 bits that stand for a term, those of its root first.
func hashTerm(term string) uint32 {
	root := term
	letters := 0
	for i := range term {
		if letters == rootLength {
			root = term[:i]
			break
		}
		letters++
	}
	return hashText(root)&(1<<rootBits-1)<<restBits | hashText(term)>>8&(1<<restBits-1)
}

// endOfPart stands among the first terms where a part of the text ends: what is on both sides of it isn't side by side.
const endOfPart = 0

// knuthFactor spreads hashes over all bits (Knuth's multiplicative hashing).
const knuthFactor = 0x9e3779b1

// hashOpening returns the 16 bits that stand for a term, by its hash, among the first ones.
func hashOpening(term uint32) uint16 {
	return max(uint16(term*knuthFactor>>16), endOfPart+1)
}

func hashText(text string) uint32 {
	hash := uint32(2166136261) // FNV-1a
	for i := range len(text) {
		hash = (hash ^ uint32(text[i])) * 16777619
	}
	return hash ^ hash>>16
}

// eachTerm calls a function for each term of a text: the parts of its words, without endings. An encoded value is one term.
func eachTerm(text string, each func(term string)) {
	eachPart := func(part string) {
		if utf8.RuneCountInString(part) > 1 && !isStopWord(part) {
			each(withoutEnding(part))
		}
	}
	for from, to := nextToken(text, 0); from < len(text); from, to = nextToken(text, to) {
		word := text[from:to]
		switch {
		case isWhole(word):
			each(strings.ToLower(word))
		case onlySmallLetters(word): // most words
			eachPart(word)
		default:
			for start, end := nextPart(word, 0); start < len(word); start, end = nextPart(word, end) {
				eachPart(strings.ToLower(word[start:end]))
			}
		}
	}
}

// onlySmallLetters reports whether a word is of small ASCII letters: it has one part, and is in lower case.
func onlySmallLetters(word string) bool {
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return false
		}
	}
	return true
}

// nextPart returns where the next part of a word begins and ends: letters of one case, after a capital perhaps, or digits.
func nextPart(word string, from int) (start, end int) {
	kind, length := 0, 0
	start = len(word)
	for i, r := range word[from:] {
		at := from + i
		next := kindOfRune(r)
		switch {
		case kind == 0 && next == 0:
			continue
		case kind == 0:
			start = at
		case next == kind, kind == upper && next == lower && length == 1:
		case kind == upper && next == lower: // the last capital of several begins the next part: NFTVault
			_, size := utf8.DecodeLastRuneInString(word[start:at])
			return start, at - size
		default:
			return start, at
		}
		kind = next
		length++
	}
	return start, len(word)
}

// Kinds of runes within a word; 0 joins two parts.
const (
	lower = iota + 1
	upper
	digit
)

func kindOfRune(r rune) int {
	switch {
	case unicode.IsUpper(r):
		return upper
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return lower
	case unicode.IsDigit(r):
		return digit
	}
	return 0
}

// withoutEnding takes the commonest English endings off, without a dictionary: here a wrong stem only makes two texts a
// little more or less alike.
func withoutEnding(word string) string {
	for _, ending := range []string{"ing", "ed", "es", "s"} {
		if stem, has := strings.CutSuffix(word, ending); has && len(stem) >= 4 {
			return stem
		}
	}
	if stem, has := strings.CutSuffix(word, "e"); has && len(stem) >= 4 {
		return stem
	}
	return word
}
