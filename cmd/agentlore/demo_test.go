package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"agentlore/enginetest"
	"agentlore/lore"
	"agentlore/scripts/demo"
)

// publicLists are the lists of the public collections.
var publicLists = []string{"/sources", "/submissions", "/knowledge", "/patterns", "/assets", "/suggestions", "/safety-flags"}

// The first start shows the whole: the reference library, and a demo in which reports became a pattern and knowledge, knowledge was used
// and withdrawn, and an injection was flagged and another rejected. A second start changes nothing.
func TestFirstStart(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	s := serve(t, prefix, "--demo", "--no-curate", "--elasticsearch-url="+busyAtFirst(t, 12))
	if printed := s.printed.String(); !strings.Contains(printed, "entries; ") || !strings.Contains(printed, "Loaded the demo: 103 observations, 60 assets") ||
		strings.Count(printed, "curl -s") != 3 || !strings.Contains(printed, "/ask'") {
		t.Errorf("the greeting is\n%s", printed)
	}
	counts := func(s *service) (list []int64) {
		for _, path := range publicLists {
			list = append(list, decode[page](t, s.get(t, path+"?limit=1").want(t, http.StatusOK)).Total)
		}
		return list
	}
	refresh := func() { enginetest.Elasticsearch(t, "POST", "/"+prefix+"-*/_refresh", "") }
	refresh()
	first := counts(s)
	for i, path := range publicLists {
		if first[i] == 0 {
			t.Errorf("%s is empty", path)
		}
	}
	own := func(status string) (units []lore.KnowledgeUnit) {
		all := decode[lore.Page[lore.KnowledgeUnit]](t, s.get(t, "/knowledge?limit=100&status="+status)).Results
		return slices.DeleteFunc(all, func(u lore.KnowledgeUnit) bool { return u.Reference != nil })
	}
	if units := own("active"); len(units) != 2 || !slices.ContainsFunc(units, func(u lore.KnowledgeUnit) bool {
		return u.Evidence.Owners == 3 && u.Outcomes == lore.Outcomes{Worked: 3, Failed: 1} && u.PatternID != ""
	}) {
		t.Errorf("the knowledge that agents made is %+v", units)
	}
	if units := own("withdrawn"); len(units) != 1 || units[0].Outcomes.Failed != 2 || !slices.Contains(units[0].Missing, lore.RequireConfidence) {
		t.Errorf("the withdrawn knowledge is %+v", units)
	}
	flags := decode[lore.Page[lore.SafetyFlag]](t, s.get(t, "/safety-flags")).Results
	statuses := map[lore.FlagStatus]lore.SafetyFlag{}
	for _, flag := range flags {
		statuses[flag.Status] = flag
	}
	if len(flags) != 2 || statuses[lore.FlagOpen].RaisedBy != lore.RaisedByAgentlore || statuses[lore.FlagConfirmed].Reason != lore.FlagInjection {
		t.Errorf("the flags are %+v", flags)
	}
	warned := decode[lore.Submission](t, s.get(t, "/submissions/"+statuses[lore.FlagOpen].Target.ID))
	if len(warned.Warnings) != 1 || warned.Warnings[0].Code != "injection" {
		t.Errorf("the flagged report warns of %+v", warned.Warnings)
	}
	if rejected := decode[lore.Submission](t, s.get(t, "/submissions/"+statuses[lore.FlagConfirmed].Target.ID)); rejected.Status != lore.StatusFlagged {
		t.Errorf("the rejected report's status is %q", rejected.Status)
	}
	for _, q := range []string{"disregard+guidelines+seed+phrase", "approve+helper+ignore+previous+instructions"} {
		for _, hit := range decode[page](t, s.get(t, "/search/all?q="+q)).Results {
			if hit["id"] == warned.ID || strings.Contains(hit["summary"].(string), "reset the wallet") {
				t.Errorf("%s finds %v", q, hit)
			}
		}
	}
	again := serve(t, prefix, "--demo", "--no-curate")
	if printed := again.printed.String(); !strings.Contains(printed, "; 0 are new") || !strings.Contains(printed, "loaded before") {
		t.Errorf("a second start says\n%s", printed)
	}
	if second := counts(again); !slices.Equal(first, second) {
		t.Errorf("there were %v, a second start makes it %v", first, second)
	}
	// As if the first had been killed before its last step.
	enginetest.Elasticsearch(t, "POST", "/"+prefix+"-decisions/_delete_by_query?refresh=true", `{"query":{"term":{"decision":"reject"}}}`)
	resumed := serve(t, prefix, "--demo", "--no-curate")
	if printed := resumed.printed.String(); !strings.Contains(printed, "Loaded the demo: 103 observations, 60 assets") {
		t.Errorf("a start after one that was killed says\n%s", printed)
	}
	refresh()
	if third := counts(resumed); !slices.Equal(first, third) {
		t.Errorf("there were %v, going on with it makes it %v", first, third)
	}
}

// busyAtFirst answers the address of a store that refuses so many bulk requests before it works.
func busyAtFirst(t *testing.T, refusals int32) string {
	t.Helper()
	backend, err := url.Parse(enginetest.ElasticsearchURL(t))
	if err != nil {
		t.Fatal(err)
	}
	through := httputil.NewSingleHostReverseProxy(backend)
	var refused atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/_bulk") && refused.Add(1) <= refusals {
			w.Header().Set("X-Elastic-Product", "Elasticsearch")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		through.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// A store that holds reports of others gets the library and no demo.
func TestDemoIntoAFilledStore(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	s := serve(t, prefix)
	s.submit(t, s.register(t, "demo-neighbour"), observation("A report of somebody's own"))
	enginetest.Elasticsearch(t, "POST", "/"+prefix+"-submissions/_refresh", "")
	if printed := serve(t, prefix, "--demo").printed.String(); !strings.Contains(printed, "the demo was not loaded") || !strings.Contains(printed, "entries; ") {
		t.Errorf("the start says\n%s", printed)
	}
	if total := decode[page](t, s.get(t, "/submissions")).Total; total != 1 {
		t.Errorf("%d reports, want 1", total)
	}
}

// The files are whole: an agent can import them by hand, and nothing in them is scrubbed but one address, which shows that.
func TestDemoFiles(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	serve(t, prefix)
	for collection, name := range map[string]string{"submissions": "observations.jsonl", "assets": "assets.jsonl"} {
		text, err := demo.Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		status, printed := importFile(t, prefix, collection, writeFile(t, name, text))
		if status != 0 || !strings.Contains(printed, " 0 refused") || strings.Count(printed, "scrubbed") != strings.Count(printed, "scrubbed email: 1") || bytes.Count(text, []byte("\n")) < 60 {
			t.Errorf("%s: status %d\n%s", name, status, printed)
		}
	}
}
