package index

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"agentlore/lore"
)

// queryWord is one word of q.
type queryWord struct {
	text       string // as typed, without the punctuation around it
	start, end int    // where it stands in q, in bytes
	parts      []queryWord
	stop       bool // says how a sentence is built and not what it is about
	exact      bool // an address, a number, a version and the like: found as it is or not at all
}

// compound reports whether the word is an identifier of several words, such as latestRoundData, foo_bar or Pool.sol.
func (w queryWord) compound() bool { return len(w.parts) > 0 }

// minCorrectable is the length from which a word is corrected: a shorter one is an edit away from dozens of others.
const minCorrectable = 4

// key returns the form under which the words field holds a word, and whether the word may be corrected: plain letters
// only, since a wrong digit makes another thing and not a misspelt one.
func (w queryWord) key() (string, bool) {
	if w.stop || w.exact || len(w.text) < minCorrectable || !onlyLetters(w.text) {
		return "", false
	}
	return strings.ToLower(w.text), true
}

// countKey returns the form under which the words field holds a word that can be counted there, or "".
func (w queryWord) countKey() string {
	if w.stop || w.exact || w.compound() || len(w.text) < 2 || !onlyASCIIWord(w.text) {
		return ""
	}
	return strings.ToLower(w.text)
}

func onlyLetters(text string) bool {
	for i := range len(text) {
		if c := text[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

// onlyASCIIWord reports whether a text has nothing but ASCII letters and digits.
func onlyASCIIWord(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf || text[i] == '_' || !asciiWord[text[i]] {
			return false
		}
	}
	return true
}

// readWords takes q apart in the way that the index's analyzer does: a word is a run of letters and digits, and of
// what joins them within one identifier (_ . : ' between two of them).
func readWords(q string) []queryWord {
	var words []queryWord
	for start, end := nextField(q, 0); start < len(q); start, end = nextField(q, end) {
		field := q[start:end]
		exact := isEntity(field)
		for from, to := nextToken(field, 0); from < len(field); from, to = nextToken(field, to) {
			word := queryWord{text: field[from:to], start: start + from, end: start + to}
			word.exact = exact || isWhole(word.text)
			word.stop = isStopWord(strings.ToLower(word.text))
			if !isWhole(word.text) && !isNumber(word.text) {
				word.parts = partsOf(word)
			}
			words = append(words, word)
		}
	}
	return words
}

// maxTerms is how many terms q is searched for by: 512 characters hold a path of a hundred parts, or 512 signs of a script that has no
// spaces. All but one in 1,600 of the titles of real observations make at most 32; a stack trace makes 54, of which the first say most.
const maxTerms = 40

// firstTerms returns the first words of q, and of the last one the first parts or signs, as far as they make maxTerms terms.
func firstTerms(words []queryWord) []queryWord {
	room := maxTerms
	for i, word := range words {
		if word.stop {
			continue
		}
		for at, r := range word.text {
			if standsAlone(r) {
				room--
			}
			if room < 0 {
				words[i].text, words[i].end, words[i].parts = word.text[:at], word.start+at, nil
				return words[:i+1]
			}
		}
		each := 1
		if strings.Contains(word.text, "::") {
			each = 2 // the index's analyzer takes such a whole apart too
		}
		if fit := max(1, (room-1)/each); fit < len(word.parts) {
			end := word.parts[fit-1].end
			words[i].text, words[i].end, words[i].parts = word.text[:end-word.start], end, word.parts[:fit]
			return words[:i+1]
		}
		if room -= 1 + each*len(word.parts); room <= 0 {
			return words[:i+1]
		}
	}
	return words
}

// nextField returns where the next run without spaces begins and ends.
func nextField(text string, from int) (start, end int) {
	start = from + len(text[from:]) - len(strings.TrimLeftFunc(text[from:], unicode.IsSpace))
	if length := strings.IndexFunc(text[start:], unicode.IsSpace); length >= 0 {
		return start, start + length
	}
	return start, len(text)
}

// nextToken returns where the next word of a field begins and ends. A symbol, such as an emoji, is a word of its own.
func nextToken(field string, from int) (start, end int) {
	for start = from; start < len(field); {
		if c := field[start]; c < utf8.RuneSelf {
			if asciiWord[c] {
				break
			}
			start++
			continue
		}
		r, size := utf8.DecodeRuneInString(field[start:])
		if isWordRune(r) {
			break
		}
		if unicode.Is(unicode.So, r) {
			return start, start + size
		}
		start += size
	}
	for end = start; end < len(field); {
		c := field[end]
		if c < utf8.RuneSelf && asciiWord[c] {
			end++
			continue
		}
		size := 1
		r := rune(c)
		if c >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(field[end:])
		}
		if c < utf8.RuneSelf || !isWordRune(r) {
			if size = joinerAt(field, end); size == 0 {
				break
			}
		}
		end += size
	}
	return start, end
}

// asciiWord are the ASCII word runes: most text is nothing else, and a table is quicker than Unicode's.
var asciiWord = func() (word [utf8.RuneSelf]bool) {
	for c := range word {
		word[c] = isWordRune(rune(c))
	}
	return word
}()

// joinerAt returns the length of what joins the word before it and the word behind it into one, or 0.
func joinerAt(field string, at int) int {
	length := 0
	switch {
	case strings.HasPrefix(field[at:], "::"):
		length = 2
	case field[at] == '.' || field[at] == ':' || field[at] == '\'':
		length = 1
	default:
		return 0
	}
	if next, _ := utf8.DecodeRuneInString(field[at+length:]); !isWordRune(next) {
		return 0
	}
	return length
}

func isWordRune(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// isEntity reports whether a field, but for the punctuation around it, is one thing that is found exactly.
func isEntity(field string) bool {
	found := lore.Entities(field)
	return len(found) == 1 && len(found[0])+4 >= len(field)
}

// wholeLength is from where on letters mixed with digits are an encoded value and no word: the shortest addresses have
// 25 characters (XRPL's), the longest identifiers with a digit in them stay below 32 in the observations we know.
const wholeLength = 32

// isWhole reports whether a word is an encoded value, which has no parts.
func isWhole(word string) bool {
	if len(word) > 2 && word[0] == '0' && (word[1]|0x20) == 'x' {
		return true
	}
	return len(word) >= wholeLength && strings.ContainsAny(word, "0123456789") && !strings.ContainsAny(word, "_.:'")
}

// isNumber reports whether a word is a number, a version or a date.
func isNumber(word string) bool {
	for _, r := range word {
		if !unicode.IsDigit(r) && r != '.' && r != ':' {
			return false
		}
	}
	return true
}

// partsOf splits an identifier where its writer did: at joiners and where a capital follows a small letter. A word that
// isn't one has no parts. Single characters say nothing by themselves and are left out.
func partsOf(word queryWord) []queryWord {
	var parts []queryWord
	split := false
	begin := 0
	take := func(end int) {
		part := word.text[begin:end]
		if utf8.RuneCountInString(part) > 1 && !isNumber(part) {
			parts = append(parts, queryWord{
				text: part, start: word.start + begin, end: word.start + end,
				exact: word.exact, stop: isStopWord(strings.ToLower(part)),
			})
		}
	}
	previous := rune(0)
	for i, r := range word.text {
		switch {
		case r == '_' || r == '.' || r == ':' || r == '\'':
			take(i)
			begin, split = i+1, true
		case unicode.IsUpper(r) && unicode.IsLower(previous):
			take(i)
			begin, split = i, true
		}
		previous = r
	}
	if take(len(word.text)); !split || possessive(word.text) {
		return nil
	}
	return parts
}

// possessive reports whether a word is of the form of pool's or don't: no identifier.
func possessive(word string) bool {
	return strings.Count(word, "'") == 1 && !strings.ContainsAny(word, "_.:")
}

// stopWords carry a sentence and not its subject. They are left out of a search, whose longest lists they
// would be, and of the order of its results. A q of nothing else is searched as it is.
var stopWords = wordSet(`a about all am an and any are as at be because been being but by can could did do does for from
	had has have how i if in into is it its may me might my no not of on or our shall should so such than that the their
	them then there these they this to us was we were what when where which who whose why will with would you your`)

// longestStopWord is the length of the longest one: most words are longer, and needn't be looked up.
var longestStopWord = func() (longest int) {
	for word := range stopWords {
		longest = max(longest, len(word))
	}
	return longest
}()

func isStopWord(word string) bool { return len(word) <= longestStopWord && stopWords[word] }

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}
