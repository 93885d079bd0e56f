package search

import (
	"fmt"
	"slices"
	"testing"

	"agentlore/index"
	"agentlore/index/indextest"
	"agentlore/lore"
)

// However many flagged items fit a query best, pages hold the others, each once, and as many as the total says.
func TestPagesAreWholeWhereMostIsFlagged(t *testing.T) {
	t.Parallel()
	searcher := New(indextest.Store(t))
	store := index.OpenSubmissions(searcher.client, indextest.Writer(t, searcher.client))
	warnings := lore.WarningsOf([]lore.SafetyFlag{{Reason: lore.FlagInjection, Status: lore.FlagOpen, RaisedBy: lore.RaisedByAgentlore}}, indextest.At(0))
	var want []string
	for i := range 75 {
		id, flagged := lore.NewID(), i%5 > 0
		summary := "quokka vault rounds shares"
		draft := lore.Draft{ID: id, Identity: lore.Identity{SourceID: lore.NewID()}, ClassifiedBy: lore.BySubmitter, CreatedAt: indextest.At(i)}
		if flagged {
			draft.Warnings = warnings
		} else {
			summary += " down in a long text of other words"
			want = append(want, id)
		}
		if _, created, err := store.Create(t.Context(), draft, indextest.Clean(t, lore.Observation{Summary: fmt.Sprint(summary, " ", i), Category: lore.CategoryFailure})); err != nil || !created {
			t.Fatal(created, err)
		}
	}
	indextest.Refresh(t, searcher.client, lore.Submissions)
	slices.Sort(want)
	for name, query := range map[string]lore.SearchQuery{
		"by relevance": {Text: "quokka vault shares"}, "by time": {Text: "quokka", Newest: true}, "with facets": {Text: "quokka", Facets: true},
		"by cursor": {Text: "quokka", Newest: true, Cursor: "first"},
	} {
		byCursor := query.Cursor != ""
		query.Cursor, query.Limit = "", 4
		var got []string
		for offset := 0; offset == 0 || len(got) == offset; offset += query.Limit {
			if !byCursor {
				query.Offset = offset
			}
			found, err := searcher.Search(t.Context(), query)
			if err != nil || found.Total != int64(len(want)) {
				t.Fatalf("%s: total %d, %v; want %d", name, found.Total, err, len(want))
			}
			if offset == 0 && found.Flagged == 0 {
				t.Errorf("%s: none is counted as left out", name)
			}
			for _, hit := range found.Results {
				got = append(got, hit.ID)
			}
			if query.Cursor = found.NextCursor; byCursor && query.Cursor == "" {
				break
			}
			if !byCursor {
				query.Cursor = ""
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: pages hold %d items, want the %d that aren't flagged, each once", name, len(got), len(want))
		}
	}
	// Far behind the first 40 and with what was confirmed asked for, nothing else holds.
	if found, err := searcher.Search(t.Context(), lore.SearchQuery{Text: "quokka", Limit: 10, Offset: 50}); err != nil || len(found.Results) != 0 || found.Total != int64(len(want)) {
		t.Errorf("from 50 on: %d of %d, %v", len(found.Results), found.Total, err)
	}
}
