package handlers

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"agentlore/lore"
)

// strictJSON reads and writes JSON. Bytes that aren't UTF-8 are refused: encoding/json would replace them in silence.
func strictJSON() huma.Format {
	return huma.Format{
		Marshal: marshalAnswer,
		Unmarshal: func(data []byte, v any) error {
			if !utf8.Valid(data) {
				return errors.New("not UTF-8")
			}
			return json.Unmarshal(data, v)
		},
	}
}

// marshalAnswer writes an answer's body, as Huma would, and says before how long it is: who knows that has the whole answer
// before the handler ends, which writes a line in the log first.
func marshalAnswer(w io.Writer, v any) error {
	var body bytes.Buffer
	if err := huma.DefaultJSONFormat.Marshal(&body, v); err != nil {
		return err
	}
	if answer, is := w.(http.ResponseWriter); is {
		answer.Header().Set("Content-Length", strconv.Itoa(body.Len()))
	}
	_, err := w.Write(body.Bytes())
	return err
}

// schemasPath is where the OpenAPI document keeps schemas.
const schemasPath = "#/components/schemas/"

// checker is a wire type with rules that schema tags can't express.
type checker interface{ Check() []lore.FieldError }

// Decoder reads JSON objects into T under the rules of the HTTP interface. It is how the importer validates a line.
// It is safe for concurrent use.
type Decoder[T checker] struct {
	format  huma.Format
	schemas huma.Registry
	schema  *huma.Schema
	members jsonMembers
}

// NewDecoder returns a decoder.
func NewDecoder[T checker]() *Decoder[T] {
	schemas := huma.NewMapRegistry(schemasPath, huma.DefaultSchemaNamer)
	// A StringList is a string or a list: its own UnmarshalJSON says so better than a schema from its Go type.
	schemas.RegisterTypeAlias(reflect.TypeFor[lore.StringList](), reflect.TypeFor[any]())
	return &Decoder[T]{format: strictJSON(), schemas: schemas, schema: huma.SchemaFromType(schemas, reflect.TypeFor[T]()), members: membersOf(reflect.TypeFor[T]())}
}

// Decode reads one object: schema tags hold, unknown members are refused, and T's own Check is applied. The error is a
// *lore.Problem and quotes nothing of the data.
func (d *Decoder[T]) Decode(data []byte) (T, error) {
	var value T
	var raw any
	if err := d.format.Unmarshal(data, &raw); err != nil {
		return value, &lore.Problem{Code: lore.CodeInvalidJSON, Detail: "not one JSON object in UTF-8"}
	}
	path, result := huma.NewPathBuffer(make([]byte, 0, 64), 0), &huma.ValidateResult{}
	path.Push("body")
	huma.Validate(d.schemas, d.schema, path, huma.ModeWriteToServer, raw, result)
	if len(result.Errors) > 0 {
		fields, _ := inputRules{schemas: d.schemas, body: d.schema}.fieldErrors(result.Errors)
		return value, lore.InvalidFields(fields)
	}
	if err := d.fill(&value, raw, data); err != nil {
		return value, &lore.Problem{Code: lore.CodeInvalidJSON, Detail: "a member has the wrong type"}
	}
	return value, check(value)
}

// fill sets a value to what was read, from the text where that says it better.
func (d *Decoder[T]) fill(value *T, raw any, data []byte) error {
	if object, is := raw.(map[string]any); is && d.members.all(object) {
		return d.members.fill(reflect.ValueOf(value).Elem(), object)
	}
	return d.format.Unmarshal(data, value)
}

// check applies a body's own rules. The error is a *lore.Problem.
func check(body checker) error {
	if invalid := lore.InvalidFields(body.Check()); invalid != nil {
		return invalid
	}
	return nil
}
