package handlers

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"agentlore/handlers/mcp"
	"agentlore/lore"
)

// tool is an operation as models see it: every client reads all of this before its first call.
type tool struct {
	name        string
	description string   // one or two sentences and an example of the arguments
	inputs      []string // parameters and members of the body
}

// tools returns the operations that the table names as tools.
func (s *server) tools() ([]mcp.Tool, error) {
	var tools []mcp.Tool
	for _, o := range s.operations {
		if o.Tool == nil {
			continue
		}
		described := s.inOpenAPI[o.ID]
		input, err := s.toolInput(described, o.Tool.inputs)
		takesToken := o.Bearer || o.ID == registerID
		if takesToken && err == nil {
			input["properties"].(map[string]any)[mcp.TokenArgument] = map[string]any{"type": "string"}
		}
		if err != nil {
			return nil, fmt.Errorf("tool %s: %w", o.Tool.name, err)
		}
		tool := mcp.Tool{
			Name: o.Tool.name, Description: o.Tool.description, Method: o.Method, Path: o.Path, Input: input,
			Output: s.toolOutput(described), TakesToken: takesToken,
			Parameters: map[string]string{}, ReadOnly: o.Class == classRead || o.Class == "", Idempotent: o.Method == http.MethodGet || o.Repeatable,
		}
		for _, p := range described.Parameters {
			tool.Parameters[argumentOf(p)] = p.In
			if p.In == "header" {
				tool.Parameters[argumentOf(p)] = p.Name
			}
		}
		tools = append(tools, tool)
	}
	return tools, nil
}

// argumentOf returns the name that a parameter has as an argument: the header Idempotency-Key is idempotency_key.
func argumentOf(p *huma.Param) string {
	if p.In != "header" {
		return p.Name
	}
	return strings.ReplaceAll(strings.ToLower(p.Name), "-", "_")
}

// explained are the arguments that are described: their names alone don't tell what they are for.
var explained = []string{"question", "tried", "more"}

// toolInput returns the schema of a tool's arguments. It says which there are and of what type; limits the operation itself tells. MCP
// clients resolve no references to other documents.
func (s *server) toolInput(described *huma.Operation, inputs []string) (map[string]any, error) {
	members := map[string]*huma.Schema{}
	var required []string
	if described.RequestBody != nil {
		body := resolve(s.schemas, described.RequestBody.Content["application/json"].Schema)
		maps.Copy(members, body.Properties)
		required = body.Required
	}
	for _, p := range described.Parameters {
		members[argumentOf(p)] = p.Schema
		if p.Required {
			required = append(required, argumentOf(p))
		}
	}
	properties := map[string]any{}
	for _, name := range inputs {
		schema, there := members[name]
		if !there {
			return nil, fmt.Errorf("it has no input %s", name)
		}
		plain := plainSchema(schema)
		if slices.Contains(explained, name) {
			plain["description"] = schema.Description
		}
		properties[name] = plain
	}
	input := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		input["required"] = required
	}
	return input, nil
}

// plainSchema returns a schema's type and allowed values.
func plainSchema(schema *huma.Schema) map[string]any {
	plain := map[string]any{"type": schema.Type}
	if len(schema.Enum) > 0 {
		plain["enum"] = schema.Enum
	}
	if schema.Items != nil {
		plain["items"] = plainSchema(schema.Items)
	}
	return plain
}

// toolOutput returns the schema of what a tool answers. It says which members there may be and of what type: a client checks answers by it.
func (s *server) toolOutput(described *huma.Operation) map[string]any {
	for _, status := range []string{"200", "201", "202"} {
		if answer := described.Responses[status]; answer != nil && answer.Content["application/json"] != nil {
			return s.outputSchema(answer.Content["application/json"].Schema, maxOutputDepth)
		}
	}
	return map[string]any{"type": "object"}
}

// maxOutputDepth is how deep a tool's answer is described: its members, without theirs. Every client reads all tools before its first call.
const maxOutputDepth = 1

// outputSchema returns a schema's types, names and allowed values, in so many levels.
func (s *server) outputSchema(schema *huma.Schema, depth int) map[string]any {
	schema = resolve(s.schemas, schema)
	if schema == nil || schema.Type == "" {
		return map[string]any{}
	}
	plain := map[string]any{"type": schema.Type}
	if schema.Nullable {
		plain["type"] = []string{schema.Type, "null"}
	}
	switch {
	case schema.Type == huma.TypeArray && schema.Items != nil:
		plain["items"] = s.outputSchema(schema.Items, depth)
	case schema.Type == huma.TypeObject && depth > 0 && len(schema.Properties) > 0:
		members := map[string]any{}
		for name, member := range schema.Properties {
			if name != "$schema" {
				members[name] = s.outputSchema(member, depth-1)
			}
		}
		plain["properties"] = members
	}
	return plain
}

// mcpPath is where MCP clients connect.
const mcpPath = "/mcp"

// maxMessageBytes bounds a message of an MCP client: JSON may take twice as much for a body's text.
const maxMessageBytes = 2 * maxBodyBytes

// serveMCP lets the MCP handler answer. A tool call is a request of its own, with its own line in the log, and counts as such: once,
// in its operation's class. Every other message, and what is none, counts as a read.
func (s *server) serveMCP(handler http.Handler) gin.HandlerFunc {
	classes := map[string]rateClass{}
	for _, o := range s.operations {
		if o.Tool != nil {
			classes[o.Tool.name] = o.Class
		}
	}
	return func(c *gin.Context) {
		text, err := s.readBody(c, maxMessageBytes+1)
		var tool string
		if err == nil {
			tool, err = s.toolOf(text)
		}
		class, isTool := classes[tool]
		if !isTool {
			class = classRead
		}
		if refused := s.count(c, class); refused != nil && !isTool { // a tool's refusal is its result, which a model can read
			err = refused
		}
		if err != nil {
			s.writeProblem(c, err)
			return
		}
		answer := &problemsOnly{ResponseWriter: c.Writer}
		handler.ServeHTTP(answer, c.Request)
		switch answer.refused {
		case http.StatusUnsupportedMediaType:
			s.writeProblem(c, &lore.Problem{Code: lore.CodeUnsupportedMediaType, Detail: "send a message with Content-Type: application/json"})
		case http.StatusBadRequest:
			s.writeProblem(c, &lore.Problem{Code: lore.CodeInvalidJSON, Detail: "this is no message of the Model Context Protocol: the body is one of " +
				"JSON-RPC 2.0, Accept names application/json and text/event-stream, and MCP-Protocol-Version, if it is there, a version that exists"})
		}
	}
}

// problemsOnly keeps back the SDK's refusals: they are plain text and quote what was sent.
type problemsOnly struct {
	gin.ResponseWriter
	refused int // the status of one that was kept back
}

// WriteHeader passes a status on, unless it is of a refusal in plain text.
func (w *problemsOnly) WriteHeader(status int) {
	if (status == http.StatusBadRequest || status == http.StatusUnsupportedMediaType) && strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		w.refused = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write passes an answer on.
func (w *problemsOnly) Write(text []byte) (int, error) {
	if w.refused > 0 {
		return len(text), nil
	}
	return w.ResponseWriter.Write(text)
}

// toolOf returns the name of the tool that a message calls, or nothing. It refuses what is not one message that every reader reads alike:
// a batch, which the protocol dropped, a member that stands twice, text behind the message, bytes that aren't UTF-8. The SDK takes the
// last of two members and leaves unread what stands behind the message.
func (s *server) toolOf(text []byte) (string, error) {
	if len(text) > maxMessageBytes {
		return "", &lore.Problem{Code: lore.CodeBodyTooLarge, Detail: "a message has at most 512 KiB"}
	}
	var whole jsontext.Value
	if err := unmarshalStrict(text, &whole); err != nil {
		return "", s.rules().unreadable(err.Error(), "the body must be one message, a JSON object in UTF-8 with nothing behind it")
	}
	switch whole.Kind() {
	case '{':
	case '[':
		return "", &lore.Problem{
			Code: lore.CodeInvalidJSON, Detail: "the Model Context Protocol has no batches any more: send each message as a request of its own",
		}
	default:
		return "", &lore.Problem{Code: lore.CodeInvalidJSON, Detail: "the body must be one message, a JSON object"}
	}
	var message struct {
		Method string `json:"method"`
		Params struct {
			Name string `json:"name"`
		} `json:"params"`
	}
	if json.Unmarshal(whole, &message) != nil || message.Method != "tools/call" {
		return "", nil
	}
	return message.Params.Name, nil
}
