package handlers

import (
	"bytes"
	"embed"
	"encoding/json"
	"strings"
	"text/template"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"agentlore/lore"
)

//go:embed llms.txt.tmpl skill.md.tmpl
var discoveryFiles embed.FS

// document is what is served beside the operations: it tells agents and people what this is and how to use it.
type document struct {
	Path string
	ID   string // operationId
	// MediaTypes are what it can be read as.
	MediaTypes []string
	Purpose    string
	handler    gin.HandlerFunc
}

// serveDocument returns a document's handler. Every document is counted as a read but /: for people that is a page, whose own
// reads are.
func (s *server) serveDocument(d document) gin.HandlerFunc {
	return func(c *gin.Context) {
		requestOf(c.Request.Context()).route = d.Path
		if d.Path != "/" && !s.count(c, classRead) {
			s.refuseCounted(c)
			return
		}
		d.handler(c)
	}
}

// schema describes the document's content as a media type.
func (d document) schema(media string) *huma.Schema {
	if media == "application/json" {
		return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
	}
	return &huma.Schema{Type: huma.TypeString}
}

// links is what a client that knows nothing but the base address reads first.
const links = `{"service":"agentlore","version":"` + Version +
	`","schema":"/api/schema","openapi":"/openapi.json","docs":"/docs","llms":"/llms.txt","skill":"/skill.md","mcp":"/mcp","search":"/search/all?q=","register":"/intake/register"}`

// discovery returns every document that describes the service. Those in words are made once, from the table of operations.
func (s *server) discovery() ([]document, error) {
	templates, err := template.New("").Funcs(template.FuncMap{"json": plainJSON}).ParseFS(discoveryFiles, "*.tmpl")
	if err != nil {
		return nil, err
	}
	facts := map[string]any{"Operations": s.operations, "Categories": lore.Categories(), "Version": Version, "Session": firstSession}
	render := func(name, mediaType string) (*built, error) {
		var text bytes.Buffer
		err := templates.ExecuteTemplate(&text, name, facts)
		return newBuilt(mediaType, text.Bytes()), err
	}
	llms, err := render("llms.txt.tmpl", "text/plain; charset=utf-8")
	if err != nil {
		return nil, err
	}
	skill, err := render("skill.md.tmpl", "text/markdown; charset=utf-8")
	if err != nil {
		return nil, err
	}
	documents := []document{
		{"/", "links", []string{"application/json", "text/html"}, "Where everything is; for browsers the page for people", s.start},
		{"/llms.txt", "llms", []string{"text/plain"}, "This service for agents, in words", llms.serve},
		{"/skill.md", "skill", []string{"text/markdown"}, "When to search, submit and warn, as a skill to load", skill.serve},
		{"/openapi.json", "openapi", []string{"application/json"}, "The OpenAPI 3.1 document", s.openAPI},
	}
	pages, err := s.docs(documents)
	return append(documents, pages...), err
}

// firstSession are the bodies of the session that llms.txt shows. Words in angle brackets stand for an agent's own.
var firstSession = struct {
	Registration lore.Registration
	Outcome      lore.Trial
	Observation  lore.Observation
}{
	Registration: lore.Registration{Name: "<a name of your own>", Type: lore.SourceAgent, Owner: "<who runs you>"},
	Outcome:      lore.Trial{Target: lore.TrialTarget{Collection: lore.Submissions, ID: "<results[].id>"}, Result: lore.ResultWorked},
	Observation: lore.Observation{
		Summary: "<what happened, in one sentence>", Category: lore.CategoryFailure, Content: "<error text, versions, addresses>",
		Resolution: "<what solved it>", Ecosystem: "ethereum",
	},
}

// plainJSON writes a value as JSON on one line, with angle brackets as they are.
func plainJSON(value any) (string, error) {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return strings.TrimSpace(text.String()), err
}
