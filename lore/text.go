package lore

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// ScrubMarker is the text that stands where a secret stood. It is part of the interface specification, and lowercasing
// it would hide from readers that something was removed.
const ScrubMarker = "[SCRUBBED]"

// NormaliseWord trims and lowercases a word, but for the scrubber's marker in it. Tags are stored and asked for in
// this form.
func NormaliseWord(word string) string {
	parts := strings.Split(strings.TrimSpace(word), ScrubMarker)
	for i := range parts {
		parts[i] = strings.ToLower(parts[i])
	}
	return strings.Join(parts, ScrubMarker)
}

// normaliseList applies a function to each word and drops the empty and the repeated ones. It never returns nil and never changes
// the list it was given.
func normaliseList(words []string, normalise func(string) string) []string {
	list := make([]string, 0, len(words))
	for _, word := range words {
		if word = normalise(word); word != "" && !slices.Contains(list, word) {
			list = append(list, word)
		}
	}
	return list
}

// checkText refuses NUL: no honest text holds one, and not every reader of an export survives it. It refuses a text that normalisation
// would make a multiple of its length, before anything normalises it: 20,000 characters U+FDFA would become 360,000.
func checkText(pointer, text string) []FieldError {
	if strings.ContainsRune(text, 0) {
		return []FieldError{{Pointer: pointer, Code: "nul_character", Detail: "must not hold a NUL character"}}
	}
	if expands(text) {
		return []FieldError{{
			Pointer: pointer, Code: "expands",
			Detail: fmt.Sprintf("must not become more than %d times as long when it is normalised (NFKC): write its ligatures as letters", mostExpansion),
		}}
	}
	return nil
}

// mostExpansion is how many times its length normalisation may make a text, in bytes. No text of some length comes near it, in any language.
const mostExpansion = 4

// expands reports whether compatibility normalisation would make a text more than mostExpansion times as long. It only adds lengths up.
func expands(text string) bool {
	length, most := 0, mostExpansion*len(text)
	for i := 0; i < len(text) && length <= most; {
		if text[i] < utf8.RuneSelf {
			i, length = i+1, length+1
			continue
		}
		properties := norm.NFKD.PropertiesString(text[i:])
		size := max(properties.Size(), 1)
		i, length = i+size, length+max(len(properties.Decomposition()), size)
	}
	return length > most
}

// checkNotBlank refuses a text that says nothing. An empty one is the schema's to refuse.
func checkNotBlank(pointer, text string) []FieldError {
	if text != "" && strings.TrimSpace(text) == "" {
		return []FieldError{{Pointer: pointer, Code: "blank", Detail: "must say something: it holds only spaces"}}
	}
	return checkText(pointer, text)
}

// checkItems applies checkText and the length limit (in characters) to each item.
func checkItems(pointer string, items []string, limit int) []FieldError {
	var faults []FieldError
	for i, item := range items {
		at := fmt.Sprintf("%s/%d", pointer, i)
		if utf8.RuneCountInString(item) > limit {
			faults = append(faults, FieldError{Pointer: at, Code: "too_long", Detail: fmt.Sprintf("must be at most %d characters long", limit)})
		}
		faults = append(faults, checkText(at, item)...)
	}
	return faults
}

// CutAtWord returns text cut to at most limit characters, at a word's end where there is one, with an ellipsis.
func CutAtWord(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	runes := []rune(text)[:limit-1]
	if space := strings.LastIndexByte(string(runes), ' '); space > len(string(runes))/2 {
		return strings.TrimRight(string(runes)[:space], " ,;:.") + "…"
	}
	return string(runes) + "…"
}

// StoredText is the free text of an item that is stored already, on its way through the scrubber once more.
type StoredText struct {
	Names []string `scrub:"-"` // of the field that each text is of; the items of a list have one name
	Texts []string
}

// EarlierPrefix begins the names of fields that hold what an item said before it was amended: nothing is derived from them.
const EarlierPrefix = "earlier_"

// derivedTexts are fields whose words are the service's own, or taken from the other fields: what they name is not the item's to name.
var derivedTexts = []string{"warnings", "family_why", "project", "reference", "severity"}

// Entities returns what the text names exactly.
func (t *StoredText) Entities() []string {
	var present []string
	for i, text := range t.Texts {
		if !strings.HasPrefix(t.Names[i], EarlierPrefix) && !slices.Contains(derivedTexts, t.Names[i]) {
			present = append(present, text)
		}
	}
	return Entities(present...)
}

// Remove replaces texts by the scrubber's marker wherever they stand, without regard to case, and returns how often. It is
// for what an operator knows to be secret and no rule can tell.
func (t *StoredText) Remove(texts []string) int {
	removed := 0
	for _, secret := range texts {
		if secret == "" {
			continue
		}
		pattern := regexp.MustCompile(`(?i)` + regexp.QuoteMeta(secret))
		for i, text := range t.Texts {
			removed += len(pattern.FindAllStringIndex(text, -1))
			t.Texts[i] = pattern.ReplaceAllLiteralString(text, ScrubMarker)
		}
	}
	return removed
}
