package handlers

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"agentlore/lore"
)

// bearerScheme is the name of the token scheme in the OpenAPI document.
const bearerScheme = "bearer"

// operation is one entry of the table: everything that describes an endpoint.
type operation struct {
	Method  string
	Path    string
	ID      string // operationId
	Purpose string // one sentence for an agent that looks for what to call
	Class   rateClass
	Bearer  bool
	// Body says that it takes a body.
	Body bool
	// Tagged answers carry an ETag.
	Tagged bool
	// Lines answers are streams of one JSON object a line.
	Lines bool
	// Table: it answers with CSV too.
	Table bool
	// Media is the media type of answers that the handler has made; empty: they are its output as JSON.
	Media string
	// Made is what made answers hold, where they are plain JSON.
	Made reflect.Type
	// Tool is what it is as an MCP tool; nil: it is none.
	Tool *tool
	// CostOfByte is what each byte of its text costs of a budget of reads.
	CostOfByte int64
	// MostHandled is the most that the store's work for it costs of a budget of reads; 0: whatever it comes to.
	MostHandled int64
	// Repeatable operations change nothing when they are sent again: clients may retry them freely. All reads are.
	Repeatable bool
	// Codes are the problems beyond those that every operation of its kind can answer with.
	Codes []lore.Code
	// Content is what the body may be, by media type, where the handler reads it itself; nil: JSON of the handler's input.
	Content map[string]*huma.MediaType
	// Status of success; 200 when zero.
	Status int
	// Also are further statuses of its success, and what each means.
	Also map[int]string
	// Example is an example of the request body, or of the path with its query.
	Example any
	// register ties the typed handler to Huma.
	register func(api huma.API, described huma.Operation)
}

// read returns a GET operation.
func read[I, O any](s *server, path, id, purpose string, handler func(context.Context, *I) (*O, error)) operation {
	return on(s, operation{Method: http.MethodGet, Path: path, ID: id, Purpose: purpose, Class: classRead}, handler)
}

// collection returns a GET operation on stored items, whose answers carry an ETag.
func collection[I, O any](s *server, path, id, purpose string, handler func(context.Context, *I) (*O, error)) operation {
	o := read(s, path, id, purpose, handler)
	o.Tagged = true
	return o
}

// made returns the operation as one whose handler has made the answer.
func (o operation) made(media string, of reflect.Type) operation {
	o.Media, o.Made = media, of
	return o
}

// write returns a POST operation that needs a token.
func write[I, O any](s *server, path, id, purpose string, handler func(context.Context, *I) (*O, error)) operation {
	return on(s, operation{
		Method: http.MethodPost, Path: path, ID: id, Purpose: purpose, Class: classWrite, Bearer: true, Status: http.StatusCreated,
	}, handler)
}

// bodyOutput is an answer that is a body and nothing else.
type bodyOutput[T any] struct{ Body T }

// madeOutput is an answer that the handler has made.
type madeOutput struct {
	ContentType string `header:"Content-Type"`
	Body        []byte
}

// on gives an operation its typed handler. The handler's errors become problems here and nowhere else; beside an error its output counts
// for nothing.
func on[I, O any](s *server, o operation, handler func(context.Context, *I) (*O, error)) operation {
	o.Body = o.Method != http.MethodGet && reflect.TypeFor[I]() != reflect.TypeFor[struct{}]() // what writes without a body has no input at all
	o.register = func(api huma.API, described huma.Operation) {
		huma.Register(api, described, func(ctx context.Context, input *I) (*O, error) {
			output, err := handler(ctx, input)
			if err != nil {
				return nil, s.problemOf(ctx, err)
			}
			return output, nil
		})
	}
	return o
}

// with returns the operation with an example and further problem codes.
func (o operation) with(example any, codes ...lore.Code) operation {
	o.Example, o.Codes = example, append(o.Codes, codes...)
	return o
}

// searching returns the operation of a search, with what each byte of its text costs.
func (o operation) searching(byteCost int64) operation {
	o.CostOfByte, o.MostHandled = byteCost, searchMost
	return o
}

// also returns the operation with a further status of success, and what that means.
func (o operation) also(status int, why string) operation {
	o.Also = map[int]string{status: why}
	return o
}

// registerID is the operation that registers an agent.
const registerID = "register"

// asTool returns the operation as an MCP tool too, with so much of its input as an agent needs.
func (o operation) asTool(name, description string, inputs ...string) operation {
	o.Tool = &tool{name, description, inputs}
	return o
}

// repeatable returns the operation as one that changes nothing when it is sent again.
func (o operation) repeatable() operation {
	o.Repeatable = true
	return o.also(http.StatusOK, "It was there already: nothing has changed")
}

// codes returns all problems that the operation can answer with, in order of their status.
func (o operation) codes() []lore.Code {
	codes := append([]lore.Code{lore.CodeRateLimited, lore.CodeQuota, lore.CodeStoreUnavailable, lore.CodeInternal}, o.Codes...)
	if o.Class == "" {
		codes = o.Codes
	}
	if o.Bearer {
		codes = append(codes, lore.CodeMissingToken, lore.CodeInvalidToken, lore.CodeBanned)
	}
	if o.Body {
		codes = append(codes, lore.CodeInvalidJSON, lore.CodeBodyTooLarge, lore.CodeUnsupportedMediaType, lore.CodeRequestTimeout)
	}
	codes = append(codes, lore.CodeInvalidField, lore.CodeInvalidFields)
	slices.SortStableFunc(codes, func(a, b lore.Code) int { return statusOf(a) - statusOf(b) })
	return slices.Compact(codes)
}

// mount describes the operation to Huma and ties middleware and handler to its route.
func (s *server) mount(o operation) {
	described := huma.Operation{
		OperationID: o.ID, Method: o.Method, Path: o.Path, Summary: o.Purpose, DefaultStatus: o.Status,
		Tags: []string{tagOf(o.Path)}, MaxBodyBytes: maxBodyBytes + 1, BodyReadTimeout: -1, // admit reads the body
		Middlewares: huma.Middlewares{s.admit(o)}, Security: open, Responses: map[string]*huma.Response{},
	}
	for _, code := range o.codes() {
		if status := statusOf(code); !slices.Contains(described.Errors, status) {
			described.Errors = append(described.Errors, status)
		}
	}
	if o.Bearer {
		described.Security = []map[string][]string{{bearerScheme: {}}}
		described.Middlewares = append(described.Middlewares, s.authenticate)
	}
	described.Middlewares = append(described.Middlewares, s.pay(o))
	described.Middlewares = append(described.Middlewares, s.refuseEmpty)
	if o.Tagged {
		described.Responses["304"] = &huma.Response{Description: "Nothing has changed: If-None-Match names the present ETag"}
	}
	if o.Media != "" {
		schema := &huma.Schema{Type: huma.TypeString}
		if o.Made != nil {
			schema = s.schemas.Schema(o.Made, true, "")
		} else if strings.HasSuffix(o.Media, "+json") {
			schema = &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
		}
		content := map[string]*huma.MediaType{o.Media: {Schema: schema}}
		if o.Table {
			content["text/csv"] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
		}
		described.Responses["200"] = &huma.Response{Description: http.StatusText(http.StatusOK), Content: content}
	}
	o.register(s.api, described)
	s.completeDescription(o)
}

// tagOf groups operations in the OpenAPI document by the first part of their path.
func tagOf(path string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return first
}
