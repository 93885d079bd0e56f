package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"agentlore/handlers/admit"
	"agentlore/lore"
	"agentlore/scrubber"
)

// bodyInput is the input of an operation that takes a body and nothing else.
type bodyInput[T any] struct{ Body T }

// storedOutput answers for what was stored.
type storedOutput[T any] struct {
	Status   int
	Location string `header:"Location" doc:"Where it is; absent where nothing was stored"`
	Body     T
}

// storedAnswer answers 201 for what is new and 200 for what was there.
func storedAnswer[T any](created bool, location string, body T) *storedOutput[T] {
	status := http.StatusOK
	if created {
		status = http.StatusCreated
	}
	return &storedOutput[T]{Status: status, Location: location, Body: body}
}

// accept applies a body's own rules, removes secrets from it, and refuses what would instruct those who read it. The rules hold for what
// came: growth by the marker is never refused.
func accept[T checker](ctx context.Context, s *server, body T) (clean scrubber.Scrubbed[T], err error) {
	if err = check(body); err != nil {
		return clean, err
	}
	if clean, err = scrub(ctx, s, body); err != nil {
		return clean, err
	}
	switch any(body).(type) {
	case lore.Observation: // is stored and flagged: it may be evidence
	case lore.Question: // is answered; what is kept of it is looked at in asked
	case lore.Trial: // its note is shown to nobody
	default:
		err = s.Rules.Safety.Refusal(clean.Value())
	}
	return clean, err
}

// scrub removes secrets and counts them.
func scrub[T any](ctx context.Context, s *server, value T) (scrubber.Scrubbed[T], error) {
	clean, err := scrubber.Scrub(ctx, s.Scrubber, value)
	if err != nil {
		if !errors.Is(err, context.Canceled) && !errors.Is(context.Cause(ctx), admit.ErrFull) { // the client went away, or others wait
			s.Recorder.ScrubFailed()
		}
		return clean, fmt.Errorf("scrub: %w", err)
	}
	if clean.Report().Changed {
		s.Recorder.Scrubbed(clean.Report().Counts())
	}
	return clean, nil
}

// configureHuma makes Huma's validation compare names of members by their exact spelling, as unmarshalStrict does, and say in our words
// what it found. These are package variables of Huma's: they are set once, since another server of this process may be reading them.
var configureHuma = sync.OnceFunc(func() {
	huma.ValidateStrictCasing = true
	huma.DefaultArrayNullable = false // an empty list is [] or absent
	useMessages()
	useProblems()
})

// unmarshalStrict reads one JSON value in UTF-8 with nothing behind it, whose members are spelt as the type's and stand there
// once. The text of the error for one that stands twice is duplicateMemberPrefix and its pointer, as the caller wrote it, and of malformed
// JSON malformedError's: Huma hands on the text alone, and it is not for callers. Errors besides: the library's.
func unmarshalStrict(data []byte, v any) error {
	err := json.Unmarshal(data, v, json.RejectUnknownMembers(true))
	fault, is := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case !is:
		return err
	case errors.Is(err, jsontext.ErrDuplicateName):
		return errors.New(duplicateMemberPrefix + string(fault.JSONPointer))
	}
	return malformedError(data, fault)
}

const duplicateMemberPrefix = "duplicate member "

// schemasPath is where the OpenAPI document keeps schemas.
const schemasPath = "#/components/schemas/"

// checker is a wire type with rules that schema tags can't express.
type checker interface{ Check() []lore.FieldError }

// Decoder reads JSON objects into T under the rules of the HTTP interface. It is how the importer validates a line.
// It is safe for concurrent use.
type Decoder[T checker] struct {
	rules inputRules
}

// NewDecoder returns a decoder. Its errors name a member that T doesn't have if the scrubber finds the name clean.
func NewDecoder[T checker](clean *scrubber.Scrubber) *Decoder[T] {
	configureHuma()
	schemas := huma.NewMapRegistry(schemasPath, huma.DefaultSchemaNamer)
	// A StringList is a string or a list: its own UnmarshalJSON says so better than a schema from its Go type.
	schemas.RegisterTypeAlias(reflect.TypeFor[lore.StringList](), reflect.TypeFor[any]())
	return &Decoder[T]{inputRules{schemas: schemas, body: huma.SchemaFromType(schemas, reflect.TypeFor[T]()), clean: clean.Clean}}
}

// Decode reads one object: schema tags hold, unknown members are refused, and T's own Check is applied. The error is a
// *lore.Problem and quotes nothing of the data.
func (d *Decoder[T]) Decode(data []byte) (T, error) {
	var value T
	var raw any
	if err := unmarshalStrict(data, &raw); err != nil {
		return value, d.rules.unreadable(err.Error(), "not one JSON object in UTF-8")
	}
	path, result := huma.NewPathBuffer(make([]byte, 0, 64), 0), &huma.ValidateResult{}
	path.Push("body")
	huma.Validate(d.rules.schemas, d.rules.body, path, huma.ModeWriteToServer, raw, result)
	if len(result.Errors) > 0 {
		return value, lore.InvalidFields(d.rules.fieldErrors(result.Errors))
	}
	if err := unmarshalStrict(data, &value); err != nil {
		return value, &lore.Problem{Code: lore.CodeInvalidJSON, Detail: "a member has the wrong type"}
	}
	return value, check(value)
}

// check applies a body's own rules. The error is a *lore.Problem.
func check(body checker) error {
	if invalid := lore.InvalidFields(body.Check()); invalid != nil {
		return invalid
	}
	return nil
}
