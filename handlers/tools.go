package handlers

import (
	"fmt"
	"maps"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"agentlore/handlers/mcp"
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
		described := pathItemOperation(s.api.OpenAPI(), o)
		input, err := s.toolInput(described, o.Tool.inputs)
		if err != nil {
			return nil, fmt.Errorf("tool %s: %w", o.Tool.name, err)
		}
		tool := mcp.Tool{
			Name: o.Tool.name, Description: o.Tool.description, Method: o.Method, Path: o.Path, Input: input,
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
		properties[name] = plainSchema(schema)
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
