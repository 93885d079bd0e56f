package index

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentlore/lore"
)

func TestQueriesAreWrittenAsByTheStandardLibrary(t *testing.T) {
	bodies := []map[string]any{
		{}, {"": awkward, awkward: []any{}, "e": []string{}, "m": map[string]any{}, "n": nil, "\xff": "\xff<>&"},
		{"a": []any{1, int64(-1 << 60), 0.3, 1e-9, float32(0.5), true, [2]float64{1, 1.1}, []string{"a", awkward}, lore.CategoryMarket, json.RawMessage(`"x"`)}},
	}
	for _, q := range []string{"oracle pricee of 0xdAC17F958D2ee523a2206206994597C13D831ec7", `can't "revert" latestRoundData() 漢字`, ""} {
		body, err := newSearch(lore.SearchQuery{Text: q, Limit: 10, Facets: true, Explain: true, Filter: lore.Filter{Tag: "x"}}, time.Now()).body()
		if err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, body)
	}
	for _, body := range bodies {
		text, err := encodeQuery(body)
		if err != nil {
			t.Fatal(err)
		}
		var own, standard any
		if err := json.Unmarshal(text, &own); err != nil {
			t.Fatalf("not JSON (%v): %s", err, text)
		}
		if err := json.Unmarshal(mustJSON(t, body), &standard); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(standard, own); diff != "" {
			t.Errorf("written otherwise than by encoding/json (-json +own):\n%s", diff)
		}
	}
	if _, err := encodeQuery(map[string]any{"a": []any{math.NaN()}}); err == nil {
		t.Error("what has no JSON is written without an error")
	}
}
