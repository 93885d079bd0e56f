package index

import (
	"net/http"
	"strings"
	"testing"

	"agentlore/enginetest"
	"agentlore/lore"
)

func TestCounts(t *testing.T) {
	t.Parallel()
	client := ownClient(t)
	migrate(t, client)
	none, err := client.Counts(t.Context(), lore.Collections()...)
	if err != nil || len(none) != len(lore.Collections()) {
		t.Fatalf("an empty store: %v, %v", none, err)
	}
	for collection, count := range none {
		if count != 0 {
			t.Errorf("an empty store has %d in %s", count, collection)
		}
	}
	// Beyond 10,000, where Elasticsearch stops to count unless told otherwise.
	const many = 10_050
	var body strings.Builder
	for range many {
		body.WriteString("{\"index\":{}}\n{\"summary\":\"x\"}\n")
	}
	if status, answer := enginetest.Elasticsearch(t, "POST", "/"+client.AliasOf(lore.Submissions)+"/_bulk?refresh=true", body.String()); status != http.StatusOK {
		t.Fatalf("%d %.300s", status, answer)
	}
	put(t, client, lore.Sources, lore.Source{ID: lore.NewID(), Name: "one", CreatedAt: at(1)})
	got, err := client.Counts(t.Context(), lore.Submissions, lore.Sources, lore.Assets)
	if err != nil || got[lore.Submissions] != many || got[lore.Sources] != 1 || got[lore.Assets] != 0 {
		t.Errorf("counts are %v, %v; want exactly %d and 1", got, err, many)
	}
	if health := client.Health(t.Context()); health != HealthOK {
		t.Errorf("health is %s, want ok", health)
	}
}
