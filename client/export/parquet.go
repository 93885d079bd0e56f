package export

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"time"

	"github.com/parquet-go/parquet-go"

	"agentlore/exporter"
	"agentlore/lore"
)

// rowGroupBytes is how much of an export a row group has, in bytes of its lines: what is held in memory until it is written.
const rowGroupBytes = 16 << 20

// schemaOf returns the schema of a collection's table: the columns of its CSV, with types. What has names of its own, such as score_parts,
// is JSON. Any may be null, as all but two are of an item that was erased.
func schemaOf(collection lore.Collection) *parquet.Schema {
	var fields []reflect.StructField
	for i, column := range exporter.Columns(collection) {
		kind, tag := reflect.PointerTo(column.Type), ""
		switch {
		case column.Type == reflect.TypeFor[time.Time]():
			tag = ",timestamp(millisecond)" // as the mappings' date
		case isList(column.Type):
			kind, tag = column.Type, ",optional,list"
		case isJSON(column.Type):
			kind, tag = reflect.TypeFor[json.RawMessage](), ",optional,json"
		}
		fields = append(fields, reflect.StructField{
			Name: fmt.Sprint("Column", i), Type: kind, Tag: reflect.StructTag(fmt.Sprintf("parquet:%q", column.Name+tag)),
		})
	}
	return parquet.NewSchema(string(collection), parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface()))
}

// isList reports whether a field is a list of texts.
func isList(field reflect.Type) bool {
	return field.Kind() == reflect.Slice && field.Elem().Kind() == reflect.String
}

// isJSON reports whether a field is neither a list of texts nor a time, text, number or truth value.
func isJSON(field reflect.Type) bool {
	switch field.Kind() {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Float64:
		return false
	}
	return !isList(field) && field != reflect.TypeFor[time.Time]()
}

// writeParquet writes an export as one Parquet file, and returns how many rows it has.
func writeParquet(ctx context.Context, collection lore.Collection, export exporter.Export, query exporter.Query, to io.Writer) (rows int, err error) {
	buffer := bufio.NewWriter(to)
	writer := parquet.NewGenericWriter[any](buffer, schemaOf(collection), parquet.Compression(&parquet.Zstd))
	columns := exporter.Columns(collection)
	held := 0
	measured := func(ctx context.Context, query exporter.Query, visit func([]byte) error) error {
		return export(ctx, query, func(line []byte) error {
			held += len(line)
			return visit(line)
		})
	}
	err = exporter.Rows(ctx, collection, measured, query, func(values []any) (err error) {
		row := map[string]any{}
		for i, value := range values {
			if row[columns[i].Name], err = valueOf(columns[i].Type, value); err != nil {
				return fmt.Errorf("%s of item %v: %w", columns[i].Name, values[0], err)
			}
		}
		rows++
		if _, err = writer.Write([]any{row}); err == nil && held >= rowGroupBytes {
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

// valueOf returns a JSON value as one of a field's type; what is JSON in the file stays as it is. What isn't absent is given by a pointer:
// the library takes a zero for null.
func valueOf(field reflect.Type, value any) (any, error) {
	_, isText := value.(string)
	switch {
	case value == nil:
		return nil, nil
	case isJSON(field), isText && field.Kind() == reflect.String:
		return &value, nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	typed := reflect.New(field)
	err = json.Unmarshal(text, typed.Interface())
	return typed.Interface(), err
}
