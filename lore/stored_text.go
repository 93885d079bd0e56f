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

// texts returns every text of it.
func (t *StoredText) texts() (all []*string) {
	for i := range t.Texts {
		all = append(all, &t.Texts[i].Text)
	}
	for i := range t.Lists {
		for j := range t.Lists[i].Texts {
			all = append(all, &t.Lists[i].Texts[j])
		}
	}
	return all
}

// Entities returns what the text names exactly.
func (t *StoredText) Entities() []string {
	var texts []string
	for _, text := range t.texts() {
		texts = append(texts, *text)
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
		for _, text := range t.texts() {
			removed += len(pattern.FindAllStringIndex(*text, -1))
			*text = pattern.ReplaceAllLiteralString(*text, ScrubMarker)
		}
	}
	return removed
}

// Exported items come back as they left. Their texts go through the scrubber again, whose rules may have grown since, and
// nothing else of them changes: they were normalised when they were first stored.

// ItemID returns the item's id.
func (s Source) ItemID() string { return s.ID }

// TextFields visits every free-text field; it makes Source a document of the scrubber.
func (s *Source) TextFields(text func(string, *string), list func(string, *[]string)) {
	text("name", &s.Name)
	text("description", &s.Description)
	list("ecosystem", &s.Ecosystem)
}

// Normalise leaves the source as it is.
func (s *Source) Normalise() {}

// ItemID returns the item's id.
func (s Submission) ItemID() string { return s.ID }

// TextFields visits every free-text field; it makes Submission a document of the scrubber.
func (s *Submission) TextFields(text func(string, *string), list func(string, *[]string)) {
	text("summary", &s.Summary)
	text("content", &s.Content)
	text("resolution", &s.Resolution)
	text("ecosystem", &s.Ecosystem)
	text("ref", &s.Ref)
	list("tags", &s.Tags)
	list("entities", &s.Entities)
}

// Normalise leaves the submission as it is.
func (s *Submission) Normalise() {}

// ItemID returns the item's id.
func (u KnowledgeUnit) ItemID() string { return u.ID }

// TextFields visits every free-text field; it makes KnowledgeUnit a document of the scrubber.
func (u *KnowledgeUnit) TextFields(text func(string, *string), list func(string, *[]string)) {
	text("summary", &u.Summary)
	text("content", &u.Content)
	text("resolution", &u.Resolution)
	list("names", &u.Names)
	text("applies", &u.Applies)
	list("ecosystem", &u.Ecosystem)
	list("tags", &u.Tags)
	list("entities", &u.Entities)
}

// Normalise leaves the unit as it is.
func (u *KnowledgeUnit) Normalise() {}

// ItemID returns the item's id.
func (p Pattern) ItemID() string { return p.ID }

// TextFields visits every free-text field; it makes Pattern a document of the scrubber.
func (p *Pattern) TextFields(text func(string, *string), list func(string, *[]string)) {
	text("summary", &p.Summary)
	text("resolution", &p.Resolution)
	list("ecosystem", &p.Ecosystem)
	list("tags", &p.Tags)
	list("entities", &p.Entities)
}

// Normalise leaves the pattern as it is.
func (p *Pattern) Normalise() {}

// ItemID returns the item's id.
func (a Asset) ItemID() string { return a.ID }

// TextFields visits every free-text field; it makes Asset a document of the scrubber.
func (a *Asset) TextFields(text func(string, *string), list func(string, *[]string)) {
	text("name", &a.Name)
	text("description", &a.Description)
	text("summary", &a.Summary)
	text("url", &a.URL)
	text("origin", &a.Origin)
	list("ecosystem", &a.Ecosystem)
	list("tags", &a.Tags)
	list("addresses", &a.Addresses)
	list("entities", &a.Entities)
}

// Normalise leaves the asset as it is.
func (a *Asset) Normalise() {}

// ItemID returns the item's id.
func (s Suggestion) ItemID() string { return s.ID }

// TextFields visits every free-text field; it makes Suggestion a document of the scrubber.
func (s *Suggestion) TextFields(text func(string, *string), _ func(string, *[]string)) {
	text("summary", &s.Summary)
	text("content", &s.Content)
}

// Normalise leaves the suggestion as it is.
func (s *Suggestion) Normalise() {}

// ItemID returns the item's id.
func (f SafetyFlag) ItemID() string { return f.ID }

// TextFields visits every free-text field; it makes SafetyFlag a document of the scrubber.
func (f *SafetyFlag) TextFields(text func(string, *string), _ func(string, *[]string)) {
	text("note", &f.Note)
}

// Normalise leaves the flag as it is.
func (f *SafetyFlag) Normalise() {}

// ItemID returns the item's id.
func (f Family) ItemID() string { return f.ID }

// TextFields visits every free-text field; it makes Family a document of the scrubber.
func (f *Family) TextFields(text func(string, *string), list func(string, *[]string)) {
	text("summary", &f.Summary)
	text("content", &f.Content)
	text("resolution", &f.Resolution)
	list("ecosystem", &f.Ecosystem)
}

// Normalise leaves the family as it is.
func (f *Family) Normalise() {}
