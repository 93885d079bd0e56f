package kibana

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"agentlore/enginetest"
	"agentlore/mappings"
)

// collections returns those that a data view shows.
func (o object) collections() []string {
	return strings.Split(strings.ReplaceAll(o.Attributes.Title, prefix, ""), ",")
}

// existing is the prefix of indices that are there: the queries run on them, and what each finds is told.
var existing = flag.String("existing", "", "prefix of indices to ask, instead of indices of the test's own")

// filled makes a panel or a search that shows nothing of existing indices an error. (A rule finds nothing while all is well.)
var filled = flag.Bool("filled", false, "fail if a panel or search finds nothing in -existing indices")

// asked is one thing that Kibana asks Elasticsearch: a panel within the time of its dashboard, a saved search, or an alert rule.
type asked struct {
	name        string
	collections []string
	kql         string
	from        string
	layer       layer
	sort        []map[string]string
	fields      []string // that it names
	computed    map[string]any
	rule        bool
}

// everythingAsked returns what the objects ask for.
func everythingAsked(t *testing.T) (all []asked) {
	t.Helper()
	objects, _ := mustRead(t)
	add := func(o object, from string) {
		view := objects[o.References[0].ID]
		one := asked{name: o.ID, collections: view.collections(), computed: view.computed(t), kql: o.Attributes.State.Query.Query, from: from}
		if o.Type == "search" {
			one.kql = decoded[struct{ Query query }](t, o.Attributes.KibanaSavedObjectMeta.SearchSourceJSON).Query.Query
			one.fields = o.Attributes.Columns
			for _, by := range o.Attributes.Sort {
				one.sort, one.fields = append(one.sort, map[string]string{by[0]: by[1]}), append(one.fields, by[0])
			}
		}
		for _, one.layer = range o.Attributes.State.DatasourceStates.FormBased.Layers {
			for _, column := range one.layer.Columns {
				if column.SourceField != "___records___" && column.SourceField != "" {
					one.fields = append(one.fields, column.SourceField)
				}
				kql := column.Filter.Query
				for _, filter := range column.Params.Filters {
					kql += " " + filter.Input.Query
				}
				for _, term := range termsOf(kql) {
					one.fields = append(one.fields, term.field)
				}
			}
		}
		for _, term := range termsOf(one.kql) {
			one.fields = append(one.fields, term.field)
		}
		all = append(all, one)
	}
	for _, o := range objects {
		switch o.Type {
		case "dashboard":
			for _, r := range o.References {
				if r.Type == "lens" || r.Type == "search" {
					add(objects[r.ID], o.Attributes.TimeFrom)
				}
			}
		case "search":
			add(o, "now-5y")
		}
	}
	for _, r := range mustReadRules(t) {
		all = append(all, r.asked(t, objects))
	}
	return all
}

// term is a clause of KQL.
type term struct {
	not                    bool
	field, operator, value string
}

var termPattern = regexp.MustCompile(`(not\s+)?([@a-z_.]+)\s*(:|>=|<=|>|<)\s*("[^"]*"|[^\s()]+)`)

func termsOf(kql string) (found []term) {
	for _, part := range termPattern.FindAllStringSubmatch(kql, -1) {
		found = append(found, term{part[1] != "", part[2], part[3], strings.Trim(part[4], `"`)})
	}
	return found
}

// corpus makes empty indices of the mappings under a prefix of its own.
func corpus(t *testing.T) (indices string, fields map[string]map[string]map[string]any) {
	t.Helper()
	definitions, err := mappings.All()
	if err != nil {
		t.Fatal(err)
	}
	indices, fields = enginetest.Prefix(t), map[string]map[string]map[string]any{}
	for name, definition := range definitions {
		body, err := json.Marshal(map[string]any{"settings": definition.Settings, "mappings": definition.Mappings})
		if err != nil {
			t.Fatal(err)
		}
		if status, answer := enginetest.Elasticsearch(t, http.MethodPut, "/"+indices+"-"+name, string(body)); status != http.StatusOK {
			t.Fatalf("%s: %d %.300s", name, status, answer)
		}
		fields[name] = mappings.Fields(definition.Mappings["properties"].(map[string]any))
	}
	return indices, fields
}

// Every field that is asked for exists in all indices that are asked; everything that is asked for runs without an error where there
// is nothing, and finds something where there is a document for it.
func TestQueries(t *testing.T) {
	if *existing != "" {
		for _, one := range everythingAsked(t) {
			found, answer := one.run(t, *existing)
			empty := found == 0 || bytes.Contains(answer, []byte(`"buckets":[]`))
			t.Logf("%8d %s%s", found, one.name, map[bool]string{true: "  EMPTY"}[empty])
			if empty && *filled && !one.rule {
				t.Errorf("%s shows nothing", one.name)
			}
		}
		return
	}
	indices, fields := corpus(t)
	all := everythingAsked(t)
	if len(all) < 40 {
		t.Fatalf("%d panels and searches: are these all?", len(all))
	}
	for _, one := range all {
		for _, collection := range one.collections {
			for _, field := range one.fields {
				if fields[collection][field] == nil && one.computed[field] == nil {
					t.Errorf("%s: %s has no field %s", one.name, collection, field)
				}
			}
		}
		if found, _ := one.run(t, indices); found != 0 {
			t.Errorf("%s finds %d documents where there are none", one.name, found)
		}
	}
	for _, one := range all {
		for _, collection := range one.collections {
			document := one.document(fields[collection])
			if status, answer := enginetest.Elasticsearch(t, http.MethodPost, "/"+indices+"-"+collection+"/_doc", document); status != http.StatusCreated {
				t.Fatalf("%s: %d %.500s", one.name, status, answer)
			}
		}
	}
	enginetest.Elasticsearch(t, http.MethodPost, "/"+indices+"-*/_refresh", "")
	for _, one := range all {
		if found, answer := one.run(t, indices); found == 0 || bytes.Contains(answer, []byte(`"buckets":[]`)) {
			t.Errorf("%s shows nothing of its document: %.500s", one.name, answer)
		}
	}
}

// run sends what Kibana sends for it (Kibana turns KQL into clauses by itself) and returns how many documents are found.
func (a asked) run(t *testing.T, indices string) (found int, answer []byte) {
	t.Helper()
	filters := []any{map[string]any{"range": map[string]any{"created_at": map[string]any{"gte": a.from, "lte": "now"}}}, kqlQuery(a.kql)}
	request := map[string]any{"size": 0, "query": map[string]any{"bool": map[string]any{"filter": filters}}, "aggs": a.layer.aggregations(t)}
	if a.computed != nil {
		request["runtime_mappings"] = a.computed
	}
	if a.sort != nil {
		request["size"], request["sort"] = 10, a.sort
	}
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	names := indices + "-" + strings.Join(a.collections, ","+indices+"-")
	status, answer := enginetest.Elasticsearch(t, http.MethodPost, "/"+names+"/_search", string(body))
	if status != http.StatusOK {
		t.Fatalf("%s: %d %.1000s", a.name, status, answer)
	}
	return decoded[struct {
		Hits struct{ Total struct{ Value int } }
	}](t, string(answer)).Hits.Total.Value, answer
}

func kqlQuery(kql string) map[string]any {
	if kql == "" {
		return map[string]any{"match_all": map[string]any{}}
	}
	return map[string]any{"kql": map[string]any{"query": kql}}
}

var documentedRow = regexp.MustCompile("(?m)^\\|[^|]+\\| ([a-z-]+) \\| `([^`]+)` \\|")

// The questions of docs/analysts.md are KQL that Elasticsearch reads, on fields that exist.
func TestDocumentedQuestions(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(enginetest.Root(), "docs", "analysts.md"))
	if err != nil {
		t.Fatal(err)
	}
	indices, fields := corpus(t)
	rows := documentedRow.FindAllStringSubmatch(string(page), -1)
	if len(rows) != 25 {
		t.Fatalf("%d questions, want 25", len(rows))
	}
	for _, row := range rows {
		one := asked{name: row[2], collections: []string{row[1]}, kql: row[2], from: "now-5y"}
		for _, term := range termsOf(one.kql) {
			if fields[row[1]][term.field] == nil {
				t.Errorf("%s: %s has no field %s", row[2], row[1], term.field)
			}
		}
		one.run(t, indices)
	}
}
