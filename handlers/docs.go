package handlers

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"agentlore/handlers/reference"
	"agentlore/lore"
)

// docs returns the page of the interface for people, and its style. It is made of the other documents' entries and of
// what GET /api/schema says.
func (s *server) docs(others []document) ([]document, error) {
	shown := reference.Interface{Version: Version, Purpose: s.api.OpenAPI().Info.Description}
	for _, o := range s.operations {
		shown.Endpoints = append(shown.Endpoints, s.referenceTo(o))
	}
	for _, d := range others {
		shown.Documents = append(shown.Documents, reference.Document{Path: d.Path, Purpose: d.Purpose})
	}
	for _, category := range lore.Categories() {
		shown.Categories = append(shown.Categories, reference.Entry{Name: string(category.Value), Purpose: category.UseFor})
	}
	for _, class := range slices.Sorted(maps.Keys(s.limits)) {
		shown.Limits = append(shown.Limits, reference.Entry{Name: string(class), Purpose: s.limits[class].Rate.Formatted})
	}
	for code, status := range statuses {
		shown.Errors = append(shown.Errors, reference.Error{Status: status, Code: string(code)})
	}
	slices.SortFunc(shown.Errors, func(a, b reference.Error) int {
		return strings.Compare(fmt.Sprint(a.Status, a.Code), fmt.Sprint(b.Status, b.Code))
	})
	html, err := reference.Page(shown)
	if err != nil {
		return nil, err
	}
	page := newBuilt("text/html; charset=utf-8", []byte(html))
	page.policy = reference.Policy
	style := newBuilt("text/css; charset=utf-8", []byte(reference.Style()))
	return []document{
		{"/docs", "docs", []string{"text/html"}, "The HTTP interface for people", page.serve},
		{reference.StylePath, "docs-style", []string{"text/css"}, "The style of /docs", style.serve},
	}, nil
}

// referenceTo returns one operation as the page shows it.
func (s *server) referenceTo(o operation) reference.Endpoint {
	described := pathItemOperation(s.api.OpenAPI(), o)
	e := describeEndpoint(o, described)
	shown := reference.Endpoint{
		ID: o.ID, Method: e.Method, Path: e.Path, Purpose: e.Purpose, Bearer: o.Bearer, RateClass: e.RateClass, Tool: o.Tool,
		Status: e.Status, Example: e.Example,
	}
	for _, p := range described.Parameters {
		shown.Parameters = append(shown.Parameters, reference.Field{
			Name: p.Name, In: p.In, Required: p.Required, Type: s.typeOf(p.Schema), Purpose: p.Description,
		})
	}
	shown.Input = s.fields("", e.Input)
	shown.Output = s.fields("", e.Output)
	for _, known := range e.Errors {
		shown.Errors = append(shown.Errors, reference.Error{Status: known.Status, Code: string(known.Code)})
	}
	return shown
}

// fields lists the members of a schema, and those of the objects within it under their path. A schema of JSON Schemas, as
// GET /api/schema has, ends at its name.
func (s *server) fields(within string, schema *huma.Schema) []reference.Field {
	schema = inputRules{schemas: s.api.OpenAPI().Components.Schemas}.resolved(schema)
	if schema == nil {
		return nil
	}
	if schema.Type == huma.TypeArray {
		return s.fields(within+"[]", schema.Items)
	}
	if within != "" {
		within += "."
	}
	var fields []reference.Field
	required := func(name string) bool { return slices.Contains(schema.Required, name) }
	names := slices.SortedFunc(maps.Keys(schema.Properties), func(a, b string) int {
		if required(a) != required(b) {
			if required(a) {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	for _, name := range names {
		member := schema.Properties[name]
		fields = append(fields, reference.Field{
			Name: strings.TrimPrefix(within, ".") + name, Required: required(name), Type: s.typeOf(member), Purpose: s.purposeOf(member),
		})
		fields = append(fields, s.fields(within+name, member)...)
	}
	return fields
}

// purposeOf returns what a schema says of itself, or what it refers to does.
func (s *server) purposeOf(schema *huma.Schema) string {
	if schema.Description != "" {
		return schema.Description
	}
	return inputRules{schemas: s.api.OpenAPI().Components.Schemas}.resolved(schema).Description
}

// typeOf says in words what values a schema takes.
func (s *server) typeOf(schema *huma.Schema) string {
	schema = inputRules{schemas: s.api.OpenAPI().Components.Schemas}.resolved(schema)
	words := []string{schema.Type}
	switch {
	case schema.Type == huma.TypeArray && schema.Items != nil:
		words = []string{"list of " + s.typeOf(schema.Items)}
	case schema.Type == "":
		words = []string{"any"}
	}
	if len(schema.Enum) > 0 {
		var values []string
		for _, value := range schema.Enum {
			if text, isText := value.(string); isText {
				values = append(values, text)
			}
		}
		words = []string{strings.Join(values, ", ")}
	}
	if schema.Format == "date-time" {
		words = []string{"time"}
	} else if schema.Format == "uuid" {
		words = []string{"UUID"}
	}
	if schema.MaxLength != nil {
		words = append(words, "at most "+strconv.Itoa(*schema.MaxLength)+" characters")
	}
	if schema.MaxItems != nil {
		words = append(words, "at most "+strconv.Itoa(*schema.MaxItems))
	}
	if schema.Minimum != nil && schema.Maximum != nil {
		words = append(words, fmt.Sprintf("%v to %v", *schema.Minimum, *schema.Maximum))
	}
	if schema.Default != nil {
		if text, err := json.Marshal(schema.Default); err == nil {
			words = append(words, "default "+strings.Trim(string(text), `"`))
		}
	}
	return strings.Join(words, ", ")
}
