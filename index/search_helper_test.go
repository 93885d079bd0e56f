package index

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
)

// observed returns a submission as it is stored, with its entities.
func observed(summary, content string) submissionDocument {
	return submissionDocument{Submission: lore.Submission{
		ID: lore.NewID(), SourceID: lore.NewID(), Summary: summary, Content: content, Category: lore.CategoryGeneral, Tier: lore.TierRaw,
		Tags: []string{}, Entities: lore.Entities(summary, content), CreatedAt: at(1),
	}}
}

// load stores many submissions by bulk requests and makes them searchable.
func load(t testing.TB, client *Client, documents ...submissionDocument) {
	t.Helper()
	for part := range slices.Chunk(documents, 5000) {
		var body bytes.Buffer
		for _, document := range part {
			text, err := encodeDocument("x-submissions", document)
			if err != nil {
				t.Fatal(err)
			}
			body.WriteString(`{"create":{"_id":"` + document.ID + `"}}` + "\n")
			body.Write(text)
			body.WriteByte('\n')
		}
		status, answer := enginetest.Elasticsearch(t, "POST", "/"+client.aliasOf(lore.Submissions)+"/_bulk?filter_path=errors", body.String())
		if status != http.StatusOK || !bytes.Contains(answer, []byte(`"errors":false`)) {
			t.Fatalf("store %d submissions: %d %.300s", len(part), status, answer)
		}
	}
	enginetest.Elasticsearch(t, "POST", "/"+client.aliasOf(lore.Submissions)+"/_refresh", "")
}

// searchStore returns a store of the test's own that holds submissions.
func searchStore(t *testing.T, documents ...submissionDocument) *Client {
	t.Helper()
	client := ownClient(t)
	migrate(t, client)
	load(t, client, documents...)
	return client
}

// find searches for a text and fails the test on an error.
func find(t testing.TB, client *Client, query lore.SearchQuery) lore.SearchResult {
	t.Helper()
	if query.Limit == 0 {
		query.Limit = 10
	}
	result, err := client.Search(t.Context(), query)
	if err != nil {
		t.Fatalf("search for %q: %v", query.Text, err)
	}
	return result
}

// foundBy returns what a corrected query finds, before it is ranked. The hits keep their answer.
func foundBy(t *testing.T, client *Client, q *query) []*searchHit {
	t.Helper()
	err := client.correct(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.find(t.Context(), q, new(bytes.Buffer))
	if err != nil {
		t.Fatal(err)
	}
	return response.hits
}

// summaries returns what a page shows, in order.
func summaries(result lore.SearchResult) []string {
	list := []string{}
	for _, hit := range result.Results {
		list = append(list, hit.Summary)
	}
	return list
}

// hitOf returns the result with a summary.
func hitOf(t *testing.T, result lore.SearchResult, summary string) lore.SearchHit {
	t.Helper()
	for _, hit := range result.Results {
		if hit.Summary == summary {
			return hit
		}
	}
	t.Fatalf("%q is not among the results %q", summary, summaries(result))
	return lore.SearchHit{}
}

// daysAgo returns a time before now: age counts from the present.
func daysAgo(days int) time.Time { return time.Now().UTC().AddDate(0, 0, -days) }

func mustJSON(t testing.TB, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
