package curator

import (
	"strings"
	"unicode"
)

// longestWord is the length above which a run of letters is data, not a word; the longest names in code have about 60.
const longestWord = 80

// fillers are words that say nothing about what a report is about.
var fillers = fillerWords("a an the of to in on for and or is are be was were it its this that these those with by as at from " +
	"not no can will if when then than which who what how there here we you they he she i has have had do does did so but into " +
	"out up only also any all should would could may might must because due being been between more most other some such their " +
	"them his her our your just where while via use used using lead leads")

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
	start := -1
	flush := func(end int, next rune) {
		if start >= 0 && end-start <= longestWord && (text[start] < '0' || text[start] > '9') {
			visit(text[start:end], next == '(')
		}
		start = -1
	}
	for i, r := range text {
		inside := unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_'
		if inside && start < 0 {
			start = i
		} else if !inside {
			flush(i, r)
		}
	}
	flush(len(text), ' ')
}

// isName reports whether a word can only be a name in code: an underscore or digit inside, or a capital after a small letter.
func isName(word string) bool {
	lower := false
	for i, r := range word {
		if i > 0 && len(word) > 2 && (r == '_' || unicode.IsDigit(r) || unicode.IsUpper(r) && lower) {
			return true
		}
		lower = lower || unicode.IsLower(r)
	}
	return false
}

// nameParts splits camelCase and snake_case into parts in lower case.
func nameParts(name string) []string {
	var parts []string
	runes, start := []rune(name), 0
	cut := func(end int) {
		if end > start {
			parts = append(parts, strings.ToLower(string(runes[start:end])))
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
	return parts
}

// stem cuts the commonest English endings, so that "reverts", "reverted" and "reverting" are one word.
func stem(word string) string {
	switch {
	case strings.HasSuffix(word, "ies") && len(word) >= 6:
		word = word[:len(word)-3] + "y"
	case strings.HasSuffix(word, "ss"), strings.HasSuffix(word, "us"), strings.HasSuffix(word, "is"):
	case strings.HasSuffix(word, "s") && len(word) >= 4:
		word = word[:len(word)-1]
	}
	for _, ending := range []string{"ing", "ed", "ation", "ion", "ment", "ly"} {
		if strings.HasSuffix(word, ending) && len(word)-len(ending) >= 4 {
			word = word[:len(word)-len(ending)]
			break
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
