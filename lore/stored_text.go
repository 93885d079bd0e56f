package lore

import "regexp"

// StoredText is the free text of an item that is stored already, on its way through the scrubber once more.
type StoredText struct {
	Names []string `scrub:"-"` // of the field that each text is of; the items of a list have one name
	Texts []string
}

// Entities returns what the text names exactly.
func (t *StoredText) Entities() []string { return Entities(t.Texts...) }

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

// Exported items come back as they left. Their texts go through the scrubber again, whose rules may have grown since, and
// nothing else of them changes: they were normalised when they were first stored.

// ItemID returns the item's id.
func (s Source) ItemID() string { return s.ID }

// ItemID returns the item's id.
func (s Submission) ItemID() string { return s.ID }

// ItemID returns the item's id.
func (u KnowledgeUnit) ItemID() string { return u.ID }

// ItemID returns the item's id.
func (p Pattern) ItemID() string { return p.ID }

// ItemID returns the item's id.
func (a Asset) ItemID() string { return a.ID }

// ItemID returns the item's id.
func (s Suggestion) ItemID() string { return s.ID }

// ItemID returns the item's id.
func (f SafetyFlag) ItemID() string { return f.ID }
