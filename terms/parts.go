package terms

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

// NextPart returns where the first part of a word from a place on begins and ends: letters of one case, after one capital
// perhaps, or digits. NFTVault_v2 has the parts NFT, Vault, v and 2. Where no part is left both are len(word).
func NextPart(word string, from int) (start, end int) {
	class, length := joint, 0
	start = len(word)
	for i, r := range word[from:] {
		at := from + i
		next := classOf(r)
		switch {
		case class == joint && next == joint:
			continue
		case class == joint:
			start = at
		case next == class, class == upper && next == lower && length == 1:
		case class == upper && next == lower: // the last of several capitals begins the next part
			_, size := utf8.DecodeLastRuneInString(word[start:at])
			return start, at - size
		default:
			return start, at
		}
		class = next
		length++
	}
	return start, len(word)
}

// Parts ranges over the parts of a word, as NextPart finds them, by their places.
func Parts(word string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for start, end := NextPart(word, 0); start < len(word); start, end = NextPart(word, end) {
			if !yield(start, word[start:end]) {
				return
			}
		}
	}
}

// class is what of a word a rune is.
type class uint8

const (
	joint class = iota // stands between parts
	lower              // also letters without case, and marks
	upper
	digit
)

func classOf(r rune) class {
	if r < utf8.RuneSelf {
		return asciiClasses[r]
	}
	return unicodeClass(r)
}

func unicodeClass(r rune) class {
	switch {
	case unicode.IsUpper(r):
		return upper
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return lower
	case unicode.IsDigit(r):
		return digit
	}
	return joint
}

// asciiClasses is a table because most text is ASCII, and Unicode's tables are slower.
var asciiClasses = func() (classes [utf8.RuneSelf]class) {
	for c := range classes {
		classes[c] = unicodeClass(rune(c))
	}
	return classes
}()
