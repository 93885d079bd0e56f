package handlers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"
)

// docsPolicy is the Content-Security-Policy of the page /docs: its one style, and nothing else from anywhere.
const docsPolicy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// serveDocs answers with the page /docs.
func (s *server) serveDocs(c *gin.Context) {
	c.Header("Content-Security-Policy", docsPolicy)
	c.Header("Referrer-Policy", "no-referrer")
	s.docsDocument.serve(c)
}

// docs makes the page /docs, the interface for people, of what GET /api/schema says.
func (s *server) docs(schema schemaBody) (*builtDocument, error) {
	page, err := template.New("docs.html").Funcs(template.FuncMap{
		"curl": curlOf, "type": s.typeOf, "members": func(of *huma.Schema) []docsMember { return s.membersOf("", of) },
	}).ParseFS(documentFiles, "docs.html")
	if err != nil {
		return nil, err
	}
	var html bytes.Buffer
	err = page.Execute(&html, schema)
	return newDocument("text/html; charset=utf-8", html.Bytes()), err
}

// curlOf returns a command that calls an endpoint as its example says.
func curlOf(e endpoint) (string, error) {
	if e.Method == http.MethodGet {
		path, isPath := e.Example.(string)
		if !isPath {
			path = e.Path
		}
		return fmt.Sprintf("curl \"$BASE%s\"", path), nil
	}
	command := fmt.Sprintf("curl -X %s \"$BASE%s\"", e.Method, e.Path)
	if e.Auth == bearerScheme {
		command += " \\\n  -H \"Authorization: Bearer $TOKEN\""
	}
	if e.Example == nil {
		return command, nil
	}
	body, err := json.MarshalIndent(e.Example, "", "  ")
	return command + " \\\n  -H 'Content-Type: application/json' \\\n  -d '" + strings.ReplaceAll(string(body), "'", `'\''`) + "'", err
}

// docsMember is a member of a body or an answer, named by its path, as in results[].id.
type docsMember struct {
	Name     string
	Required bool
	Type     string
	Purpose  string
}

// membersOf lists the members of a schema, and those of the objects within it under their path.
func (s *server) membersOf(within string, schema *huma.Schema) (members []docsMember) {
	if schema = resolve(s.schemas, schema); schema == nil {
		return nil
	}
	if schema.Type == huma.TypeArray {
		return s.membersOf(within+"[]", schema.Items)
	}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		member, path := resolve(s.schemas, schema.Properties[name]), strings.TrimPrefix(within+"."+name, ".")
		members = append(members, docsMember{path, slices.Contains(schema.Required, name), s.typeOf(member), member.Description})
		members = append(members, s.membersOf(path, member)...)
	}
	return members
}

// typeOf says what values a schema takes: its type and its other keywords, as in "string, maxLength 64".
func (s *server) typeOf(schema *huma.Schema) string {
	if schema = resolve(s.schemas, schema); schema == nil {
		return ""
	}
	words := schema.Type
	if schema.Type == huma.TypeArray {
		words += " of " + s.typeOf(schema.Items)
	}
	var keywords map[string]any
	text, _ := json.Marshal(schema) // it was written before, in the OpenAPI document
	_ = json.Unmarshal(text, &keywords)
	for _, name := range []string{"format", "enum", "maxLength", "maxItems", "minimum", "maximum", "default"} {
		if value, given := keywords[name]; given {
			words += fmt.Sprintf(", %s %v", name, value)
		}
	}
	return words
}
