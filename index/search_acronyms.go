package index

import (
	_ "embed"
	"slices"
	"strings"

	"agentlore/terms"
)

//go:embed acronyms.txt
var acronymsFile string

// acronym is a thing of q that has two names: initials and the words they stand for.
type acronym struct {
	short, long string
	telling     string // the word of long that says most
	typed       string // the words of q that name it, without stop words
	typedShort  bool   // q has the initials
}

var acronyms = func() (all []acronym) {
	for line := range strings.Lines(acronymsFile) {
		short, long, _ := strings.Cut(strings.TrimSpace(line), " ")
		before, telling, _ := strings.Cut(strings.TrimSpace(long), "*")
		if short != "#" && telling != "" {
			word, _, _ := strings.Cut(telling, " ")
			all = append(all, acronym{short: short, long: before + telling, telling: word})
		}
	}
	return all
}()

const (
	// maxAcronyms is how many acronyms of q are searched for by both names: a phrase costs more than its words.
	maxAcronyms = 3
	// shortWeight is what initials count beside the words that were typed: they are one word instead of several.
	shortWeight = 2.0
	// longWeight is what the words count, side by side, beside initials that were typed.
	longWeight = 0.5
)

// findAcronyms returns the acronyms among the words of q, each once, and notes them at their words. Of two that begin at the same
// word it takes the longer.
func findAcronyms(words []queryTerm) (found []*acronym) {
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = strings.ToLower(word.text)
	}
	for i := 0; i < len(words) && len(found) < maxAcronyms; i++ {
		longest, length := acronym{}, 0
		for _, a := range acronyms {
			long := strings.Fields(a.long)
			if texts[i] == a.short && length == 0 {
				longest, length = a, 1
				longest.typedShort = true
			} else if len(long) > length && len(long) <= len(words)-i && slices.Equal(long, texts[i:i+len(long)]) {
				longest, length = a, len(long)
			}
		}
		again := func(other *acronym) bool { return other.short == longest.short }
		if length == 0 || slices.ContainsFunc(found, again) {
			continue
		}
		var typed []string
		for j := i; j < i+length; j++ {
			words[j].acronym = &longest
			if !terms.IsStop(texts[j]) {
				typed = append(typed, words[j].text)
			}
		}
		longest.typed = strings.Join(typed, " ")
		found = append(found, &longest)
		i += length - 1
	}
	return found
}

// otherName returns the word that stands for the acronym where q has its other name.
func (a *acronym) otherName() string {
	if a.typedShort {
		return a.telling
	}
	return a.short
}
