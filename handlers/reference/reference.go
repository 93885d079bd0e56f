// Package reference makes the page /docs: the HTTP interface for people, from the same table as everything that describes
// it. The page is made once, on the server; it needs no script and no other host.
package reference

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"strings"
)

//go:embed reference.html
var files embed.FS

//go:embed reference.css
var style string

// Interface is what the page shows.
type Interface struct {
	Version    string
	Purpose    string
	Endpoints  []Endpoint
	Documents  []Document
	Categories []Entry
	Limits     []Entry
	Errors     []Error
}

// Endpoint is one operation.
type Endpoint struct {
	ID         string
	Method     string
	Path       string
	Purpose    string
	Bearer     bool
	RateClass  string // empty: not limited
	Tool       string // its name as an MCP tool; empty: it is none
	Status     int
	Parameters []Field
	Input      []Field
	Output     []Field
	Example    any // a body, or a path with its query
	Errors     []Error
}

// Field is a parameter or a member of a body or an answer, named by its path, as in results[].id.
type Field struct {
	Name     string
	In       string // path, query, header; empty for a member
	Required bool
	Type     string
	Purpose  string
}

// Document is what is served beside the operations.
type Document struct{ Path, Purpose string }

// Entry is a value and what it means.
type Entry struct{ Name, Purpose string }

// Error is a status with its code.
type Error struct {
	Status int
	Code   string
}

// Curl returns a command that calls the endpoint as its example says.
func (e Endpoint) Curl() (string, error) {
	if e.Method == "GET" {
		path, isPath := e.Example.(string)
		if !isPath {
			path = e.Path
		}
		return fmt.Sprintf("curl \"$BASE%s\"", path), nil
	}
	command := fmt.Sprintf("curl -X %s \"$BASE%s\"", e.Method, e.Path)
	if e.Bearer {
		command += " \\\n  -H \"Authorization: Bearer $TOKEN\""
	}
	if e.Example == nil {
		return command, nil
	}
	body, err := json.MarshalIndent(e.Example, "", "  ")
	if err != nil {
		return "", err
	}
	return command + " \\\n  -H 'Content-Type: application/json' \\\n  -d '" + strings.ReplaceAll(string(body), "'", `'\''`) + "'", nil
}

// Section is the part of the page that an endpoint belongs to.
type Section struct {
	Name      string
	Endpoints []Endpoint
}

// sections puts endpoints together by what a reader wants to do.
func sections(endpoints []Endpoint) []Section {
	found := []Section{{Name: "Search and overview"}, {Name: "Write"}, {Name: "Collections"}, {Name: "The service"}}
	for _, e := range endpoints {
		at := 2
		switch {
		case e.Method != "GET":
			at = 1
		case strings.HasPrefix(e.Path, "/search"), e.Path == "/libraries", e.Path == "/analytics", e.Path == "/categories":
			at = 0
		case e.Path == "/health", e.Path == "/status", strings.HasPrefix(e.Path, "/api/"):
			at = 3
		}
		found[at].Endpoints = append(found[at].Endpoints, e)
	}
	return found
}

// Policy is the Content-Security-Policy of the page: its one style, and nothing else from anywhere.
const Policy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// StylePath is where the page's style is.
const StylePath = "/docs/style.css"

// Style returns the page's style sheet.
func Style() string { return style }

// Page returns the page as HTML. It fails on an example that is no JSON.
func Page(shown Interface) (string, error) {
	page, err := template.ParseFS(files, "reference.html")
	if err != nil {
		return "", err
	}
	version := sha256.Sum256([]byte(style))
	var html bytes.Buffer
	err = page.Execute(&html, map[string]any{
		"Interface": shown, "Sections": sections(shown.Endpoints),
		"Style": StylePath + "?v=" + base64.RawURLEncoding.EncodeToString(version[:9]),
	})
	return html.String(), err
}
