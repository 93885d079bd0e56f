package lore

import "regexp"

// StoredText is the free text of an item that is stored already, on its way through the scrubber once more.
type StoredText struct {
	Texts []NamedText
	Lists []NamedList
}

// NamedText is one text field.
type NamedText struct{ Name, Text string }

// NamedList is one list of texts.
type NamedList struct {
	Name  string
	Texts []string
}

// TextFields visits every field; it makes StoredText a document of the scrubber.
func (t *StoredText) TextFields(text func(string, *string), list func(string, *[]string)) {
	for i := range t.Texts {
		text(t.Texts[i].Name, &t.Texts[i].Text)
	}
	for i := range t.Lists {
		list(t.Lists[i].Name, &t.Lists[i].Texts)
	}
}

// Normalise does nothing: stored text was normalised before.
func (t *StoredText) Normalise() {}

// Entities returns what the text names exactly.
func (t *StoredText) Entities() []string {
	var texts []string
	for _, field := range t.Texts {
		texts = append(texts, field.Text)
	}
	for _, field := range t.Lists {
		texts = append(texts, field.Texts...)
	}
	return Entities(texts...)
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
		replace := func(text *string) {
			if found := len(pattern.FindAllStringIndex(*text, -1)); found > 0 {
				removed += found
				*text = pattern.ReplaceAllLiteralString(*text, scrubMarker)
			}
		}
		for i := range t.Texts {
			replace(&t.Texts[i].Text)
		}
		for i := range t.Lists {
			for j := range t.Lists[i].Texts {
				replace(&t.Lists[i].Texts[j])
			}
		}
	}
	return removed
}
