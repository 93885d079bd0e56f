// Package terms takes text apart, in the one way that search and curation share: words, the parts of identifiers, stop words,
// stems, and the signature that a stored text is compared by. It knows nothing of what the text is.
package terms

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Next returns where the first word of a text from a place on begins and ends: a run of letters, marks, digits and underscores
// of any script. A symbol, such as an emoji, is a word of its own. Where no word is left both are len(text).
func Next(text string, from int) (start, end int) {
	for start = from; start < len(text); {
		if c := text[start]; c < utf8.RuneSelf {
			if asciiWord[c] {
				break
			}
			start++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[start:])
		if isWordRune(r) {
			break
		}
		if r != utf8.RuneError && unicode.Is(unicode.So, r) {
			return start, start + size
		}
		start += size
	}
	for end = start; end < len(text); {
		if c := text[end]; c < utf8.RuneSelf {
			if !asciiWord[c] {
				break
			}
			end++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[end:])
		if !isWordRune(r) {
			break
		}
		end += size
	}
	return start, end
}

// NextJoined is Next, with words in one that . : :: or ' joins without a space, as in Pool.sol, std::vec, eip155:1 and pool's.
func NextJoined(text string, from int) (start, end int) {
	start, end = Next(text, from)
	for {
		next := end + joiner(text, end)
		if next == end {
			return start, end
		}
		_, end = Next(text, next)
	}
}

// Words ranges over the words of a text, as Next finds them, by their places.
func Words(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for start, end := Next(text, 0); start < len(text); start, end = Next(text, end) {
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

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return asciiWord[r]
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// asciiWord is a table because most text is ASCII, and Unicode's tables are slower.
var asciiWord = func() (word [utf8.RuneSelf]bool) {
	for c := range word {
		word[c] = c == '_' || unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c))
	}
	return word
}()

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
