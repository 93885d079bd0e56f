package search

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentlore/lore"
	"agentlore/terms"
)

// answerOf returns an answer with one document and all that may stand around it.
func answerOf(t testing.TB, document any) string {
	t.Helper()
	return string(mustJSON(t, map[string]any{
		"took": 7, "timed_out": false, "_shards": map[string]any{"total": 4, "failures": []any{}},
		"hits": map[string]any{
			"total": map[string]any{"value": 1000, "relation": "gte"}, "max_score": nil,
			"hits": []any{
				map[string]any{
					"_index": "agentlore-submissions-000001", "_id": "a", "_score": 12.375, "_source": document,
					"matched_queries": []any{"keyword.0", "exact.1"}, "sort": []any{1700000000123, "a"}, "_explanation": []any{1, []any{}},
				},
				map[string]any{"_index": "b", "_id": "b", "_score": nil, "_source": map[string]any{}, "matched_queries": map[string]any{"trust.0": 1.5}},
			},
		},
		"aggregations": map[string]any{"tier": map[string]any{"buckets": []any{map[string]any{"key": 1, "doc_count": 3}}}},
		"suggest":      map[string]any{"count-5": []any{map[string]any{"text": "a\\\"b", "options": []any{}}}},
	}))
}

// awkward holds what JSON escapes, and what it might have escaped.
const awkward = "a \"quote\", a \\ and a / slash,\n\t\r\b\f\x01 é, 漢字, 😀, \u2028 and } ] , : \\\""

// An answer is read as encoding/json reads it, whatever stands in its strings and between its parts.
func TestReadResponse(t *testing.T) {
	t.Parallel()
	confidence, at := 0.75, time.Date(2024, 2, 3, 4, 5, 6, 789_000_000, time.UTC)
	full := map[string]any{
		"id": "id", "summary": awkward, "category": "security", "tier": 3, "confidence": confidence, "created_at": at, "last_confirmed_at": at,
		"outcomes": lore.Outcomes{Worked: 1, Failed: 2, Unsafe: 3}, "content": strings.Repeat(awkward, 50), "resolution": `\`, "tags": []string{awkward},
		"signature": terms.Sign("oracle"), "warnings": []lore.ItemWarning{{Code: "injection", Detail: awkward}}, "score_parts": map[string]any{"a": []any{1, "}"}},
	}
	ranked := searchDocument{
		Signature: base64.StdEncoding.EncodeToString(terms.Sign("oracle")),
		Category:  lore.CategorySecurity, Tags: []string{awkward}, Tier: 3, Confidence: &confidence, CreatedAt: at, LastConfirmedAt: &at,
		Outcomes: &lore.Outcomes{Worked: 1, Failed: 2, Unsafe: 3}, Warnings: []lore.ItemWarning{{Code: "injection", Detail: awkward}},
	}
	for name, text := range map[string]string{
		"as it comes": answerOf(t, full),
		"with spaces": " \n" + strings.NewReplacer(`":`, "\" :\t", `,"`, " ,\n\"").Replace(answerOf(t, full)) + " ",
	} {
		response, err := readResponse([]byte(text))
		if err != nil || len(response.hits) != 2 {
			t.Fatalf("%s: %d hits, %v", name, len(response.hits), err)
		}
		var same struct {
			Hits struct {
				Hits []struct {
					Source map[string]any `json:"_source"`
				} `json:"hits"`
			} `json:"hits"`
		}
		if err := json.Unmarshal([]byte(text), &same); err != nil {
			t.Fatal(err)
		}
		var source map[string]any
		hit := response.hits[0]
		if err := json.Unmarshal(hit.source, &source); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(same.Hits.Hits[0].Source, source); diff != "" {
			t.Errorf("%s: the document (-json +own):\n%s", name, diff)
		}
		if diff := cmp.Diff(ranked, hit.document); diff != "" {
			t.Errorf("%s: what ranks the document: %s", name, diff)
		}
		if diff := cmp.Diff(matched{"keyword.0": 0, "exact.1": 0}, hit.Matched); diff != "" || response.hits[1].Matched["trust.0"] != 1.5 {
			t.Errorf("%s: matched %v, %v", name, hit.Matched, response.hits[1].Matched)
		}
		if hit.Index != "agentlore-submissions-000001" || hit.Score != 12.375 || string(hit.Sort[1]) != `"a"` || hit.signature.Len() != 1 {
			t.Errorf("%s: %+v", name, hit)
		}
		if response.found.Total.Value != 1000 || response.found.Total.Relation != "gte" || len(response.Aggregations) != 1 {
			t.Errorf("%s: %+v", name, response)
		}
	}
}

func TestResponseCutShortIsAnError(t *testing.T) {
	t.Parallel()
	text := answerOf(t, map[string]any{"id": "x", "summary": awkward, "tags": []string{"a"}, "created_at": "2024-01-02T03:04:05Z"})
	for length := range len(text) {
		if _, err := readResponse([]byte(text[:length])); err == nil {
			t.Fatalf("an answer cut short is taken for a whole one: %s", text[:length])
		}
	}
}

func FuzzResponse(f *testing.F) {
	f.Add(answerOf(f, map[string]any{"summary": awkward, "created_at": "2024-01-02T03:04:05Z", "tier": 2}))
	f.Add(`{"hits":{"hits":[{"_source":{"tags":["a",null],"confidence":1e-3}}]}}`)
	f.Add(`0"hits"0"hits"00 _source`)
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = readResponse([]byte(text)) // whatever it is, it is read to an end
	})
}
