package handlers

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"

	"agentlore/handlers/mcp"
	"agentlore/lore"
)

// refuseEmpty refuses a tool's argument of a wrong type, and a query parameter or header without a value where an empty one is
// none of the values: "?since=" with a
// variable that was never set would list everything and look like an answer, and an empty Idempotency-Key would protect
// nothing.
func (s *server) refuseEmpty(ctx huma.Context, next func(huma.Context)) {
	var faults []lore.FieldError
	address := ctx.URL()
	for part := range strings.SplitSeq(address.RawQuery, "&") {
		name, value, _ := strings.Cut(part, "=")
		if value != "" || name == "" {
			continue
		}
		if name, err := url.QueryUnescape(name); err == nil && needsValue(ctx.Operation(), name) {
			faults = append(faults, lore.FieldError{Pointer: name, Code: "empty", Detail: "must have a value, or be left out"})
		}
	}
	c := humagin.Unwrap(ctx)
	for _, p := range ctx.Operation().Parameters {
		if p.In != "header" || p.Schema.Pattern == "" {
			continue
		}
		if given, there := c.Request.Header[http.CanonicalHeaderKey(p.Name)]; there && strings.TrimSpace(given[0]) == "" {
			faults = append(faults, lore.FieldError{Pointer: p.Name, Code: "empty", Detail: "must have a value, or be left out"})
		}
	}
	faults = append(faults, wrongArguments(ctx)...)
	if invalid := lore.InvalidFields(faults); invalid != nil {
		s.writeProblem(c, invalid)
		return
	}
	next(ctx)
}

// wrongArguments returns the arguments of a tool call that go into path, query or header and have another JSON type than they
// should: HTTP has texts there, which all look alike.
func wrongArguments(ctx huma.Context) (faults []lore.FieldError) {
	arguments := mcp.ArgumentsOf(ctx.Context())
	for _, p := range ctx.Operation().Parameters {
		name := p.Name
		if p.In == "header" {
			name = argumentOf(name)
		}
		value, given := arguments[name]
		if kinds := kindsOf[p.Schema.Type]; given && value.Kind() != 'n' && kinds != "" && !strings.ContainsRune(kinds, rune(value.Kind())) {
			faults = append(faults, lore.FieldError{Pointer: name, Code: codeWrongType, Detail: "must be of the JSON type " + p.Schema.Type})
		}
	}
	return faults
}

// kindsOf are the kinds of JSON values that parameters of a type may have.
var kindsOf = map[string]string{huma.TypeString: `"`, huma.TypeInteger: "0", huma.TypeNumber: "0", huma.TypeBoolean: "tf"}

// needsValue reports whether an operation has a query parameter of this name whose values are never empty.
func needsValue(described *huma.Operation, name string) bool {
	for _, p := range described.Parameters {
		if p.In == "query" && p.Name == name {
			return p.Schema.Type != huma.TypeString || p.Schema.Format != "" || len(p.Schema.Enum) > 0
		}
	}
	return false
}
