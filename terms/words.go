// Package terms takes text apart, in the one way that search and curation share: words, the parts of identifiers, stop words,
// stems, and the signature that a stored text is compared by. It knows nothing of what the text is.
package terms

import (
	"iter"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// next returns where the first word of a text from a place on begins and ends. Where no word is left both are len(text).
func next(text string, from int) (start, end int) {
	start = -1
	for i, r := range text[from:] {
		switch {
		case isWordRune(r):
			if start < 0 {
				start = from + i
			}
		case start >= 0:
			return start, from + i
		case r != utf8.RuneError && unicode.Is(unicode.So, r):
			return from + i, from + i + utf8.RuneLen(r)
		}
	}
	if start < 0 {
		start = len(text)
	}
	return start, len(text)
}

// Words ranges over the words of a text by their places: runs of letters, marks, digits and underscores of any script. A symbol, such as
// an emoji, is a word of its own.
func Words(text string) iter.Seq2[int, string] {
	return spans(text, next)
}

// JoinedWords is Words, with words in one that . : :: or ' joins without a space, as in Pool.sol, std::vec, eip155:1 and pool's.
func JoinedWords(text string) iter.Seq2[int, string] {
	return spans(text, func(text string, from int) (start, end int) {
		start, end = next(text, from)
		for at := end + joiner(text, end); at > end; at = end + joiner(text, end) {
			_, end = next(text, at)
		}
		return start, end
	})
}

// spans ranges over what next finds in a text, by its places.
func spans(text string, next func(text string, from int) (start, end int)) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for start, end := next(text, 0); start < len(text); start, end = next(text, end) {
			if !yield(start, text[start:end]) {
				return
			}
		}
	}
}

// joiner returns the length of what makes one word of those before and behind a place, 0 where nothing does.
func joiner(text string, at int) int {
	length := 0
	switch {
	case strings.HasPrefix(text[at:], "::"):
		length = 2
	case at < len(text) && (text[at] == '.' || text[at] == ':' || text[at] == '\''):
		length = 1
	default:
		return 0
	}
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	behind, _ := utf8.DecodeRuneInString(text[at+length:])
	if !isWordRune(before) || !isWordRune(behind) {
		return 0
	}
	return length
}

// isWordRune reports whether words are made of a character.
func isWordRune(r rune) bool { return r == '_' || r != utf8.RuneError && classOf(r) != joint }

// encodedLength is from where on letters mixed with digits are an encoded value: the shortest addresses have 25 characters
// (XRPL's), the longest identifiers with a digit stay below 32 in the observations we know.
const encodedLength = 32

// IsEncoded reports whether a word is an encoded value, such as a hash, a key or an address, which has no parts.
func IsEncoded(word string) bool {
	if len(word) > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X') {
		return true
	}
	return len(word) >= encodedLength && strings.ContainsAny(word, "0123456789") && !strings.ContainsAny(word, "_.:'")
}

// IsNumber reports whether a word, or several joined ones, is a number, a version or a time.
func IsNumber(word string) bool {
	for _, r := range word {
		if !unicode.IsDigit(r) && r != '.' && r != ':' {
			return false
		}
	}
	return true
}

// Parts ranges over the parts of a word by their places: letters of one case, after one capital perhaps, or digits. NFTVault_v2 has the
// parts NFT, Vault, v and 2.
func Parts(word string) iter.Seq2[int, string] {
	return spans(word, nextPart)
}

// nextPart returns where the first part of a word from a place on begins and ends. Where no part is left both are len(word).
func nextPart(word string, from int) (start, end int) {
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

// Each calls a function for each term of a text, in order: the stems of the parts of its words, in lower case. Stop words and
// parts of one character are left out. An encoded value is one term.
func Each(text string, visit func(term string)) {
	for _, word := range Words(text) {
		if IsEncoded(word) {
			visit(strings.ToLower(word))
			continue
		}
		for _, part := range Parts(word) {
			if part = strings.ToLower(part); utf8.RuneCountInString(part) > 1 && !IsStop(part) {
				visit(Stem(part))
			}
		}
	}
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
func IsStop(word string) bool { return stopWords[word] }

// stopWords are the stop words. Like stems they are left out of stored signatures.
var stopWords = func(list string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		words[word] = true
	}
	return words
}(`a about all am an and any are as at be because been being but by can could did do does for from had has have how i if in into
	is it its may me might my no not of on or our shall should so such than that the their them then there these they this to us
	was we were what when where which who whose why will with would you your`)

// Rarity returns how much a term tells that so many documents of all have: BM25's inverse document frequency.
func Rarity(all, documents float64) float64 {
	return math.Log(1 + (all-documents+0.5)/(documents+0.5))
}
