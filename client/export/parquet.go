package export

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"time"

	"github.com/parquet-go/parquet-go"

	"agentlore/exporter"
	"agentlore/lore"
)

const (
	// rowGroupBytes is how much of an export a row group has, in bytes: what is held in memory until it is written.
	rowGroupBytes = 16 << 20
	// valueBytes is what a value takes beside its text, about: its levels, and its number or length.
	valueBytes = 8
)

// table is a group whose fields have an order. parquet.Group sorts them by name.
type table struct {
	parquet.Group
	columns []exporter.Column
}

// Fields returns the columns in their order.
func (t table) Fields() []parquet.Field {
	fields := t.Group.Fields()
	slices.SortFunc(fields, func(a, b parquet.Field) int { return t.position(a.Name()) - t.position(b.Name()) })
	return fields
}

func (t table) position(name string) int {
	return slices.IndexFunc(t.columns, func(c exporter.Column) bool { return c.Name == name })
}

// schemaOf returns the schema of a collection's table: the columns of its CSV, with types. Any may be null, as all but two are of an item
// that was erased.
func schemaOf(collection lore.Collection) *parquet.Schema {
	columns := exporter.Columns(collection)
	group := parquet.Group{}
	for _, column := range columns {
		group[column.Name] = parquet.Optional(nodeOf(column.Type))
	}
	return parquet.NewSchema(string(collection), table{group, columns})
}

// nodeOf returns the Parquet type of a field. What has names of its own, such as score_parts, is JSON.
func nodeOf(field reflect.Type) parquet.Node {
	switch {
	case field == reflect.TypeFor[time.Time]():
		return parquet.Timestamp(parquet.Millisecond) // as the mappings' date
	case isList(field):
		return parquet.List(parquet.String())
	}
	switch field.Kind() {
	case reflect.String:
		return parquet.String()
	case reflect.Bool:
		return parquet.Leaf(parquet.BooleanType)
	case reflect.Int:
		return parquet.Int(64)
	case reflect.Float64:
		return parquet.Leaf(parquet.DoubleType)
	}
	return parquet.JSON()
}

// isList reports whether a field is a list of texts.
func isList(field reflect.Type) bool {
	return field.Kind() == reflect.Slice && field.Elem().Kind() == reflect.String
}

// writeParquet writes an export as one Parquet file, and returns how many rows it has.
func writeParquet(ctx context.Context, collection lore.Collection, export exporter.Export, query exporter.Query, to io.Writer) (rows int, err error) {
	buffer := bufio.NewWriter(to)
	writer := parquet.NewWriter(buffer, schemaOf(collection), parquet.Compression(&parquet.Zstd))
	columns := exporter.Columns(collection)
	var row parquet.Row
	held := 0
	err = exporter.Rows(ctx, collection, export, query, func(values []any) (err error) {
		row = row[:0]
		for i, value := range values {
			if row, err = appendValue(row, i, columns[i].Type, value); err != nil {
				return fmt.Errorf("%s of item %v: %w", columns[i].Name, values[0], err)
			}
		}
		rows++
		for _, value := range row {
			held += valueBytes
			if value.Kind() == parquet.ByteArray {
				held += len(value.ByteArray())
			}
		}
		if _, err = writer.WriteRows([]parquet.Row{row}); err == nil && held >= rowGroupBytes {
			held = 0
			err = writer.Flush()
		}
		return err
	})
	if err != nil {
		return rows, err
	}
	return rows, errors.Join(writer.Close(), buffer.Flush())
}

// appendValue appends to a row what a column holds. Definition levels are 0 for null, 1 for a value, and of a list 1 for an empty one and 2
// for each item.
func appendValue(row parquet.Row, column int, field reflect.Type, value any) (parquet.Row, error) {
	if value == nil {
		return append(row, parquet.NullValue().Level(0, 0, column)), nil
	}
	if isList(field) {
		items, is := value.([]any)
		if !is {
			return row, errors.New("isn't a list")
		}
		if len(items) == 0 {
			return append(row, parquet.NullValue().Level(0, 1, column)), nil
		}
		for i, item := range items {
			text, is := item.(string)
			if !is {
				return row, errors.New("isn't a list of texts")
			}
			row = append(row, parquet.ByteArrayValue([]byte(text)).Level(min(i, 1), 2, column))
		}
		return row, nil
	}
	found, err := valueOf(field, value)
	return append(row, found.Level(0, 1, column)), err
}

// valueOf returns a JSON value as one of a field's Parquet type.
func valueOf(field reflect.Type, value any) (parquet.Value, error) {
	switch value := value.(type) {
	case string:
		if field == reflect.TypeFor[time.Time]() {
			at, err := time.Parse(time.RFC3339Nano, value)
			return parquet.Int64Value(at.UnixMilli()), err
		}
		if field.Kind() == reflect.String {
			return parquet.ByteArrayValue([]byte(value)), nil
		}
	case bool:
		if field.Kind() == reflect.Bool {
			return parquet.BooleanValue(value), nil
		}
	case json.Number:
		switch field.Kind() {
		case reflect.Int:
			number, err := value.Int64()
			return parquet.Int64Value(number), err
		case reflect.Float64:
			number, err := value.Float64()
			return parquet.DoubleValue(number), err
		}
	case []any, map[string]any:
		text, err := json.Marshal(value)
		return parquet.ByteArrayValue(text), err
	}
	return parquet.Value{}, fmt.Errorf("isn't of the type %s", field)
}
