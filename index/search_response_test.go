package index

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentlore/lore"
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

// readBoth reads an answer by the search's own reader and by encoding/json.
func readBoth(text string) (own, standard searchAnswer[searchDocument], ownErr, standardErr error) {
	own, ownErr = readPage(text)
	standardErr = json.Unmarshal([]byte(text), &standard)
	return own, standard, ownErr, standardErr
}

// readPage reads an answer of which a page shows all. What the answer stood in is released: the page must not stand there.
func readPage(text string) (page searchAnswer[searchDocument], err error) {
	read := found{}
	if err := read.readAnswer(strings.NewReader(text)); err != nil {
		return page, err
	}
	page = read.searchAnswer
	page.Hits.Hits, err = ownHits(read.Hits.Hits)
	read.release()
	return page, err
}

// awkward holds what JSON escapes, and what it might have escaped.
const awkward = "a \"quote\", a \\ and a / slash,\n\t\r\b\f\x01 é, 漢字, 😀, \u2028 and } ] , : \\\""

func TestSearchAnswerIsReadAsByTheStandardLibrary(t *testing.T) {
	number, at := 0.75, time.Date(2024, 2, 3, 4, 5, 6, 789_000_000, time.UTC)
	full := searchDocument{
		Warnings: []lore.ItemWarning{{Code: "injection", Detail: "a \"sentence\""}, {Code: "reported_spam", Detail: "another"}},
		ID:       "id", Summary: awkward, Category: lore.CategorySecurity, Ecosystem: words{"ethereum", awkward}, Tags: []string{"a", awkward},
		Tier: 3, Confidence: &number, Status: "active", Ref: "https://example.org/?a=1&b=<2>", Entities: []string{"0xab"}, CreatedAt: at,
		LastConfirmedAt: &at, Outcomes: &lore.Outcomes{Worked: 1, Failed: 2, Unsafe: 3}, Content: strings.Repeat(awkward, 50),
		Resolution: `\`, Description: "d", Signature: []byte{1, 2, 255},
	}
	value := reflect.ValueOf(full)
	for i := range value.NumField() {
		if value.Field(i).IsZero() {
			t.Fatalf("the test gives %s no value", value.Type().Field(i).Name)
		}
	}
	texts := map[string]string{
		"all fields":    answerOf(t, full),
		"no fields":     answerOf(t, map[string]any{}),
		"nulls":         answerOf(t, map[string]any{"summary": nil, "tags": nil, "ecosystem": nil, "outcomes": nil, "confidence": nil, "last_confirmed_at": nil}),
		"one ecosystem": answerOf(t, map[string]any{"ecosystem": "solana", "tags": []string{}, "scores": map[string]any{"a": []any{1, "}"}}}),
		"surrogates":    strings.Replace(answerOf(t, map[string]any{"summary": "HERE"}), "HERE", `\ud83d\ude00 \ud83d \u00e9 \ude00\ud83dx`, 1),
		"spaces":        " \n" + strings.NewReplacer(`":`, "\" :\t", `,"`, " ,\n\"").Replace(answerOf(t, map[string]any{"tags": []string{"x"}})) + " ",
		"no answer":     `{}`,
	}
	for name, text := range texts {
		own, standard, err, standardErr := readBoth(text)
		if err != nil || standardErr != nil {
			t.Errorf("%s: read with %v, by encoding/json with %v\n%s", name, err, standardErr, text)
		}
		if diff := cmp.Diff(standard, own, cmp.AllowUnexported(searchDocument{}), sameEmpty); diff != "" {
			t.Errorf("%s is read otherwise than by encoding/json (-json +own):\n%s", name, diff)
		}
	}
}

// sameEmpty takes a map that holds nothing for one that isn't there.
var sameEmpty = cmp.FilterValues(func(a, b map[string]json.RawMessage) bool { return len(a)+len(b) == 0 }, cmp.Ignore())

func TestSearchAnswerCutShortIsAnError(t *testing.T) {
	text := answerOf(t, map[string]any{"id": "x", "summary": awkward, "tags": []string{"a"}, "created_at": "2024-01-02T03:04:05Z"})
	for length := range len(text) {
		if _, err := readPage(text[:length]); err == nil {
			t.Fatalf("an answer cut short is taken for a whole one: %s", text[:length])
		}
	}
}

func FuzzSearchAnswer(f *testing.F) {
	f.Add(answerOf(f, map[string]any{"summary": awkward, "created_at": "2024-01-02T03:04:05Z", "tier": 2}))
	f.Add(`{"hits":{"hits":[{"_source":{"tags":["a",null],"confidence":1e-3}}]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = readPage(text) // whatever it is, it is read to an end
	})
}
