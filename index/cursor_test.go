package index

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"agentlore/lore"
)

func sortValues(t *testing.T, values ...any) []json.RawMessage {
	t.Helper()
	var sort []json.RawMessage
	for _, value := range values {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		sort = append(sort, text)
	}
	return sort
}

func TestCursor(t *testing.T) {
	id := lore.NewID()
	binding := BindingOf("list", "submissions", lore.Filter{Category: "general"}, lore.SortNewest)
	token := NewCursor(binding, sortValues(t, 1767225600123, id))
	after, err := readCursor(token, binding, 2)
	if err != nil || len(after) != 2 || after[0] != 1767225600123.0 || after[1] != id {
		t.Errorf("a cursor came back as %v, %v", after, err)
	}
	if strings.ContainsAny(token, "+/=&? ") || len(token) > 512 {
		t.Errorf("a cursor that can't stand in an address as it is: %s", token)
	}
	for _, other := range []string{
		BindingOf("list", "submissions", lore.Filter{Category: "failure"}, lore.SortNewest),
		BindingOf("list", "submissions", lore.Filter{Category: "general"}, lore.SortOldest),
		BindingOf("list", "assets", lore.Filter{Category: "general"}, lore.SortNewest),
		BindingOf("list", "submissions", lore.Filter{Ecosystem: "general"}, lore.SortNewest),
	} {
		if _, err := readCursor(token, other, 2); lore.CodeOf(err) != lore.CodeInvalidCursor {
			t.Errorf("another query took the cursor: %v", err)
		}
	}
	encode := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	for _, forged := range []string{"", "x", "!", token[1:], token + token, encode(`null`), encode(`[]`), encode(`{"b":"` + binding + `"}`), encode(`{"b":"` + binding + `","v":[1,2],"i":"` + id + `"}`), encode(`{"b":"` + binding + `","v":["x"],"i":"` + id + `"}`), encode(`{"b":"` + binding + `","v":[1],"i":"canary"}`)} {
		_, err := readCursor(forged, binding, 2)
		if lore.CodeOf(err) != lore.CodeInvalidCursor {
			t.Errorf("%q was taken: %v", forged, err)
		} else if strings.Contains(err.Error(), "canary") {
			t.Errorf("the refusal repeats what was sent: %v", err)
		}
	}
}

// Answers that lack what a cursor needs give none: the page is then the last one, and not a wrong one.
func TestNoCursor(t *testing.T) {
	for _, sort := range [][]json.RawMessage{nil, sortValues(t, 1), sortValues(t, "x", "y"), sortValues(t, 1, 2), sortValues(t, 1, "a", "b"), sortValues(t, "a")} {
		if token := NewCursor("b", sort); token != "" {
			t.Errorf("sort values %s made the cursor %s", sort, token)
		}
	}
}

// At the edge of the window there is no room for the result that tells whether a page goes on.
func TestPagesGoOn(t *testing.T) {
	for _, c := range []struct {
		found, limit, offset int
		cursor, relation     string
		want                 bool
	}{
		{11, 10, 0, "", "eq", true}, {10, 10, 0, "", "eq", false}, {3, 10, 0, "", "eq", false},
		{100, 100, lore.MaxWindow - 100, "", "gte", true}, {100, 100, lore.MaxWindow - 100, "", "eq", false}, {99, 100, lore.MaxWindow - 100, "", "gte", false},
		{100, 100, 0, "there", "gte", false}, {100, 100, lore.MaxWindow - 100, "there", "gte", false},
	} {
		if got := GoesOn(c.found, c.limit, c.offset, c.cursor, c.relation); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
