package handlers

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// completeDescription adds to an operation's description the further statuses of its success, which have the same form,
// and removes what Huma writes and no standard knows.
func (s *server) completeDescription(o operation) {
	described := s.inOpenAPI[o.ID]
	for _, p := range described.Parameters {
		p.Schema.PatternDescription = "" // Huma's message is made of it by now
	}
	if o.Content != nil {
		described.RequestBody = &huma.RequestBody{Required: true, Content: o.Content}
	}
	success := described.Responses[strconv.Itoa(max(o.Status, http.StatusOK))]
	for status, why := range o.Also {
		described.Responses[strconv.Itoa(status)] = &huma.Response{Description: why, Headers: success.Headers, Content: success.Content}
	}
}

// describeDocuments adds what is served beside the operations to the OpenAPI document, and takes out what OpenAPI doesn't know.
func (s *server) describeDocuments() {
	for _, schema := range s.schemas.Map() {
		for _, property := range schema.Properties {
			property.PatternDescription = "" // Huma's message is made of it by now
		}
	}
	for _, d := range s.documents {
		content := map[string]*huma.MediaType{}
		for _, media := range d.MediaTypes {
			content[media] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
			if media == "application/json" {
				content[media].Schema = &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
			}
		}
		path := &huma.PathItem{Get: &huma.Operation{
			OperationID: d.ID, Summary: d.Purpose, Tags: []string{documentsTag}, Security: open,
			Responses: map[string]*huma.Response{"200": {Description: http.StatusText(http.StatusOK), Content: content}},
		}}
		s.api.OpenAPI().Paths[d.Path] = path
	}
	message := map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{
		Type: huma.TypeObject, Description: "A JSON-RPC 2.0 message of the Model Context Protocol", AdditionalProperties: true,
	}}}
	s.api.OpenAPI().Paths[mcpPath] = &huma.PathItem{Post: &huma.Operation{
		OperationID: "mcp", Summary: "The Model Context Protocol: streamable HTTP without sessions; tools/list names the tools",
		Tags: []string{documentsTag}, Security: []map[string][]string{{}, {bearerScheme: {}}},
		RequestBody: &huma.RequestBody{Required: true, Content: message},
		Responses: map[string]*huma.Response{"default": {Description: "As the protocol says, or a problem", Content: map[string]*huma.MediaType{
			"application/json": message["application/json"], problemType: {Schema: s.schemas.Schema(reflect.TypeFor[problem](), true, "")},
		}}},
	}}
}

// documentsTag groups in the OpenAPI document what describes the service itself.
const documentsTag = "documents"

// open is the security of what needs no token: the one empty requirement, said rather than left out.
var open = []map[string][]string{{}}

// requestNames are the names of bodies that are sent, by the name of their type: generated clients pair them with the response's name.
var requestNames = map[string]string{
	"Amendment": "AmendRequest", "FollowUp": "FollowUpRequest", "Webhook": "WebhookRequest", "Connection": "ConnectRequest", "InvitedRegistration": "RegisterRequest", "Observation": "SubmitRequest",
	"Proposal": "SuggestRequest", "Question": "AskRequest", "RawReport": "AnalyzeRequest", "Trial": "OutcomeRequest",
	"Warning": "FlagRequest", "Withdrawal": "WithdrawRequest",
	"AskAnswer": "AskResponse", "ProposalBody": "SuggestionReceipt",
}

// schemaName names a type in the OpenAPI document: AssetPage, StatusResponse.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	if renamed, is := requestNames[name]; is {
		return renamed
	}
	if item, is := strings.CutPrefix(name, "ListBody"); is {
		return item + "Page"
	}
	if base, is := strings.CutSuffix(name, "Body"); is {
		return base + "Response"
	}
	return name
}

// openAPI returns the OpenAPI document. It differs from what Huma reads requests by for those who generate clients of it.
// Lists of allowed values are types of their own, named once. And null counts as absent in a request body, as it does when one is read:
// many clients write null for what they leave out.
func (s *server) openAPI() ([]byte, error) {
	text, err := json.Marshal(s.api.OpenAPI())
	var document map[string]any
	if err == nil {
		err = json.Unmarshal(text, &document)
	}
	if err != nil {
		return nil, err
	}
	schemas := document["components"].(map[string]any)["schemas"].(map[string]any)
	enums := s.enums(schemas)
	eachObject(document, func(object map[string]any) {
		if _, has := object["security"]; has && reflect.DeepEqual(object["security"], []any{map[string]any{}}) {
			object["security"] = []any{} // the same, and generated clients ask for no token
		}
		if name, is := object["name"].(string); is { // a parameter
			if schema, is := object["schema"].(map[string]any); is {
				enums.refer(name, schema)
			}
		}
		properties, _ := object["properties"].(map[string]any)
		for name, property := range properties {
			if property, is := property.(map[string]any); is {
				enums.refer(name, property)
			}
		}
	})
	for name, values := range enums.values {
		schemas[name] = map[string]any{"type": huma.TypeString, "enum": values}
	}
	bodies := map[string]bool{}
	for _, o := range s.operations {
		if body := s.inOpenAPI[o.ID].RequestBody; body != nil {
			bodies[strings.TrimPrefix(body.Content["application/json"].Schema.Ref, schemasPath)] = true
		}
	}
	for name := range bodies {
		if body, is := schemas[name].(map[string]any); is {
			allowNulls(body)
		}
	}
	return json.Marshal(document)
}

// allowNulls makes every property of a body that may be absent one that may be null.
func allowNulls(body map[string]any) {
	required, _ := body["required"].([]any)
	for name, property := range body["properties"].(map[string]any) {
		if slices.Contains(required, any(name)) {
			continue
		}
		property := property.(map[string]any)
		if one, is := property["type"].(string); is && property["enum"] == nil {
			property["type"] = []string{one, "null"}
			continue
		}
		described := map[string]any{"anyOf": []any{property, map[string]any{"type": "null"}}}
		for _, beside := range []string{"description", "default", "examples"} {
			if value, has := property[beside]; has {
				described[beside] = value
				delete(property, beside)
			}
		}
		body["properties"].(map[string]any)[name] = described
	}
}

// namedEnums are the lists of allowed values that have a name: the name of a property and its values give it.
type namedEnums struct {
	names  map[string]string
	values map[string]any
}

// enums names the lists of allowed values in schemas by the Go type of their property, such as Category, and by the property otherwise.
// Where one name would stand for two lists, the second stays where it is.
func (s *server) enums(schemas map[string]any) namedEnums {
	enums := namedEnums{map[string]string{}, map[string]any{}}
	for _, schema := range slices.Sorted(maps.Keys(schemas)) {
		t := s.schemas.TypeFromRef(schemasPath + schema)
		if t == nil || t.Kind() != reflect.Struct {
			continue
		}
		properties, _ := schemas[schema].(map[string]any)["properties"].(map[string]any)
		for _, field := range reflect.VisibleFields(t) {
			property, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			described, _ := properties[property].(map[string]any)
			if described["enum"] == nil || described["type"] != huma.TypeString {
				continue
			}
			name := exported(property)
			if field.Type.PkgPath() != "" {
				name = exported(field.Type.Name())
			}
			if _, taken := schemas[name]; taken || enums.values[name] != nil && !reflect.DeepEqual(enums.values[name], described["enum"]) {
				continue
			}
			enums.names[enumKey(property, described)], enums.values[name] = name, described["enum"]
		}
	}
	return enums
}

// refer replaces a property's list of allowed values by its name.
func (e namedEnums) refer(property string, schema map[string]any) {
	if name, named := e.names[enumKey(property, schema)]; named && schema["enum"] != nil {
		delete(schema, "enum")
		delete(schema, "type")
		schema["$ref"] = schemasPath + name
	}
}

func enumKey(property string, schema map[string]any) string {
	return fmt.Sprint(property, schema["enum"])
}

// exported returns a name such as content_trust as ContentTrust.
func exported(name string) string {
	parts := strings.Split(name, "_")
	for i, part := range parts {
		parts[i] = strings.ToUpper(part[:1]) + part[1:]
	}
	return strings.Join(parts, "")
}

// eachObject visits every object in a JSON value.
func eachObject(value any, visit func(map[string]any)) {
	switch value := value.(type) {
	case map[string]any:
		visit(value)
		for _, member := range value {
			eachObject(member, visit)
		}
	case []any:
		for _, member := range value {
			eachObject(member, visit)
		}
	}
}
