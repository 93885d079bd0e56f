package handlers

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"
	"github.com/go-json-experiment/json/jsontext"

	"agentlore/lore"
)

// problemOfHuma turns what Huma found wrong with a request into a problem. Of Huma's details it takes the location and
// the kind of fault, never the value: that may be a secret.
func problemOfHuma(rules inputRules, status int, message string, faults []error) *lore.Problem {
	switch status {
	case http.StatusRequestEntityTooLarge:
		return &lore.Problem{Code: lore.CodeBodyTooLarge, Detail: "the body must be at most " + strconv.Itoa(maxBodyBytes>>10) + " KiB"}
	case http.StatusUnsupportedMediaType:
		return &lore.Problem{Code: lore.CodeUnsupportedMediaType, Detail: "send JSON, with the header Content-Type: application/json"}
	case http.StatusRequestTimeout:
		return &lore.Problem{Code: lore.CodeRequestTimeout, Detail: "the body did not arrive in time; send it again"}
	case http.StatusUnprocessableEntity:
		fields, unreadable := rules.fieldErrors(faults)
		if unreadable {
			return &lore.Problem{Code: lore.CodeInvalidJSON, Detail: "the body is JSON, but a member has the wrong type; errors lists each", Fields: fields}
		}
		return lore.InvalidFields(fields)
	case http.StatusBadRequest:
		return rules.unreadable(firstMessage(faults), "the body must be one JSON object, in UTF-8; see GET /api/schema for its members")
	}
	if message == "cannot read request body" {
		return &lore.Problem{Code: lore.CodeInvalidJSON, Detail: "the body ended too early; send it again"}
	}
	return &lore.Problem{Code: lore.CodeInternal, Detail: "something went wrong on our side; try again"}
}

// firstMessage returns what Huma says of the first fault.
func firstMessage(faults []error) string {
	for _, fault := range faults {
		if detailer, is := fault.(huma.ErrorDetailer); is {
			return detailer.ErrorDetail().Message
		}
	}
	return ""
}

// inputRules is what an operation accepts.
type inputRules struct {
	schemas huma.Registry
	body    *huma.Schema           // nil without a body
	query   []string               // names of the query parameters
	clean   func(text string) bool // tells a text without a secret; nil: none is
}

// rulesOf returns what an operation accepts.
func rulesOf(known *request, described *huma.Operation) inputRules {
	rules := inputRules{schemas: known.schemas, clean: known.clean}
	if described == nil {
		return rules
	}
	if described.RequestBody != nil && described.RequestBody.Content["application/json"] != nil {
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

// fieldErrors lists the faults, and tells whether a member of the body has the wrong JSON type.
func (r inputRules) fieldErrors(faults []error) (fields []lore.FieldError, unreadable bool) {
	for _, fault := range faults {
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
			field = r.unknownMember(path)
		case detail.Message == "unknown query parameter":
			field = r.unknownParameter(path)
		case where == "body":
			field.Pointer = pointerOf(path) + field.Pointer
			unreadable = unreadable || field.Code == codeWrongType
		default:
			field.Pointer = path
		}
		fields = append(fields, field)
	}
	return fields[:min(len(fields), maxFaults)], unreadable
}

// maxFaults is how many faults an answer lists. 256 KiB of unknown members would make an answer of several MiB, and as many names
// could be the words of a seed phrase, which has twelve.
const maxFaults = 10

// codeWrongType is the code of a member whose JSON type is another than the schema's.
const codeWrongType = "wrong_type"

var (
	requiredMember = regexp.MustCompile(`^expected required property (\w+) to be present$`)
	oneOf          = regexp.MustCompile(`^expected value to be one of "(.*)"$`)
	lengthAtMost   = regexp.MustCompile(`^expected length <= (\d+)$`)
	lengthAtLeast  = regexp.MustCompile(`^expected length >= (\d+)$`)
	numberBound    = regexp.MustCompile(`^expected number (>=|<=|>|<) (\S+)$`)
	itemsAtMost    = regexp.MustCompile(`^expected array length <= (\d+)$`)
	jsonType       = regexp.MustCompile(`^expected (string|boolean|number|integer|array|object)$`)
)

// fieldError says in our words what one of Huma's messages says. Its pointer is relative to the message's location.
func fieldError(message string) lore.FieldError {
	if m := requiredMember.FindStringSubmatch(message); m != nil {
		return lore.FieldError{Pointer: "/" + m[1], Code: "required", Detail: "is required"}
	}
	if m := oneOf.FindStringSubmatch(message); m != nil {
		return lore.FieldError{Code: "not_allowed", Detail: "must be one of the allowed values", Allowed: strings.Split(m[1], ", ")}
	}
	if m := lengthAtMost.FindStringSubmatch(message); m != nil {
		return lore.FieldError{Code: "too_long", Detail: "must be at most " + m[1] + " characters long"}
	}
	if m := lengthAtLeast.FindStringSubmatch(message); m != nil {
		return lore.FieldError{Code: "too_short", Detail: "must be at least " + m[1] + " characters long"}
	}
	if m := itemsAtMost.FindStringSubmatch(message); m != nil {
		return lore.FieldError{Code: "too_many", Detail: "must have at most " + m[1] + " items"}
	}
	if m := numberBound.FindStringSubmatch(message); m != nil {
		return lore.FieldError{Code: "out_of_range", Detail: "must be " + m[1] + " " + m[2]}
	}
	if m := jsonType.FindStringSubmatch(message); m != nil {
		return lore.FieldError{Code: codeWrongType, Detail: "must be of the JSON type " + m[1]}
	}
	switch {
	case strings.HasPrefix(message, "required "):
		return lore.FieldError{Code: "required", Detail: "is required"}
	case message == "invalid integer", message == "invalid boolean", message == "invalid float":
		return lore.FieldError{Code: "not_a_value", Detail: "must be " + strings.Replace(message, "invalid ", "a valid ", 1)}
	case strings.HasPrefix(message, "expected string to be RFC 3339"), strings.HasPrefix(message, "invalid date/time"):
		return lore.FieldError{Code: "not_a_time", Detail: "must be a time such as 2026-01-31T12:00:00Z"}
	case strings.HasPrefix(message, "expected string to be RFC 4122"):
		return lore.FieldError{Code: "not_an_id", Detail: "must be a UUID"}
	case strings.HasPrefix(message, "expected string to be "): // a pattern's description, which is ours
		return lore.FieldError{Code: "not_a_value", Detail: strings.Replace(message, "expected string to", "must", 1)}
	}
	return lore.FieldError{Code: "invalid", Detail: "is not valid"}
}

// pointerOf turns Huma's path, as in tags[2] or target.id, into a JSON pointer.
func pointerOf(path string) string {
	if path == "" {
		return ""
	}
	path = strings.NewReplacer("[", ".", "]", "").Replace(path)
	return "/" + strings.ReplaceAll(path, ".", "/")
}

// unreadable returns the problem for a text that isn't the JSON it should be, by what unmarshalStrict says: of a member that
// stands twice it tells which.
func (r inputRules) unreadable(message, detail string) *lore.Problem {
	problem := &lore.Problem{Code: lore.CodeInvalidJSON, Detail: detail}
	if pointer, twice := strings.CutPrefix(message, duplicateMemberPrefix); twice {
		field := lore.FieldError{Code: "duplicate", Detail: "must stand there once"}
		if field.Pointer = r.named(jsontext.Pointer(pointer)); field.Pointer == "" {
			field.Detail = "has a member that stands there twice"
		}
		problem.Fields, problem.Detail = []lore.FieldError{field}, "a member stands twice in its object, and readers differ in which of them they take"
	}
	return problem
}

// unknownMember says which member is none, and lists those that are. The path ends with its name.
func (r inputRules) unknownMember(path string) lore.FieldError {
	parent, name, allowed := r.knownMembers(path)
	field := lore.FieldError{Pointer: parent, Code: "unknown", Detail: "has a member that doesn't exist here", Allowed: allowed}
	if r.mayName(name) && !slices.Contains(allowed, name) {
		field.Pointer, field.Detail = parent+"/"+name, "doesn't exist here; allowed lists the members that do"
	}
	return field
}

// unknownParameter says which query parameter is none, and lists those that are.
func (r inputRules) unknownParameter(name string) lore.FieldError {
	field := lore.FieldError{Code: "unknown", Detail: "has a query parameter that doesn't exist here", Allowed: r.query}
	if r.mayName(name) {
		field.Pointer, field.Detail = name, "doesn't exist here; allowed lists the query parameters that do"
	}
	return field
}

// memberName is the form of names that an answer may repeat: those of a program's fields, too short for a key.
var memberName = regexp.MustCompile(`^[A-Za-z_]{1,32}$`)

// mayName reports whether an answer may repeat a name that the caller made up.
func (r inputRules) mayName(name string) bool {
	return memberName.MatchString(name) && r.clean != nil && r.clean(name)
}

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

// maxNesting is how deep a member is named: bodies nest two deep, and a seed phrase has twelve words.
const maxNesting = 4

// knownMembers walks a path as far as it is ours and returns where it ends, what is left of it and what is allowed there. What is
// left is a name that the caller made up.
func (r inputRules) knownMembers(path string) (parent, name string, allowed []string) {
	schema := r.resolved(r.body)
	for schema != nil {
		first, rest, deeper := strings.Cut(path, ".")
		next := r.resolved(schema.Properties[first])
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

// resolved follows a reference, if the schema is one.
func (r inputRules) resolved(schema *huma.Schema) *huma.Schema {
	if schema == nil || schema.Ref == "" {
		return schema
	}
	return r.schemas.SchemaFromRef(schema.Ref)
}
