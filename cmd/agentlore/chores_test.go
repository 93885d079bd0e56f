package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
)

// Old events go although the old searches can't be removed.
func TestOneChoreThatFailsStopsNoOther(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	serve(t, prefix) // makes the indices
	body := fmt.Sprintf(`{"to":"too old","created_at":%q}`, time.Now().AddDate(0, 0, -3).UTC().Format(time.RFC3339))
	if status, answer := enginetest.Elasticsearch(t, "POST", "/"+prefix+"-events/_doc?refresh=true", body); status != http.StatusCreated {
		t.Fatalf("%d %s", status, answer)
	}
	proxy := enginetest.NewProxy(t)
	proxy.Set(func(r *http.Request) int {
		if strings.HasSuffix(r.URL.Path, "-searchlog/_search") || strings.HasSuffix(r.URL.Path, "-searchlog/_delete_by_query") {
			return http.StatusInternalServerError
		}
		return 0
	}, nil)
	s := serve(t, prefix, "--elasticsearch-url="+proxy.URL, "--event-days=2")
	enginetest.Eventually(t, "the old event goes", func() bool {
		_, events := enginetest.Elasticsearch(t, "GET", "/"+prefix+"-events/_count", "")
		return strings.Contains(string(events), `"count":0`)
	})
	enginetest.Eventually(t, "the log says what failed", func() bool { return strings.Contains(s.log.String(), "old searches") })
}
