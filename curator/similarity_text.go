package curator

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestWord is the length above which a run of letters is data, not a word; the longest names in code have about 60.
const longestWord = 80

// fillers are words that say nothing about what a report is about.
var fillers = fillerWords("a an the of to in on for and or is are be was were it its this that these those with by as at from " +
	"not no can will if when then than which who what how there here we you they he she i has have had do does did so but into " +
	"out up only also any all should would could may might must because due being been between more most other some such their " +
	"them his her our your just where while via use used using lead leads")

// longestFiller is the length of the longest of them, in bytes.
var longestFiller = func() (longest int) {
	for word := range fillers {
		longest = max(longest, len(word))
	}
	return longest
}()

func fillerWords(list string) map[string]bool {
	found := map[string]bool{}
	for _, word := range strings.Fields(list) {
		found[word], found[stem(word)] = true, true
	}
	return found
}

// eachWord visits every run of letters, digits and underscores that doesn't begin with a digit; called says that an
// opening bracket follows, as after the name of a function.
func eachWord(text string, visit func(word string, called bool)) {
	for i := 0; i < len(text); {
		start := i
		i = wordRunEnd(text, i)
		if i > start && i-start <= longestWord && !digit(text[start]) {
			visit(text[start:i], i < len(text) && text[i] == '(')
		}
		if i < len(text) { // what ends a word begins none
			_, size := utf8.DecodeRuneInString(text[i:])
			i += size
		}
	}
}

// wordRunEnd returns where the run of letters of any script, digits and underscores that may begin at a place ends.
func wordRunEnd(text string, at int) int {
	for at < len(text) {
		if text[at] < utf8.RuneSelf {
			if !wordByte[text[at]] {
				break
			}
			at++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		at += size
	}
	return at
}

// ascii reports whether a text has no character beyond ASCII.
func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isName reports whether a word can only be a name in code: an underscore or digit inside, or a capital after a small letter.
func isName(word string) bool {
	if len(word) <= 2 {
		return false
	}
	if !ascii(word) {
		return isNameInRunes(word)
	}
	lower := isLower(word[0])
	for i := 1; i < len(word); i++ {
		switch b := word[i]; {
		case isLower(b):
			lower = true
		case !isUpper(b) || lower: // of a word's characters only digits and underscores are no letters
			return true
		}
	}
	return false
}

func isNameInRunes(word string) bool {
	lower := false
	for i, r := range word {
		if i > 0 && (r == '_' || unicode.IsDigit(r) || unicode.IsUpper(r) && lower) {
			return true
		}
		lower = lower || unicode.IsLower(r)
	}
	return false
}

// eachNamePart splits camelCase and snake_case and visits the parts in lower case.
func eachNamePart(name string, visit func(part string)) {
	if !ascii(name) {
		eachNamePartInRunes(name, visit)
		return
	}
	lower, start := strings.ToLower(name), 0
	for i := range len(name) {
		switch b := name[i]; {
		case b == '_':
			if i > start {
				visit(lower[start:i])
			}
			start = i + 1
		case i == start:
		case isUpper(b) && (!isUpper(name[i-1]) || i+1 < len(name) && isLower(name[i+1])), digit(b) != digit(name[i-1]):
			visit(lower[start:i])
			start = i
		}
	}
	if start < len(name) {
		visit(lower[start:])
	}
}

func eachNamePartInRunes(name string, visit func(part string)) {
	runes, start := []rune(name), 0
	cut := func(end int) {
		if end > start {
			visit(strings.ToLower(string(runes[start:end])))
		}
		start = end
	}
	for i, r := range runes {
		switch {
		case r == '_':
			cut(i)
			start = i + 1
		case i == start:
		case unicode.IsUpper(r) && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			cut(i)
		case unicode.IsDigit(r) != unicode.IsDigit(runes[i-1]):
			cut(i)
		}
	}
	cut(len(runes))
}

// endsEnding are the last letters of the endings that stem cuts.
var endsEnding = byteSet("gdnty")

// stem cuts the commonest English endings, so that "reverts", "reverted" and "reverting" are one word.
func stem(word string) string {
	switch {
	case strings.HasSuffix(word, "ies") && len(word) >= 6:
		word = word[:len(word)-3] + "y"
	case strings.HasSuffix(word, "ss"), strings.HasSuffix(word, "us"), strings.HasSuffix(word, "is"):
	case strings.HasSuffix(word, "s") && len(word) >= 4:
		word = word[:len(word)-1]
	}
	if word != "" && endsEnding[word[len(word)-1]] {
		for _, ending := range [...]string{"ing", "ed", "ation", "ion", "ment", "ly"} {
			if strings.HasSuffix(word, ending) && len(word)-len(ending) >= 4 {
				word = word[:len(word)-len(ending)]
				break
			}
		}
	}
	if n := len(word); n > 4 && word[n-1] == word[n-2] && word[n-1] != 's' && word[n-1] != 'l' {
		word = word[:n-1]
	}
	if len(word) > 4 {
		word = strings.TrimSuffix(word, "e")
	}
	return word
}
