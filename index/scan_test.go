package index

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"agentlore/enginetest"
	"agentlore/lore"
)

// A scan of an index of which a shard can't be read is an error, and never what the other shards hold: an import of the reference library
// would take the rest for new and write over its outcomes.
func TestAScanIsWholeOrFails(t *testing.T) {
	t.Parallel()
	client := openClient(t, enginetest.Prefix(t), enginetest.ElasticsearchURL(t))
	name, all := client.Prefix+"-halves", map[string]any{"match_all": map[string]any{}}
	ask := func(method, path, body string) {
		t.Helper()
		if status, answer := enginetest.Elasticsearch(t, method, "/"+name+path, body); status >= 300 {
			t.Fatalf("%s %s: %d %s", method, path, status, answer)
		}
	}
	// One node may have one shard: the other has no place, and what belongs there can't be written either.
	ask("PUT", "?wait_for_active_shards=0", `{"settings": {"number_of_shards": 2, "number_of_replicas": 0, "routing.allocation.total_shards_per_node": 1}}`)
	var lines strings.Builder
	for i := range 50 {
		fmt.Fprintf(&lines, "{\"index\": {\"_id\": \"%d\"}}\n{}\n", i)
	}
	ask("POST", "/_bulk?refresh=true&timeout=1s", lines.String())
	found := 0
	err := Scan(t.Context(), client, name, all, false, func(page []Hit[struct{}]) error { found += len(page); return nil })
	if lore.CodeOf(err) != lore.CodeStoreUnavailable || found > 0 {
		t.Errorf("%d found, %v; want none and store_unavailable", found, err)
	}
}

// A shard that fails between two pages of a scan is an error too: Elasticsearch answers with what the others have.
func TestAScanThatLosesAShard(t *testing.T) {
	t.Parallel()
	for name, second := range map[string]string{
		"a failed shard": `{"_scroll_id":"s","_shards":{"total":2,"successful":1,"failed":1},"hits":{"hits":[]}}`,
		"out of time":    `{"_scroll_id":"s","timed_out":true,"_shards":{"total":2,"successful":2,"failed":0},"hits":{"hits":[]}}`,
	} {
		asked := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Elastic-Product", "Elasticsearch")
			w.Header().Set("Content-Type", "application/json")
			if asked++; asked == 1 {
				fmt.Fprint(w, `{"_scroll_id":"s","_shards":{"total":2,"successful":2,"failed":0},"hits":{"hits":[{"_id":"1"}]}}`)
				return
			}
			fmt.Fprint(w, second)
		}))
		t.Cleanup(server.Close)
		client := openClient(t, enginetest.NewPrefix(), server.URL)
		err := Scan(t.Context(), client, "x", nil, false, func([]Hit[struct{}]) error { return nil })
		if lore.CodeOf(err) != lore.CodeStoreUnavailable {
			t.Errorf("%s: %v, want store_unavailable", name, err)
		}
	}
}
