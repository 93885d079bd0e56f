package search

import (
	"slices"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/index"
	"agentlore/index/indextest"
	"agentlore/lore"
)

// observed returns a submission as it is stored, with its entities.
func observed(summary, content string) lore.Submission {
	return lore.Submission{
		ID: lore.NewID(), SourceID: lore.NewID(), Summary: summary, Content: content, Category: lore.CategoryGeneral, Tier: lore.TierRaw,
		Tags: []string{}, Entities: lore.Entities(summary, content), CreatedAt: indextest.At(1),
	}
}

// load stores many submissions by bulk requests and makes them searchable.
func load(t testing.TB, searcher *Searcher, documents ...lore.Submission) {
	t.Helper()
	alias := searcher.client.AliasOf(lore.Submissions)
	for part := range slices.Chunk(documents, 5000) {
		operations := make([]index.Operation, len(part))
		for i, document := range part {
			operations[i] = index.Operation{Action: "create", Index: alias, ID: document.ID, Document: document}
		}
		if err := searcher.client.BulkAll(t.Context(), operations, nil); err != nil {
			t.Fatalf("store %d submissions: %v", len(part), err)
		}
	}
	enginetest.Elasticsearch(t, "POST", "/"+alias+"/_refresh", "")
}

// searchStore returns a store of the test's own that holds submissions.
func searchStore(t *testing.T, documents ...lore.Submission) *Searcher {
	t.Helper()
	searcher := New(indextest.Store(t))
	load(t, searcher, documents...)
	return searcher
}

// find searches for a text and fails the test on an error.
func find(t testing.TB, searcher *Searcher, query lore.SearchQuery) lore.SearchResult {
	t.Helper()
	if query.Limit == 0 {
		query.Limit = 10
	}
	result, err := searcher.Search(t.Context(), query)
	if err != nil {
		t.Fatalf("search for %q: %v", query.Text, err)
	}
	return result
}

// foundBy returns what a corrected query finds, before it is ranked. The hits keep their answer.
func foundBy(t *testing.T, searcher *Searcher, q *query) []*searchHit {
	t.Helper()
	err := searcher.correct(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	response, err := searcher.find(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return response.Hits.Hits
}

// summaries returns what a page shows, in order.
func summaries(result lore.SearchResult) []string {
	list := []string{}
	for _, hit := range result.Results {
		list = append(list, hit.Summary)
	}
	return list
}

// daysAgo returns a time before now: age counts from the present.
func daysAgo(days int) time.Time { return time.Now().UTC().AddDate(0, 0, -days) }
