package handlers

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/danielgtaylor/huma/v2/validation"
	"github.com/go-json-experiment/json/jsontext"

	"agentlore/handlers/mcp"
	"agentlore/lore"
)

// inputRules is what an operation accepts.
type inputRules struct {
	schemas huma.Registry
	body    *huma.Schema           // nil without a body
	query   []string               // names of the query parameters, sorted
	clean   func(text string) bool // reports whether a text holds no secret; nil: never
}

// rules returns the rules for what is no operation's input.
func (s *server) rules() inputRules { return inputRules{schemas: s.schemas, clean: s.Scrubber.Clean} }

// rulesOf returns what an operation accepts.
func (s *server) rulesOf(described *huma.Operation) inputRules {
	rules := s.rules()
	if described.RequestBody != nil {
		rules.body = described.RequestBody.Content["application/json"].Schema
	}
	for _, parameter := range described.Parameters {
		if parameter.In == "query" {
			rules.query = append(rules.query, parameter.Name)
		}
	}
	slices.Sort(rules.query)
	return rules
}

// problemOf turns what Huma found wrong with a request into a problem. Of Huma's details it takes the location and the kind of fault,
// never the value: that may be a secret.
func (r inputRules) problemOf(status int, faults []error) *lore.Problem {
	switch status {
	case http.StatusRequestEntityTooLarge:
		return &lore.Problem{Code: lore.CodeBodyTooLarge, Detail: "the body must be at most " + strconv.Itoa(maxBodyBytes>>10) + " KiB"}
	case http.StatusUnsupportedMediaType:
		return &lore.Problem{Code: lore.CodeUnsupportedMediaType, Detail: "send JSON, with the header Content-Type: application/json"}
	case http.StatusUnprocessableEntity:
		fields := r.fieldErrors(faults)
		if slices.ContainsFunc(fields, func(f lore.FieldError) bool { return f.Code == codeWrongType }) {
			detail := "the body is JSON, but a member has the wrong type; errors lists each"
			return &lore.Problem{Code: lore.CodeInvalidJSON, Detail: detail, Fields: fields}
		}
		return lore.InvalidFields(fields)
	case http.StatusBadRequest:
		message := malformedPrefix + "empty"            // Huma refuses that by itself, without a fault
		for _, fault := range slices.Backward(faults) { // the first that says
			if detailer, is := fault.(huma.ErrorDetailer); is {
				message = detailer.ErrorDetail().Message
			}
		}
		return r.unreadable(message, "the body must be one JSON object, in UTF-8; see GET /api/schema for its members")
	}
	return internal(nil)
}

// maxFaults is how many faults an answer lists. 256 KiB of unknown members would make an answer of several MiB, and as many names
// could be the words of a seed phrase, which has twelve.
const maxFaults = 10

// fieldErrors lists faults.
func (r inputRules) fieldErrors(faults []error) (fields []lore.FieldError) {
	for _, fault := range faults[:min(len(faults), maxFaults)] {
		detailer, ok := fault.(huma.ErrorDetailer)
		if !ok {
			fields = append(fields, lore.FieldError{Code: "invalid", Detail: "is not valid"})
			continue
		}
		detail := detailer.ErrorDetail()
		field := fieldError(detail.Message)
		where, path, _ := strings.Cut(detail.Location, ".")
		switch {
		case detail.Message == validation.MsgUnexpectedProperty:
			parent, name, allowed := r.knownMembers(path)
			field = r.unknown("member", parent, parent+"/"+name, name, allowed)
		case detail.Message == "unknown query parameter":
			field = r.unknown("query parameter", "", path, path, r.query)
		case where == "body":
			field.Pointer = pointerOf(path) + field.Pointer
		default:
			field.Pointer = path
			if field.Code == "not_allowed" && path == "format" {
				field.Detail += "; " + parquetStep
			}
		}
		fields = append(fields, field)
	}
	return fields
}

// codeWrongType is the code of a member whose JSON type is another than the schema's.
const codeWrongType = "wrong_type"

// ourMessage begins those of Huma's messages that useMessages has replaced: behind it stand the fault's code and its detail.
const ourMessage = "agentlore:"

// useMessages puts the codes and words of our answers in place of Huma's messages, which are package variables.
func useMessages() {
	for message, ours := range map[*string]string{
		&validation.MsgExpectedRequiredProperty: "required:%s", &validation.MsgExpectedOneOf: "not_allowed:%s",
		&validation.MsgExpectedMaxLength:     "too_long:must be at most %d characters long",
		&validation.MsgExpectedMinLength:     "too_short:must be at least %d characters long",
		&validation.MsgExpectedMaxItems:      "too_many:must have at most %d items",
		&validation.MsgExpectedMinimumNumber: "out_of_range:must be >= %v", &validation.MsgExpectedMaximumNumber: "out_of_range:must be <= %v",
		&validation.MsgExpectedBePattern: "not_a_value:must be %s", &validation.MsgExpectedRFC4122UUID: "not_an_id:must be a UUID%.0s",
		&validation.MsgExpectedRFC3339DateTime: "not_a_time:must be a time such as 2026-01-31T12:00:00Z",
		// Of what we describe, only times are of several forms: see Moment.
		&validation.MsgExpectedMatchAtLeastOneSchema: "not_a_time:must be a day such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z",
	} {
		*message = ourMessage + ours
	}
	for message, jsonType := range map[*string]string{
		&validation.MsgExpectedString: huma.TypeString, &validation.MsgExpectedBoolean: huma.TypeBoolean,
		&validation.MsgExpectedNumber: huma.TypeNumber, &validation.MsgExpectedInteger: huma.TypeInteger,
		&validation.MsgExpectedArray: huma.TypeArray, &validation.MsgExpectedObject: huma.TypeObject,
	} {
		*message = ourMessage + codeWrongType + ":must be of the JSON type " + jsonType
	}
}

// fieldError returns what one of Huma's messages says. Its pointer is relative to the message's location.
func fieldError(message string) lore.FieldError {
	if ours, is := strings.CutPrefix(message, ourMessage); is {
		switch code, detail, _ := strings.Cut(ours, ":"); code {
		case "required":
			return lore.FieldError{Pointer: "/" + detail, Code: code, Detail: "is required"}
		case "not_allowed":
			return lore.FieldError{Code: code, Detail: "must be one of the allowed values", Allowed: strings.Split(detail, ", ")}
		default:
			return lore.FieldError{Code: code, Detail: detail}
		}
	}
	switch { // messages that are no variables; a parameter is a text, which is read as its type
	case strings.HasPrefix(message, "required "):
		return lore.FieldError{Code: "required", Detail: "is required"}
	case strings.HasPrefix(message, "invalid date/time"):
		return fieldError(validation.MsgExpectedRFC3339DateTime)
	case strings.HasPrefix(message, "invalid value: "): // of Moment alone
		return fieldError(validation.MsgExpectedMatchAtLeastOneSchema)
	case message == "invalid integer", message == "invalid boolean":
		return lore.FieldError{Code: "not_a_value", Detail: "must be a valid " + strings.TrimPrefix(message, "invalid ")}
	}
	return lore.FieldError{Code: "invalid", Detail: "is not valid"}
}

// pointerOf turns Huma's path, as in tags[2] or target.id, into a JSON pointer.
func pointerOf(path string) string {
	if path == "" {
		return ""
	}
	return "/" + strings.NewReplacer("[", "/", "]", "", ".", "/").Replace(path)
}

// unreadable returns the problem for a text that isn't the JSON it should be, by the error of unmarshalStrict. It says where malformed JSON
// is so, and names a member that stands twice.
func (r inputRules) unreadable(message, detail string) *lore.Problem {
	if fault, is := strings.CutPrefix(message, malformedPrefix); is {
		return r.malformedProblem(fault)
	}
	problem := &lore.Problem{Code: lore.CodeInvalidJSON, Detail: detail}
	if pointer, twice := strings.CutPrefix(message, duplicateMemberPrefix); twice {
		field := lore.FieldError{Pointer: r.named(jsontext.Pointer(pointer)), Code: "duplicate", Detail: "must stand there once"}
		if field.Pointer == "" {
			field.Detail = "has a member that stands there twice"
		}
		problem.Fields = []lore.FieldError{field}
		problem.Detail = "a member stands twice in its object, and readers differ in which of them they take"
	}
	return problem
}

// unknown says at which pointer stands a member or query parameter that is none, if its name may be repeated, and lists those that are.
func (r inputRules) unknown(what, parent, pointer, name string, allowed []string) lore.FieldError {
	field := lore.FieldError{Pointer: parent, Code: "unknown", Detail: "has a " + what + " that doesn't exist here", Allowed: allowed}
	if r.mayName(name) && !slices.Contains(allowed, name) {
		field.Pointer, field.Detail = pointer, "doesn't exist here; allowed lists the "+what+"s that do"
	}
	return field
}

// memberName is the form of names that an answer may repeat: those of a program's fields, too short for a key.
var memberName = regexp.MustCompile(`^[A-Za-z_]{1,32}$`)

// mayName reports whether an answer may repeat a name that the caller made up.
func (r inputRules) mayName(name string) bool {
	return memberName.MatchString(name) && r.clean != nil && r.clean(name)
}

// maxNesting is how deep a member is named: bodies nest two deep, and a seed phrase has twelve words.
const maxNesting = 4

// named returns as much of a pointer as an answer may repeat, from its beginning.
func (r inputRules) named(pointer jsontext.Pointer) string {
	named, depth := "", 0
	for name := range pointer.Tokens() {
		if depth++; depth > maxNesting || !r.mayName(name) {
			break
		}
		named += "/" + name
	}
	return named
}

// knownMembers walks a path as far as it is ours and returns where it ends, what is left of it and what is allowed there. What is
// left is a name that the caller made up.
func (r inputRules) knownMembers(path string) (parent, name string, allowed []string) {
	schema := resolve(r.schemas, r.body)
	for schema != nil {
		first, rest, deeper := strings.Cut(path, ".")
		next := resolve(r.schemas, schema.Properties[first])
		if !deeper || next == nil || next.Type != huma.TypeObject {
			break
		}
		parent, path, schema = parent+"/"+first, rest, next
	}
	if schema != nil {
		allowed = slices.Sorted(maps.Keys(schema.Properties))
	}
	return parent, path, allowed
}

// resolve follows a reference to a schema, if the schema is one.
func resolve(schemas huma.Registry, schema *huma.Schema) *huma.Schema {
	if schema == nil || schema.Ref == "" {
		return schema
	}
	return schemas.SchemaFromRef(schema.Ref)
}

// refuseEmpty refuses a query parameter or header without a value where an empty one is none of the values: "?since=" with a variable
// that was never set would list everything and look like an answer, and an empty Idempotency-Key would protect nothing. It refuses a
// tool's argument of a wrong type, too: HTTP has texts in their place, which all look alike.
func (s *server) refuseEmpty(ctx huma.Context, next func(huma.Context)) {
	c, arguments := humagin.Unwrap(ctx), mcp.ArgumentsOf(ctx.Context())
	var faults []lore.FieldError
	for _, p := range ctx.Operation().Parameters {
		var values []string
		switch {
		case p.In == "query" && !isFreeText(p.Schema):
			values = c.QueryArray(p.Name)
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

// isFreeText reports whether every text is a value of a parameter.
func isFreeText(schema *huma.Schema) bool {
	return schema.Type == huma.TypeString && schema.Format == "" && len(schema.Enum) == 0 && len(schema.AnyOf) == 0
}

// kindsOf are the kinds of JSON values that parameters of a type may have.
var kindsOf = map[string]string{huma.TypeString: `"`, huma.TypeInteger: "0", huma.TypeNumber: "0", huma.TypeBoolean: "tf"}
