package index

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"agentlore/lore"
)

// Every field of a filter restricts the query: one that is forgotten would answer with what nobody asked for.
func TestEveryFilterRestricts(t *testing.T) {
	if clauses := FilterClauses(lore.Filter{}); len(clauses) != 0 {
		t.Errorf("an empty filter has clauses: %v", clauses)
	}
	for i := range reflect.TypeFor[lore.Filter]().NumField() {
		var filter lore.Filter
		field := reflect.ValueOf(&filter).Elem().Field(i)
		name := reflect.TypeFor[lore.Filter]().Field(i).Name
		switch field.Interface().(type) {
		case string:
			field.SetString("value")
		case lore.Origin:
			field.SetString(string(lore.OriginAgents))
		case int:
			field.SetInt(3)
		case time.Time:
			field.Set(reflect.ValueOf(at(5)))
		case bool:
			field.SetBool(true)
		default:
			t.Errorf("the test doesn't know how to set %s", name)
		}
		if clauses := FilterClauses(filter); len(clauses) == 0 {
			t.Errorf("%s restricts nothing", name)
		}
	}
}

// At the very edge of the window there is no room for the one too many: Elasticsearch would refuse the request.
func TestWindowEdge(t *testing.T) {
	for _, tc := range []struct{ offset, limit, size int }{{0, 20, 21}, {9_980, 20, 20}, {9_979, 20, 21}, {9_999, 1, 1}} {
		body, err := listBody(lore.Submissions, lore.ListQuery{Offset: tc.offset, Limit: tc.limit}, "b")
		if err != nil || body["size"] != tc.size || body["from"] != tc.offset {
			t.Errorf("offset %d, limit %d: size %v from %v, %v; want size %d", tc.offset, tc.limit, body["size"], body["from"], err, tc.size)
		}
	}
}

func TestListBody(t *testing.T) {
	id := lore.NewID()
	token := NewCursor("b", sortValues(t, 5, id))
	body, err := listBody(lore.Submissions, lore.ListQuery{Limit: 2, Cursor: token, Sort: lore.SortOldest, Filter: lore.Filter{Since: at(1), Until: at(2)}}, "b")
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(map[string]any{"query": body["query"], "sort": body["sort"], "search_after": body["search_after"], "from": body["from"]})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"from":null,"query":{"bool":{"filter":[{"range":{"created_at":{"gte":"2026-03-01T01:00:00Z","lt":"2026-03-01T02:00:00Z"}}}]}},` +
		`"search_after":[5,"` + id + `"],"sort":[{"created_at":"asc"},{"id":"asc"}]}`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
