package exporter

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"agentlore/lore"
)

// A table has every field of its collection, and each value in its column, whatever the texts hold.
func TestCSV(t *testing.T) {
	lines := []string{
		`{"id":"1","summary":"a, \"quoted\"\nline","tags":["x","y"],"tier":2,"score":6.25,"outcomes":{"worked":3,"failed":0,"unsafe":0},"scrubbed":{"email":2}}`,
		`{"id":"2","summary":"=HYPERLINK(\"https://evil.example\")","tags":["-1"],"warnings":[{"code":"spam","detail":"d"}]}`,
		`{"id":"3","erased_at":"2026-11-24T00:00:00Z"}`,
	}
	var table strings.Builder
	export := CSV(lore.Submissions, func(_ context.Context, _ Query, visit func([]byte) error) error {
		for _, line := range lines {
			if err := visit([]byte(line)); err != nil {
				return err
			}
		}
		return nil
	})
	if err := export(t.Context(), Query{}, func(line []byte) error { table.Write(append(line, '\n')); return nil }); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(table.String())).ReadAll()
	if err != nil || len(rows) != 4 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, want := range []struct {
		row           int
		column, value string
	}{
		{1, "summary", "a, \"quoted\"\nline"}, {1, "tags", "x|y"}, {1, "tier", "2"}, {1, "score", "6.25"}, {1, "outcomes.worked", "3"},
		{1, "scrubbed", `{"email":2}`}, {1, "erased_at", ""}, {2, "summary", `'=HYPERLINK("https://evil.example")`}, {2, "tags", "'-1"},
		{2, "warnings", `{"code":"spam","detail":"d"}`}, {3, "id", "3"}, {3, "erased_at", "2026-11-24T00:00:00Z"}, {3, "summary", ""},
	} {
		if i := slices.Index(rows[0], want.column); i < 0 || rows[want.row][i] != want.value {
			t.Errorf("row %d: %s is not %q: %q", want.row, want.column, want.value, rows[want.row])
		}
	}
	for _, collection := range lore.Collections() {
		has := func(name string) bool {
			return slices.ContainsFunc(Columns(collection), func(c Column) bool { return c.Name == name })
		}
		if !has("created_at") || has("") || has("rank.evidence") {
			t.Errorf("the columns of %s are %v", collection, Columns(collection))
		}
	}
}

// No cell is a formula, whatever a spreadsheet takes for a separator.
func TestNoCellIsAFormula(t *testing.T) {
	for value, want := range map[string]string{
		"=1": "'=1", "+1": "'+1", "-1": "'-1", "@a": "'@a", "\t=1": "\t'=1", "\r=1": "\r'=1", "＝1": "'＝1", ` "=1`: ` "'=1`,
		"a;=1": "a;'=1", "a; =1": "a; '=1", "a\t=1": "a\t'=1", "a,=1": "a,'=1", "a|@x": "a|'@x", "a\n=1": "a\n'=1", "a\r\n+1": "a\r\n'+1", `a;"=1"`: `a;"'=1"`,
		"a = b - c": "a = b - c", "x-y": "x-y", "ann@example.org": "ann@example.org", "pay 5; then 6": "pay 5; then 6", "": "",
	} {
		if got := cell(value); got != want {
			t.Errorf("%q became %q, want %q", value, got, want)
		}
	}
	if got := cell([]any{"x", "=1", "-2"}); got != "x|'=1|'-2" {
		t.Errorf("a list became %q", got)
	}
	if got := cell(map[string]any{"note": "a;=1"}); got != `{"note":"a;'=1"}` {
		t.Errorf("an object became %q", got)
	}
	if got := cell(json.Number("-5")); got != "-5" {
		t.Errorf("a number became %q", got)
	}
}
