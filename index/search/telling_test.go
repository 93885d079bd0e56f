package search

import (
	"strings"
	"testing"

	"agentlore/lore"
)

// Which words of a long question count changes with the corpus. The cursor of its pages by time belongs to what was asked, and goes on.
func TestTheCursorOfALongQuestionGoesOn(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("the filler ", plainWords/2) + "numbat" // of its first words half tell nothing: there is room for the last one
	reports := []lore.Submission{observed("A filler stalls", "numbat"), observed("A filler stops", ""), observed("A filler ends", "")}
	searcher := searchStore(t, reports...)
	query := lore.SearchQuery{Text: text, Newest: true, Limit: 1}
	first := find(t, searcher, query)
	load(t, searcher, observed("Another numbat", "numbat"), observed("A third numbat", "numbat"))
	query.Cursor = first.NextCursor
	if second := find(t, searcher, query); first.NextCursor == "" || len(second.Results) != 1 {
		t.Errorf("the cursor %q leads to %d results", first.NextCursor, len(second.Results))
	}
}
