package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/index"
	"agentlore/lore"
)

// corpus is what the panels are run on: a prefix and all its documents by collection.
type corpus struct {
	prefix    string
	documents map[string][]document
	given     bool // by AGENTLORE_ANALYST_PREFIX: a corpus that is there already, such as the imported real one
}

// analystCorpus returns the corpus of AGENTLORE_ANALYST_PREFIX, read only, or makes a small one with every collection filled.
func analystCorpus(t *testing.T) corpus {
	t.Helper()
	c := corpus{prefix: os.Getenv("AGENTLORE_ANALYST_PREFIX"), documents: map[string][]document{}}
	if c.given = c.prefix != ""; !c.given {
		c.prefix = enginetest.Prefix(t)
		client, err := index.Open(index.Config{
			Addresses: []string{enginetest.ElasticsearchURL(t)}, Prefix: c.prefix, Shards: 1, Replicas: "auto", Timeout: time.Minute, Log: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		fill(t, c.prefix)
	}
	for _, view := range views[:len(views)-1] {
		for _, collection := range view.collections {
			c.read(t, collection)
		}
	}
	return c
}

// read reads every document of a collection, past the queries under test.
func (c *corpus) read(t *testing.T, collection string) {
	t.Helper()
	after := ""
	for {
		body := `{"size":2000,"sort":[{"created_at":"asc"},"_doc"],"_source":{"excludes":["content","embedding","signature"]}` + after + `}`
		status, answer := enginetest.Elasticsearch(t, "POST", "/"+c.prefix+"-"+collection+"/_search", body)
		var page struct {
			Hits struct {
				Hits []struct {
					Source map[string]any  `json:"_source"`
					Sort   json.RawMessage `json:"sort"`
				}
			}
		}
		if status == http.StatusNotFound {
			return
		}
		if status != http.StatusOK || json.Unmarshal(answer, &page) != nil {
			t.Fatalf("read %s: %d %.300s", collection, status, answer)
		}
		for _, hit := range page.Hits.Hits {
			c.documents[collection] = append(c.documents[collection], flat("", hit.Source, document{}))
		}
		if len(page.Hits.Hits) == 0 {
			return
		}
		after = `,"search_after":` + string(page.Hits.Hits[len(page.Hits.Hits)-1].Sort)
	}
}

// fill stores documents of every collection, with values of every kind, up to now.
func fill(t *testing.T, prefix string) {
	t.Helper()
	now := time.Now().UTC()
	categories := lore.Categories()
	pick := func(i int, of ...string) string { return of[i%len(of)] }
	bulk := func(collection string, n int, make func(i int) map[string]any) {
		var body bytes.Buffer
		for i := range n {
			d := make(i)
			d["created_at"] = now.Add(-time.Duration(i*i) * time.Hour).Format(time.RFC3339Nano)
			if collection != "searchlog" {
				d["id"] = lore.NewID()
			}
			text, err := json.Marshal(d)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&body, "{\"create\":{}}\n%s\n", text)
		}
		status, answer := enginetest.Elasticsearch(t, "POST", "/"+prefix+"-"+collection+"/_bulk?refresh=true&filter_path=errors,items.*.error", body.String())
		if status != http.StatusOK || !bytes.Contains(answer, []byte(`"errors":false`)) {
			t.Fatalf("fill %s: %d %.600s", collection, status, answer)
		}
	}
	bulk("submissions", 180, func(i int) map[string]any {
		d := map[string]any{
			"summary": "Bridge relayer stalls", "content": "eth_call reverts", "source_id": fmt.Sprint("source-", i%9), "category": string(categories[i%len(categories)].Value),
			"ecosystem": pick(i/3, "ethereum", "base", "solana", "xrpl"), "tags": []string{pick(i, "bridge", "oracle"), "t" + fmt.Sprint(i%5)},
			"entities": []string{pick(i, "ERC-20", "eip155:1", "CVE-2023-34459")}, "tier": 1 + i%4, "score": 1 + float64(i%10),
		}
		if i%6 == 0 {
			d["scrubbed_total"], d["scrubbed_kinds"] = 1+i%3, []string{pick(i/6, "email", "eth_key"), "jwt"}
		}
		if i%4 == 0 {
			d["outcomes"] = map[string]any{"worked": i % 7, "failed": i % 3, "unsafe": i % 2 * 2}
			d["pattern_id"] = lore.NewID()
		}
		if i%10 == 5 {
			d["outcomes"] = map[string]any{"worked": 0, "failed": 1, "unsafe": 2}
		}
		return d
	})
	bulk("patterns", 30, func(i int) map[string]any {
		return map[string]any{
			"summary": "Relayers stall", "category": string(categories[i%4].Value), "ecosystem": []string{"ethereum", pick(i, "base", "xrpl")}, "status": pick(i, "emerging", "established"),
			"report_count": 2 + i, "owner_count": 2 + i%5, "source_count": 3, "tier": 2, "over_correlating": i%10 == 3,
		}
	})
	bulk("knowledge-units", 24, func(i int) map[string]any {
		d := map[string]any{
			"summary": "Retry after the challenge period", "category": string(categories[i%4].Value), "ecosystem": []string{"ethereum"}, "status": pick(i, "active", "active", "withdrawn"),
			"tier": 3 + i%2, "confidence": 0.5 + float64(i)/50, "evidence": map[string]any{"owners": 3 + i%3},
		}
		if i%2 == 0 {
			d["pattern_id"] = lore.NewID()
		}
		return d
	})
	bulk("sources", 20, func(i int) map[string]any {
		d := map[string]any{"name": fmt.Sprint("source ", i), "type": pick(i, "agent", "bot", "tool"), "reputation": float64(i) / 20}
		if i%7 == 0 {
			d["revoked_at"] = now.Format(time.RFC3339Nano)
		}
		return d
	})
	bulk("assets", 40, func(i int) map[string]any {
		d := map[string]any{"name": fmt.Sprint("asset ", i), "type": pick(i, "chain", "token", "bridge"), "ecosystem": []string{pick(i, "ethereum", "cosmos")}, "origin": pick(i, "one", "two")}
		if i%3 == 0 {
			d["addresses"], d["url"] = []string{"0xabc", "0xdef"}, "https://example.org"
		}
		return d
	})
	bulk("suggestions", 8, func(i int) map[string]any {
		return map[string]any{"kind": pick(i, "asset", "merge"), "status": pick(i, "open", "accepted", "rejected"), "summary": "merge"}
	})
	bulk("safety-flags", 12, func(i int) map[string]any {
		return map[string]any{"reason": pick(i, "injection", "spam", "stale"), "status": pick(i, "open", "confirmed"), "severity": "high", "note": "x"}
	})
	bulk("searchlog", 26, func(i int) map[string]any {
		return map[string]any{
			"q": pick(i, "usdt approve", "stale oracle", "zzqq"), "found": i%3 != 2, "layers": []string{pick(i, "keyword", "fuzzy"), "exact"}, "took_ms": 1 + i, "total": i * 3, "words": 2,
		}
	})
}

// kibanaQuery builds what Kibana sends for a panel: groups within each other, values within the last, the panel's KQL and
// the dashboard's time range as filters. Kibana turns KQL into clauses by itself; here the engine's own kql query does.
func kibanaQuery(columns map[string]column, order []string, kql, from string) map[string]any {
	filters := []any{map[string]any{"range": map[string]any{"created_at": map[string]any{"gte": from, "lte": "now", "format": "strict_date_optional_time"}}}}
	if kql != "" {
		filters = append(filters, map[string]any{"kql": map[string]any{"query": kql}})
	}
	var groups, values []string
	for _, id := range order {
		if columns[id].IsBucketed {
			groups = append(groups, id)
		} else {
			values = append(values, id)
		}
	}
	inside := map[string]any{}
	for _, id := range values {
		inside[id] = valueQuery(columns[id])
	}
	aggregations := inside
	for _, id := range slices.Backward(groups) {
		group := groupQuery(columns[id])
		// Values are asked for in every group, as Kibana does, so that groups can be ordered by them.
		sub := map[string]any{}
		for name, value := range inside {
			sub[name] = value
		}
		for name, inner := range aggregations {
			sub[name] = inner
		}
		group["aggs"] = sub
		aggregations = map[string]any{id: group}
	}
	return map[string]any{
		"size": 0, "track_total_hits": true, "query": map[string]any{"bool": map[string]any{"must": []any{}, "filter": filters, "should": []any{}, "must_not": []any{}}},
		"aggs": aggregations,
	}
}

func groupQuery(c column) map[string]any {
	if c.OperationType == "date_histogram" {
		return map[string]any{"date_histogram": map[string]any{"field": c.SourceField, "calendar_interval": "1w", "time_zone": "UTC", "min_doc_count": 1}}
	}
	return map[string]any{"terms": map[string]any{"field": c.SourceField, "size": c.Params.Size, "shard_size": 1000, "order": map[string]any{c.Params.OrderBy.ColumnID + ">value": "desc"}}}
}

// valueQuery builds a value within a filter, so that every value is read alike.
func valueQuery(c column) map[string]any {
	filter := map[string]any{"match_all": map[string]any{}}
	if c.Filter != nil {
		filter = map[string]any{"kql": map[string]any{"query": c.Filter.Query}}
	}
	kind, field := map[string]string{"average": "avg", "unique_count": "cardinality", "median": "percentiles"}[c.OperationType], c.SourceField
	if kind == "" {
		kind = c.OperationType
	}
	if kind == "count" {
		kind, field = "value_count", "_index"
	}
	value := map[string]any{"field": field}
	if kind == "percentiles" {
		value["percents"] = []int{50}
	}
	return map[string]any{"filter": filter, "aggs": map[string]any{"value": map[string]any{kind: value}}}
}

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
	panels := 0
	for _, board := range objects {
		if board.Type != "dashboard" {
			continue
		}
		for _, r := range board.References {
			o, begin := byID[r.ID], from(t, board.Attributes.TimeFrom)
			title := strings.ReplaceAll(byID[o.References[0].ID].Attributes.Title, "agentlore-", "")
			if len(c.documents[title]) == 0 {
				if !c.given {
					t.Errorf("%s: nothing to count in %s", o.ID, title)
				}
				continue
			}
			panels++
			if o.Type == "search" {
				query := inner[struct{ Query struct{ Query string } }](t, o.Attributes.KibanaSavedObjectMeta.SearchSourceJSON).Query.Query
				c.compare(t, o.ID, title, nil, nil, query, begin)
				continue
			}
			for _, layer := range o.Attributes.State.DatasourceStates.FormBased.Layers {
				c.compare(t, o.ID, title, layer.Columns, layer.ColumnOrder, o.Attributes.State.Query.Query, begin)
			}
		}
	}
	t.Logf("%d panels compared", panels)
}

// compare runs a query by _msearch and compares its numbers with those of the documents.
func (c *corpus) compare(t *testing.T, name, collection string, columns map[string]column, order []string, kql string, begin time.Time) {
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
		return
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

// groupsOf sorts documents into groups. One with several values stands in several.
func groupsOf(col column, found []document) map[string][]document {
	groups := map[string][]document{}
	for _, d := range found {
		seen := map[string]bool{}
		for _, value := range d[strings.TrimSuffix(col.SourceField, ".whole")] {
			key := fmt.Sprint(value)
			if col.OperationType == "date_histogram" {
				at, _ := time.Parse(time.RFC3339Nano, key)
				day := at.UTC().Truncate(24 * time.Hour)
				key = day.AddDate(0, 0, -(int(day.Weekday())+6)%7).Format("2006-01-02T15:04:05.000Z")
			}
			if !seen[key] {
				seen[key] = true
				groups[key] = append(groups[key], d)
			}
		}
	}
	return groups
}

// valueOf counts a value, if there is any to count.
func valueOf(t *testing.T, col column, found []document) (value float64, there bool) {
	t.Helper()
	var numbers []float64
	different := map[string]bool{}
	count := 0
	for _, d := range found {
		if col.Filter != nil && !matches(t, col.Filter.Query, d) {
			continue
		}
		count++
		for _, v := range d[col.SourceField] {
			different[fmt.Sprint(v)] = true
			if number, ok := v.(float64); ok {
				numbers = append(numbers, number)
			}
		}
	}
	switch col.OperationType {
	case "count":
		return float64(count), true
	case "unique_count":
		return float64(len(different)), true
	}
	if len(numbers) == 0 {
		return 0, false
	}
	slices.Sort(numbers)
	sum := 0.0
	for _, number := range numbers {
		sum += number
	}
	switch col.OperationType {
	case "sum":
		return sum, true
	case "average":
		return sum / float64(len(numbers)), true
	case "max":
		return numbers[len(numbers)-1], true
	case "median":
		return numbers[len(numbers)/2], true
	}
	t.Fatalf("this test doesn't know %s", col.OperationType)
	return 0, false
}
