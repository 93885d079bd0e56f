package index

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"agentlore/enginetest"
	"agentlore/lore"
)

// failedSearch is Elasticsearch's answer to a search that failed on a shard for such reasons, each caused by the next.
func failedSearch(status int, kinds ...string) string {
	reason := ""
	for _, kind := range slices.Backward(kinds) {
		caused := ""
		if reason != "" {
			caused = `,"caused_by":` + reason
		}
		reason = fmt.Sprintf(`{"type":%q,"reason":"canary"%s}`, kind, caused)
	}
	shards := ""
	if reason != "" {
		shards = `{"shard":0,"index":"a-submissions-1","node":"n","reason":` + reason + `}`
	}
	return fmt.Sprintf(`{"error":{"root_cause":[%s],"type":"search_phase_execution_exception","reason":"all shards failed","phase":"query","grouped":true,"failed_shards":[%s]},"status":%d}`,
		strings.ReplaceAll(reason, `"caused_by"`, `"x"`), shards, status)
}

// failing returns a client of an Elasticsearch that fails searches with an answer so many times, and finds nothing after that,
// and how often it was asked. A real one can't be asked to fail so.
func failing(t *testing.T, times int64, status int, answer string) (*Client, *atomic.Int64) {
	t.Helper()
	asked := &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Elastic-Product", "Elasticsearch")
		w.Header().Set("Content-Type", "application/json")
		if asked.Add(1) <= times {
			w.WriteHeader(status)
			fmt.Fprint(w, answer)
			return
		}
		fmt.Fprint(w, `{"hits":{"total":{"value":0,"relation":"eq"},"hits":[]}}`)
	}))
	t.Cleanup(server.Close)
	return openClient(t, enginetest.NewPrefix(), server.URL), asked
}

// A search that meets a shard on its way to another node is sent again, and where that doesn't help the store is unavailable.
func TestSearchOfAShardOnItsWay(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status int
		kinds  []string
	}{
		{400, nil},
		{400, []string{"task_cancelled_exception"}},
		{400, []string{"query_shard_exception", "already_closed_exception"}},
		{404, []string{"search_context_missing_exception"}},
		{404, []string{"index_shard_not_started_exception"}},
		{404, []string{"illegal_index_shard_state_exception"}},
		{400, []string{"query_shard_exception", "query_phase_execution_exception", "node_disconnected_exception"}},
	} {
		t.Run(fmt.Sprint(test.status, test.kinds), func(t *testing.T) {
			t.Parallel()
			assets := func(client *Client) (lore.Page[lore.Asset], error) {
				return NewCollection[lore.Asset](client, lore.Assets, "asset").List(t.Context(), lore.ListQuery{Limit: 1})
			}
			client, asked := failing(t, 1, test.status, failedSearch(test.status, test.kinds...))
			if page, err := assets(client); err != nil || len(page.Results) != 0 || asked.Load() != 2 {
				t.Errorf("%v, %v after %d requests: want an empty page after two", page, err, asked.Load())
			}
			client, _ = failing(t, 99, test.status, failedSearch(test.status, test.kinds...))
			_, err := assets(client)
			if lore.CodeOf(err) != lore.CodeStoreUnavailable || strings.Contains(err.Error(), "canary") {
				t.Errorf("with no end to it: %v, want store_unavailable", err)
			}
			for _, kind := range test.kinds {
				if !strings.Contains(err.Error(), kind) {
					t.Errorf("the log says %q, want %s in it", err, kind)
				}
			}
		})
	}
}

// A query of ours that can't be carried out stays a fault of ours, is sent once, and the log names what is wrong with it.
func TestSearchThatCannotBeCarriedOut(t *testing.T) {
	t.Parallel()
	client, asked := failing(t, 99, 400, failedSearch(400, "query_shard_exception", "number_format_exception"))
	_, err := NewCollection[lore.Asset](client, lore.Assets, "asset").List(t.Context(), lore.ListQuery{Limit: 1})
	const want = "elasticsearch answered 400 search_phase_execution_exception (number_format_exception, query_shard_exception)"
	if lore.CodeOf(err) != "" || err == nil || err.Error() != want || asked.Load() != 1 {
		t.Errorf("%v after %d requests, want %q after one", err, asked.Load(), want)
	}
	store := sharedClient(t)
	err = store.Query(t.Context(), []string{store.AliasOf(lore.Assets)}, map[string]any{"sort": []any{map[string]any{"canary": "asc"}}}, nil)
	if lore.CodeOf(err) != "" || err == nil || !strings.Contains(err.Error(), "query_shard_exception") || strings.Contains(err.Error(), "canary") {
		t.Errorf("a sort by a field that doesn't exist: %v, want a fault of ours that names query_shard_exception", err)
	}
}
