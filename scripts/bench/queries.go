package main

import (
	"math/rand/v2"
	"regexp"
	"runtime/debug"
	"strings"
	"unicode"
	"unicode/utf8"

	"agentlore/lore"
)

// querySet is a kind of question.
type querySet struct {
	name    string
	queries []string
}

// Names of the sets that have goals of their own.
const (
	setClean    = "clean"
	setMistyped = "every word mistyped"
)

// querySets makes sets of so many questions each from the real observations. Questions differ from each other, so that
// nobody answers from a cache what a crowd of agents would not have asked before.
func (b *bench) querySets(count int) ([]querySet, error) {
	real, err := b.observations()
	if err != nil {
		return nil, err
	}
	defer debug.FreeOSMemory()
	random := rand.New(rand.NewPCG(b.Seed, 0))
	clean := distinct(count, func() string { return phrase(real, random) })
	mistyped := make([]string, len(clean))
	for i, query := range clean {
		mistyped[i] = mistype(query, random)
	}
	return []querySet{
		{setClean, clean},
		{setMistyped, mistyped},
		{"identifiers", distinct(count, func() string { return identifier(real, random) })},
		{"prefixes", distinct(count, func() string { return prefix(phrase(real, random), random) })},
	}, nil
}

// distinct calls make until it has given so many different texts; from few observations some come twice after all.
func distinct(count int, make func() string) []string {
	seen := map[string]bool{}
	var made []string
	for tries := 0; len(made) < count; tries++ {
		if text := make(); text != "" && (!seen[text] || tries > 20*count) {
			seen[text] = true
			made = append(made, text)
		}
	}
	return made
}

// phrase returns 2 to 8 words that stand together: of a summary mostly, of a content else.
func phrase(real []observation, random *rand.Rand) string {
	one := real[random.IntN(len(real))]
	text := one.Summary
	if one.Content != "" && random.IntN(4) == 0 {
		text = one.Content
	}
	words := strings.Fields(text)
	length := min(2+random.IntN(7), len(words))
	if length < 2 {
		return ""
	}
	start := random.IntN(len(words) - length + 1)
	phrase := strings.Join(words[start:start+length], " ")
	if utf8.RuneCountInString(phrase) > 200 || !strings.ContainsFunc(phrase, unicode.IsLetter) {
		return ""
	}
	return phrase
}

var wordPattern = regexp.MustCompile(`[A-Za-z]{4,}`)

// mistype puts one slip into every word of 5 or more letters: two letters swapped, one left out, doubled or replaced.
// First letters stay, as they mostly do with people.
func mistype(query string, random *rand.Rand) string {
	return wordPattern.ReplaceAllStringFunc(query, func(word string) string {
		if len(word) < 5 {
			return word
		}
		for {
			letters := []byte(word)
			at := 1 + random.IntN(len(letters)-2)
			switch random.IntN(4) {
			case 0:
				letters[at], letters[at+1] = letters[at+1], letters[at]
			case 1:
				letters = append(letters[:at], letters[at+1:]...)
			case 2:
				letters = append(letters[:at+1], letters[at:]...)
			default:
				letters[at] = byte('a' + random.IntN(26))
			}
			if wrong := string(letters); wrong != word {
				return wrong
			}
		}
	})
}

var codeNamePattern = regexp.MustCompile(`\b[a-z]+(?:[A-Z][a-z0-9]+)+\b|\b[A-Za-z]+(?:_[A-Za-z0-9]+)+\b`)

// identifier returns what an agent would paste: an address, a number of a standard or a weakness, an error's name, or,
// every other time, a name in code.
func identifier(real []observation, random *rand.Rand) string {
	one := real[random.IntN(len(real))]
	text := one.Summary + " " + one.Content
	found := lore.Entities(text)
	if random.IntN(2) == 0 {
		found = codeNamePattern.FindAllString(text, 50)
	}
	if len(found) == 0 {
		return ""
	}
	return found[random.IntN(len(found))]
}

// prefix cuts the last long word of a question, as it stands while it is being typed: 4 letters at least, one missing at
// least.
func prefix(query string, random *rand.Rand) string {
	words := wordPattern.FindAllStringIndex(query, -1)
	for i := len(words) - 1; i >= 0; i-- {
		if start, end := words[i][0], words[i][1]; end-start > 4 {
			return query[:start+4+random.IntN(end-start-4)]
		}
	}
	return ""
}
