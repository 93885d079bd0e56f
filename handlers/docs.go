package handlers

import (
	"bytes"
	"encoding/json"
	"html/template"

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

// newDocs makes the page /docs, the interface for people, of what GET /api/schema says.
func newDocs(schema schemaBody) (*builtDocument, error) {
	page, err := template.New("docs.html").Funcs(template.FuncMap{
		"line": plainJSON,
		"json": func(value any) (string, error) {
			text, err := json.MarshalIndent(value, "", "  ")
			return string(text), err
		},
	}).ParseFS(documentFiles, "docs.html")
	if err != nil {
		return nil, err
	}
	var html bytes.Buffer
	err = page.Execute(&html, schema)
	return newDocument("text/html; charset=utf-8", html.Bytes()), err
}
