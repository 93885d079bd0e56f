package search

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
	phrase      string // long without stop words
	telling     string // the word of long that says most
	typed       string // the words of q that name it, without stop words
	typedShort  bool   // q has the initials
}

var acronyms = func() (all []acronym) {
	for line := range strings.Lines(acronymsFile) {
		if words := strings.Fields(line); words[0] != "#" {
			marked := slices.IndexFunc(words, func(word string) bool { return word[0] == '*' })
			words[marked] = words[marked][1:]
			all = append(all, acronym{
				short: words[0], long: strings.Join(words[1:], " "), phrase: withoutStopWords(words[1:]), telling: words[marked],
			})
		}
	}
	return all
}()

func withoutStopWords(words []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(words), func(word string) bool { return terms.IsStop(strings.ToLower(word)) }), " ")
}

const (
	// maxAcronyms is how many acronyms of q are searched for by both names: a phrase costs more than its words.
	maxAcronyms = 2
	// shortWeight is what initials count beside the words that were typed: they are one word instead of several.
	shortWeight = 2.0
	// longWeight is what the words count, side by side, beside initials that were typed.
	longWeight = 0.5
	// phraseSlop is how many stop words stand between those words at most: a phrase with them takes reading each place of "of" and "in".
	phraseSlop = 2
)

// findAcronyms returns the acronyms among the words of q, each once, and notes them at their words. Where one stands within another,
// the first in the file counts.
func findAcronyms(words []queryTerm) (found []*acronym) {
	var texts []string
	for _, word := range words {
		texts = append(texts, word.text)
	}
	text := " " + strings.ToLower(strings.Join(texts, " ")) + " "
	for _, a := range acronyms {
		for _, name := range []string{a.long, a.short} {
			at := strings.Index(text, " "+name+" ")
			if at < 0 || len(found) == maxAcronyms {
				continue
			}
			first := strings.Count(text[:at], " ")
			last := first + strings.Count(name, " ")
			if words[first].acronym == nil && words[last].acronym == nil {
				a.typed, a.typedShort = withoutStopWords(texts[first:last+1]), name == a.short
				for i := first; i <= last; i++ {
					words[i].acronym = &a
				}
				found = append(found, &a)
				break
			}
		}
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
