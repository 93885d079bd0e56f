package handlers

import (
	"net/url"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"

	"agentlore/handlers/mcp"
	"agentlore/lore"
)

// refuseEmpty refuses a query parameter or header without a value where an empty one is none of the values: "?since=" with a variable
// that was never set would list everything and look like an answer, and an empty Idempotency-Key would protect nothing. It refuses a
// tool's argument of a wrong type, too: HTTP has texts in their place, which all look alike.
func (s *server) refuseEmpty(ctx huma.Context, next func(huma.Context)) {
	c, arguments := humagin.Unwrap(ctx), mcp.ArgumentsOf(ctx.Context())
	query, _ := url.ParseQuery(c.Request.URL.RawQuery) // Huma refuses one that can't be read
	var faults []lore.FieldError
	for _, p := range ctx.Operation().Parameters {
		var values []string
		switch {
		case p.In == "query" && (p.Schema.Type != huma.TypeString || p.Schema.Format != "" || len(p.Schema.Enum) > 0):
			values = query[p.Name]
		case p.In == "header" && p.Schema.Pattern != "":
			values = c.Request.Header.Values(p.Name)
		}
		if slices.ContainsFunc(values, func(value string) bool { return strings.TrimSpace(value) == "" }) {
			faults = append(faults, lore.FieldError{Pointer: p.Name, Code: "empty", Detail: "must have a value, or be left out"})
		}
		name := argumentOf(p)
		if value, given := arguments[name]; given && value.Kind() != 'n' && !strings.ContainsRune(kindsOf[p.Schema.Type], rune(value.Kind())) {
			faults = append(faults, lore.FieldError{Pointer: name, Code: codeWrongType, Detail: "must be of the JSON type " + p.Schema.Type})
		}
	}
	if invalid := lore.InvalidFields(faults); invalid != nil {
		s.writeProblem(c, invalid)
		return
	}
	next(ctx)
}

// kindsOf are the kinds of JSON values that parameters of a type may have.
var kindsOf = map[string]string{huma.TypeString: `"`, huma.TypeInteger: "0", huma.TypeNumber: "0", huma.TypeBoolean: "tf"}
