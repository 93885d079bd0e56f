package handlers

import (
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// completeDescription adds to an operation's description the further statuses of its success, which have the same form,
// and removes what Huma writes and no standard knows.
func (s *server) completeDescription(o operation) {
	described := pathItemOperation(s.api.OpenAPI(), o)
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

// describeDocuments adds what is served beside the operations to the OpenAPI document.
func (s *server) describeDocuments() {
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
		Responses:   map[string]*huma.Response{"default": {Description: "As the protocol says", Content: message}},
	}}
}

// documentsTag groups in the OpenAPI document what describes the service itself.
const documentsTag = "documents"

// open is the security of what needs no token: the one empty requirement, said rather than left out.
var open = []map[string][]string{{}}
