package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
)

// from is the beginning of a dashboard's time range.
func from(t *testing.T, text string) time.Time {
	var n int
	var unit string
	if _, err := fmt.Sscanf(text, "now-%d%1s", &n, &unit); err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC()
	if unit == "y" {
		return now.AddDate(-n, 0, 0)
	}
	return now.AddDate(0, 0, -n)
}

// Every panel's query, as Kibana builds it, is valid, finds something, and its numbers are those of a count made without
// Elasticsearch.
func TestPanelsSayWhatIsThere(t *testing.T) {
	c := analystCorpus(t)
	objects := committed(t)
	byID := map[string]object{}
	for _, o := range objects {
		byID[o.ID] = o
	}
	compared, empty, shown := 0, []string{}, map[string]bool{}
	run := func(o object, begin time.Time) {
		title := strings.ReplaceAll(byID[o.References[0].ID].Attributes.Title, "agentlore-", "")
		if len(c.documents[title]) == 0 && !c.given {
			t.Errorf("%s: nothing to count in %s", o.ID, title)
		}
		compared, shown[o.ID] = compared+1, true
		found := 0
		if o.Type == "search" {
			query := inner[struct{ Query struct{ Query string } }](t, o.Attributes.KibanaSavedObjectMeta.SearchSourceJSON).Query.Query
			found = c.compare(t, o.ID, title, nil, nil, query, begin)
		}
		for _, layer := range o.Attributes.State.DatasourceStates.FormBased.Layers {
			found = c.compare(t, o.ID, title, layer.Columns, layer.ColumnOrder, o.Attributes.State.Query.Query, begin)
		}
		if found == 0 {
			empty = append(empty, o.ID)
		}
		t.Logf("%6d documents: %s", found, o.ID)
	}
	for _, board := range objects {
		if board.Type != "dashboard" {
			continue
		}
		for _, r := range board.References {
			run(byID[r.ID], from(t, board.Attributes.TimeFrom))
		}
	}
	for _, o := range objects {
		if o.Type == "search" && !shown[o.ID] { // it stands on no dashboard: Discover chooses the time
			run(o, from(t, "now-5y"))
		}
	}
	t.Logf("%d panels and searches compared, %d of them without a document: %s", compared, len(empty), strings.Join(empty, ", "))
}

// compare runs a query by _msearch, compares its numbers with those of the documents and returns how many it finds.
func (c *corpus) compare(t *testing.T, name, collection string, columns map[string]column, order []string, kql string, begin time.Time) (documents int) {
	t.Helper()
	lines := fmt.Sprintf("{\"index\":%q,\"ignore_unavailable\":true}\n", c.prefix+"-"+collection)
	body, err := json.Marshal(kibanaQuery(columns, order, kql, begin.Format(time.RFC3339)))
	if err != nil {
		t.Fatal(err)
	}
	status, answer := enginetest.Elasticsearch(t, "POST", "/_msearch", lines+string(body)+"\n")
	var got struct {
		Responses []struct {
			Status int
			Hits   struct{ Total struct{ Value int } }
			Aggs   map[string]json.RawMessage `json:"aggregations"`
		}
	}
	if status != http.StatusOK || json.Unmarshal(answer, &got) != nil || len(got.Responses) != 1 || got.Responses[0].Status != http.StatusOK {
		t.Errorf("%s: %d %.600s", name, status, answer)
		return 0
	}
	var found []document
	for _, d := range c.documents[collection] {
		at, err := time.Parse(time.RFC3339Nano, fmt.Sprint(d["created_at"][0]))
		if err != nil {
			t.Fatal(err)
		}
		if !at.Before(begin.Truncate(time.Second)) && at.Before(time.Now()) && matches(t, kql, d) {
			found = append(found, d)
		}
	}
	response := got.Responses[0]
	if response.Hits.Total.Value != len(found) || len(found) == 0 && !c.given {
		t.Errorf("%s: %d documents, counted %d", name, response.Hits.Total.Value, len(found))
	}
	if len(found) > 0 {
		compareLevel(t, name, columns, order, response.Aggs, found)
	}
	return len(found)
}

// compareLevel compares the values of one level of groups and goes into each group.
func compareLevel(t *testing.T, name string, columns map[string]column, order []string, got map[string]json.RawMessage, found []document) {
	t.Helper()
	for i, id := range order {
		if col := columns[id]; col.IsBucketed {
			var answer struct{ Buckets []map[string]json.RawMessage }
			if err := json.Unmarshal(got[id], &answer); err != nil {
				t.Errorf("%s: group %s: %v", name, id, err)
				return
			}
			groups := groupsOf(col, found)
			limit := len(groups)
			if col.OperationType == "terms" {
				limit = min(limit, col.Params.Size)
			}
			if len(answer.Buckets) != limit {
				t.Errorf("%s: %d groups of %s, counted %d", name, len(answer.Buckets), col.SourceField, limit)
			}
			for _, bucket := range answer.Buckets {
				key := strings.Trim(string(cmp.Or(stringOf(bucket["key_as_string"]), stringOf(bucket["key"]))), `"`)
				var unquoted string
				if json.Unmarshal([]byte(cmp.Or(stringOf(bucket["key_as_string"]), stringOf(bucket["key"]))), &unquoted) == nil {
					key = unquoted
				}
				compareLevel(t, name+" "+key, columns, order[i+1:], bucket, groups[key])
			}
			return // values stand within the groups
		}
	}
	for _, id := range order {
		col := columns[id]
		var answer struct {
			Value struct {
				Value  *float64
				Values map[string]*float64
			}
		}
		if err := json.Unmarshal(got[id], &answer); err != nil {
			t.Errorf("%s: value %s: %v", name, id, err)
			continue
		}
		number := answer.Value.Value
		if col.OperationType == "median" {
			number = answer.Value.Values["50.0"]
		}
		want, there := valueOf(t, col, found)
		if !there {
			if number != nil && *number != 0 && !math.IsInf(*number, 0) {
				t.Errorf("%s: %s of %s is %v, counted none", name, col.OperationType, col.SourceField, *number)
			}
			continue
		}
		tolerance := 1e-5 * max(1, math.Abs(want))
		if col.OperationType == "unique_count" && want > 1000 {
			tolerance = want / 20 // cardinality is an estimate beyond its threshold
		}
		if col.OperationType == "median" {
			tolerance = max(1, want/2) // and so is a percentile
		}
		if number == nil || math.Abs(*number-want) > tolerance {
			t.Errorf("%s: %s of %s is %v, counted %v", name, col.OperationType, col.SourceField, number, want)
		}
	}
}

func stringOf(raw json.RawMessage) string { return string(raw) }
