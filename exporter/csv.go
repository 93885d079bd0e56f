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
		names := make([]string, len(columns[collection]))
		for i, column := range columns[collection] {
			names[i] = column.Name
		}
		begun := false
		begin := func() error { // what fails before the first line is told, and not sent as an empty table
			if begun {
				return nil
			}
			begun = true
			return row(names)
		}
		err := Rows(ctx, collection, export, query, func(items []any) error {
			if err := begin(); err != nil {
				return err
			}
			values := make([]string, len(items))
			for i, item := range items {
				values[i] = cell(item)
			}
			return row(values)
		})
		if err == nil {
			err = begin()
		}
		return err
	}
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
