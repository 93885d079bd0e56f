package exporter

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"agentlore/lore"
)

// Column is one of a table.
type Column struct {
	// Name is the path of the field, as in outcomes.worked.
	Name string
	// Type is the field's, no pointer.
	Type reflect.Type
}

// erasedColumn is the last column: of the rows of items that were erased it has the time, and of others nothing.
var erasedColumn = Column{"erased_at", reflect.TypeFor[time.Time]()}

// columns are the fields of each collection, in the order of its type.
var columns = map[lore.Collection][]Column{
	lore.Sources: columnsOf[lore.Source](), lore.Submissions: columnsOf[lore.Submission](), lore.KnowledgeUnits: columnsOf[lore.KnowledgeUnit](),
	lore.Patterns: columnsOf[lore.Pattern](), lore.Families: columnsOf[lore.Family](), lore.Assets: columnsOf[lore.Asset](),
	lore.Suggestions: columnsOf[lore.Suggestion](), lore.SafetyFlags: columnsOf[lore.SafetyFlag](), lore.Events: columnsOf[lore.Event](),
	lore.Questions: columnsOf[lore.OpenQuestion](),
}

// Columns returns the columns of a collection's table: its fields in the order of its type, objects by what is in them, and last erased_at.
func Columns(collection lore.Collection) []Column { return columns[collection] }

func columnsOf[T any]() []Column { return append(fieldsOf("", reflect.TypeFor[T]()), erasedColumn) }

func fieldsOf(prefix string, of reflect.Type) (found []Column) {
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		inner := field.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case name == "-" || field.Tag.Get("hidden") != "": // no reader gets it
		case field.Anonymous:
			found = append(found, fieldsOf(prefix, inner)...)
		case inner.Kind() == reflect.Struct && inner.PkgPath() == of.PkgPath():
			found = append(found, fieldsOf(prefix+name+".", inner)...)
		default:
			found = append(found, Column{prefix + name, inner})
		}
	}
	return found
}

// Rows visits an export's lines as rows of the collection's table. The values are of encoding/json, numbers json.Number; nil where a field
// is absent. They are valid until visit returns.
func Rows(ctx context.Context, collection lore.Collection, export Export, query Query, visit func(values []any) error) error {
	values := make([]any, len(columns[collection]))
	return export(ctx, query, func(line []byte) error {
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.UseNumber()
		var item map[string]any
		if err := decoder.Decode(&item); err != nil {
			return fmt.Errorf("read an exported line: %w", err)
		}
		for i, column := range columns[collection] {
			values[i] = at(item, column.Name)
		}
		return visit(values)
	})
}

// at returns the value at a path, nil where there is none.
func at(item map[string]any, path string) any {
	name, rest, nested := strings.Cut(path, ".")
	if inner, object := item[name].(map[string]any); nested && object {
		return at(inner, rest)
	}
	if nested {
		return nil
	}
	return item[name]
}
