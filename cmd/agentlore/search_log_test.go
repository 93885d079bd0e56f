package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
)

// logged returns the logged searches by their question.
func logged(t *testing.T, prefix string) map[string]map[string]any {
	t.Helper()
	enginetest.Elasticsearch(t, "POST", "/"+prefix+"-searchlog/_refresh", "")
	status, answer := enginetest.Elasticsearch(t, "GET", "/"+prefix+"-searchlog/_search?size=100", "")
	var found struct {
		Hits struct {
			Hits []struct {
				Source map[string]any `json:"_source"`
			}
		}
	}
	if status != http.StatusOK || json.Unmarshal(answer, &found) != nil {
		t.Fatalf("read the log: %d %.300s", status, answer)
	}
	searches := map[string]map[string]any{}
	for _, hit := range found.Hits.Hits {
		searches[fmt.Sprint(hit.Source["q"])] = hit.Source
	}
	return searches
}

// Analysts see searches and their results, scrubbed and without the searcher, until the search log's age limit. Events have a longer
// limit of their own.
func TestSearchesAreLogged(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	put := func(index, field, value string, days int) {
		t.Helper()
		body := fmt.Sprintf(`{%q:%q,"created_at":%q}`, field, value, time.Now().AddDate(0, 0, -days).UTC().Format(time.RFC3339))
		if status, answer := enginetest.Elasticsearch(t, "POST", "/"+prefix+"-"+index+"/_doc?refresh=true", body); status != http.StatusCreated {
			t.Fatalf("%d %s", status, answer)
		}
	}
	serve(t, prefix)
	put("searchlog", "q", "before the log was given up", 1)
	silent := serve(t, prefix, "--search-log-days=0")
	enginetest.Eventually(t, "a service that logs none keeps none", func() bool { return len(logged(t, prefix)) == 0 })
	put("searchlog", "q", "too old", 8)
	put("searchlog", "q", "young enough", 6)
	put("events", "to", "too old", 3)
	put("events", "to", "young enough", 1)
	s := serve(t, prefix, "--search-log-days=7", "--event-days=2")
	me := s.register(t, "is-searched-for")
	s.submit(t, me, observation("Bridge relayer stalls with eip155:8453"))
	inTime(t, "it is found", func() bool { return len(s.searchFor(t, "relayer").Results) == 1 })

	address := "someone" + "@" + "example.org"
	silent.searchFor(t, "nobody writes this down")
	s.searchFor(t, "brigde stalls", "type=submission", "category=failure", "ecosystem=")
	s.searchFor(t, "eip155:8453 relayer")
	s.searchFor(t, "zzqqxx mail "+address)
	s.searchFor(t, "", "sort=newest")
	s.get(t, "/search/all?q=refused&limit=1000").want(t, 422)
	enginetest.Eventually(t, "the searches are logged", func() bool {
		all := logged(t, prefix)
		return all["brigde stalls"] != nil && all["eip155:8453 relayer"] != nil && all["<nil>"] != nil && all["too old"] == nil && len(all) == 6
	})
	enginetest.Eventually(t, "of the events the old one goes", func() bool {
		_, events := enginetest.Elasticsearch(t, "GET", "/"+prefix+"-events/_search?filter_path=hits.hits._source.to", "")
		return string(events) == `{"hits":{"hits":[{"_source":{"to":"young enough"}}]}}`
	})
	all := logged(t, prefix)
	if all["young enough"] == nil || all["nobody writes this down"] != nil || all["refused"] != nil {
		t.Errorf("logged are %v", all)
	}
	typo := all["brigde stalls"]
	if typo["corrected"] != true || typo["found"] != true || typo["total"] != 1.0 || typo["words"] != 2.0 || typo["type"] != "submission" || typo["category"] != "failure" || !strings.Contains(fmt.Sprint(typo["layers"]), "fuzzy") {
		t.Errorf("a misspelt search is logged as %v", typo)
	}
	if exact := all["eip155:8453 relayer"]; fmt.Sprint(exact["entities"]) != "[eip155:8453]" || !strings.Contains(fmt.Sprint(exact["layers"]), "exact") || exact["scrubbed"] != false {
		t.Errorf("an exact search is logged as %v", exact)
	}
	if none := all["zzqqxx mail [SCRUBBED]"]; none == nil || none["found"] != false || none["scrubbed"] != true {
		t.Errorf("a search with an address in it is logged as %v, among %v", none, all)
	}
	if newest := all["<nil>"]; newest["sort"] != string(lore.SortNewest) {
		t.Errorf("a list of the newest is logged as %v", newest)
	}
	if text := enginetest.Everything(t, prefix); strings.Contains(text, address) || strings.Contains(text, url.QueryEscape(address)) || strings.Contains(text, "127.0.0.1") {
		t.Error("an address is in the store")
	}
}
