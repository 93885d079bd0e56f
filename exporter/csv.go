package exporter

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"agentlore/lore"
)

// erasedColumn is the last column: of the rows of items that were erased it has the time, and of others nothing.
const erasedColumn = "erased_at"

// columns are the paths of each collection's fields, in the order of its type.
var columns = map[lore.Collection][]string{
	lore.Sources: columnsOf[lore.Source](), lore.Submissions: columnsOf[lore.Submission](), lore.KnowledgeUnits: columnsOf[lore.KnowledgeUnit](),
	lore.Patterns: columnsOf[lore.Pattern](), lore.Families: columnsOf[lore.Family](), lore.Assets: columnsOf[lore.Asset](),
	lore.Suggestions: columnsOf[lore.Suggestion](), lore.SafetyFlags: columnsOf[lore.SafetyFlag](), lore.Events: columnsOf[lore.Event](),
	lore.Questions: columnsOf[lore.OpenQuestion](),
}

// columnsOf returns the paths of a type's fields, objects by what is in them.
func columnsOf[T any]() []string { return append(paths("", reflect.TypeFor[T]()), erasedColumn) }

func paths(prefix string, of reflect.Type) (found []string) {
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		inner := field.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case name == "-" || field.Tag.Get("hidden") != "": // no reader gets it
		case inner.Kind() == reflect.Struct && inner.PkgPath() == of.PkgPath():
			found = append(found, paths(prefix+name+".", inner)...)
		default:
			found = append(found, prefix+name)
		}
	}
	return found
}

// CSV returns an export of a collection as rows of comma-separated values (RFC 4180, lines end with \n), the names of the fields first.
// A list is one value with | between its items; what has names of its own, such as score_parts, is JSON. A text that a spreadsheet would
// take for a formula begins with ': anybody may have written it.
func CSV(collection lore.Collection, export Export) Export {
	return func(ctx context.Context, query Query, visit func([]byte) error) error {
		var buffer bytes.Buffer
		to := csv.NewWriter(&buffer)
		row := func(values []string) error {
			buffer.Reset()
			if err := to.Write(values); err != nil {
				return err
			}
			to.Flush()
			return visit(bytes.TrimSuffix(buffer.Bytes(), []byte("\n")))
		}
		fields, begun := columns[collection], false
		begin := func() error { // what fails before the first line is told, and not sent as an empty table
			if begun {
				return nil
			}
			begun = true
			return row(fields)
		}
		err := export(ctx, query, func(line []byte) error {
			if err := begin(); err != nil {
				return err
			}
			decoder := json.NewDecoder(bytes.NewReader(line))
			decoder.UseNumber()
			var item map[string]any
			if err := decoder.Decode(&item); err != nil {
				return fmt.Errorf("read an exported line: %w", err)
			}
			values := make([]string, len(fields))
			for i, path := range fields {
				values[i] = cell(at(item, path))
			}
			return row(values)
		})
		if err == nil {
			err = begin()
		}
		return err
	}
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

// cell writes a value as one of a row.
func cell(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		if strings.ContainsAny(value[:min(1, len(value))], "=+-@\t\r") {
			return "'" + value
		}
		return value
	case []any:
		items := make([]string, len(value))
		for i, item := range value {
			if items[i] = fmt.Sprint(item); reflect.TypeOf(item).Kind() == reflect.Map {
				items[i] = cell(item)
			}
		}
		return cell(strings.Join(items, "|"))
	case map[string]any:
		text, _ := json.Marshal(value) // it came from JSON
		return string(text)
	}
	return fmt.Sprint(value)
}
