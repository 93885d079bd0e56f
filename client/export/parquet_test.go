package export

import (
	"bytes"
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"agentlore/exporter"
	"agentlore/lore"
)

// linesOf returns an export of lines.
func linesOf(lines ...string) exporter.Export {
	return func(_ context.Context, _ exporter.Query, visit func([]byte) error) error {
		for _, line := range lines {
			if err := visit([]byte(line)); err != nil {
				return err
			}
		}
		return nil
	}
}

// Each value has its field's type and stands in its row, and what a line doesn't have is null: an absent list is no empty one.
func TestParquet(t *testing.T) {
	var file bytes.Buffer
	rows, err := writeParquet(t.Context(), lore.Submissions, linesOf(
		`{"id":"1","summary":"=1+1","tags":["x","y"],"entities":[],"tier":2,"score":6.25,"supersedes":true,"content":"","outcomes":{"worked":3,"failed":0},`+
			`"scrubbed":{"email":2},"warnings":[{"code":"spam","detail":"d"}],"created_at":"2026-11-24T10:00:00.123+02:00","of_a_later_version":1}`,
		`{"id":"2","erased_at":"2026-11-24T00:00:00Z"}`,
	), exporter.Query{}, &file)
	if err != nil || rows != 2 {
		t.Fatalf("%d rows, %v", rows, err)
	}
	opened, err := parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, field := range opened.Schema().Fields() {
		names = append(names, field.Name())
	}
	var want []string
	for _, column := range exporter.Columns(lore.Submissions) {
		want = append(want, column.Name)
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("the columns differ from CSV's:\n%s", diff)
	}
	read := make([]parquet.Row, 3)
	if n, _ := opened.RowGroups()[0].Rows().ReadRows(read); n != 2 {
		t.Fatalf("%d rows were read", n)
	}
	cells := func(row parquet.Row, name string) (found []string) {
		for _, value := range row {
			if opened.Schema().Columns()[value.Column()][0] == name {
				found = append(found, value.String())
			}
		}
		return found
	}
	for name, want := range map[string][]string{
		"id": {"1"}, "summary": {"=1+1"}, "tags": {"x", "y"}, "entities": {"<null>"}, "tier": {"2"}, "score": {"6.25"}, "supersedes": {"true"}, "content": {""},
		"outcomes.worked": {"3"}, "outcomes.failed": {"0"}, "outcomes.unsafe": {"<null>"}, "scrubbed": {`{"email":2}`}, "warnings": {`[{"code":"spam","detail":"d"}]`},
		"created_at": {"1795507200123"}, "erased_at": {"<null>"}, "missing": {"<null>"},
	} {
		if got := cells(read[0], name); !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string][]string{"id": {"2"}, "tags": {"<null>"}, "tier": {"<null>"}, "erased_at": {"1795478400000"}} {
		if got := cells(read[1], name); !reflect.DeepEqual(got, want) {
			t.Errorf("of what was erased %s is %q, want %q", name, got, want)
		}
	}
	for _, collection := range lore.Collections() {
		if _, err := writeParquet(t.Context(), collection, linesOf(`{"id":"1"}`), exporter.Query{}, &file); err != nil {
			t.Errorf("%s: %v", collection, err)
		}
	}
	_, err = writeParquet(t.Context(), lore.Submissions, linesOf(`{"id":"7","tier":"high"}`), exporter.Query{}, &file)
	if err == nil || !strings.Contains(err.Error(), "tier of item 7") {
		t.Errorf("a text in place of a number: %v", err)
	}
}
