package exporter

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"agentlore/lore"
)

// CSV returns an export of a collection as rows of comma-separated values (RFC 4180, lines end with \n), the names of the fields first.
// A list is one value with | between its items; what has names of its own, such as score_parts, is JSON. Anybody may have written a text, so
// what a spreadsheet would take for a formula has ' before it, behind what it may take for a separator too.
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
		return defused(value)
	case []any:
		items := make([]string, len(value))
		for i, item := range value {
			if items[i] = fmt.Sprint(item); reflect.TypeOf(item).Kind() == reflect.Map {
				items[i] = cell(item)
			}
		}
		return defused(strings.Join(items, "|"))
	case map[string]any:
		text, _ := json.Marshal(value) // it came from JSON
		return defused(string(text))
	}
	return fmt.Sprint(value)
}

// formula is where a spreadsheet may see a formula begin: at the beginning of a text, or of what it takes for a cell. One that separates by
// semicolons or tabs reads a quotation mark within a line as text, and then a line's end as a row's. Japanese ones read wide signs too.
var formula = regexp.MustCompile(`(^|[,;|\t\r\n])([ "']*)([=+\-@＝＋－＠])`)

// defused returns a text with ' before each such beginning.
func defused(text string) string {
	if !strings.ContainsAny(text, "=+-@＝＋－＠") {
		return text
	}
	return formula.ReplaceAllString(text, "$1$2'$3")
}
