package handlers

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	html "html/template"
	"regexp"
	"strings"
	"text/template"

	"github.com/gin-gonic/gin"

	"agentlore/docs"
	"agentlore/handlers/page"
	"agentlore/lore"
	"agentlore/plugin"
)

//go:embed llms.txt.tmpl docs.html docs.css
var documentFiles embed.FS

// documentEntry is what is served beside the operations: it tells agents and people what this is and how to use it.
type documentEntry struct {
	Path       string   `json:"path" doc:"Path; GET"`
	ID         string   `json:"-"` // operationId
	MediaTypes []string `json:"media_types" nullable:"false" doc:"What it can be read as, by the Accept header"`
	Purpose    string   `json:"purpose" doc:"What it is"`
	// content makes it, once, when all operations and documents are known; nil: it is made for each request.
	content func() ([]byte, error)
}

// documentPolicy is the Content-Security-Policy of documents, for /docs above all: its one style, and nothing else from anywhere.
const documentPolicy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// serveDocument makes a document and returns its handler. Every document is counted as a read.
func (s *server) serveDocument(d documentEntry) (gin.HandlerFunc, error) {
	content, err := d.content()
	tag := page.TagOf(content)
	return func(c *gin.Context) {
		if err := s.count(c, classRead); err != nil {
			s.writeProblem(c, err)
			return
		}
		c.Header("Content-Security-Policy", documentPolicy)
		c.Header("Referrer-Policy", "no-referrer")
		c.Header("Content-Type", d.MediaTypes[0]+"; charset=utf-8")
		page.SendTagged(c.Writer, c.Request, tag, content)
	}, err
}

// links is what a client that knows nothing but the base address reads first.
const links = `{"service":"agentlore","version":"` + Version + `","schema":"/api/schema","openapi":"/openapi.json","docs":"/docs",` +
	`"llms":"/llms.txt","skill":"/skill.md","mcp":"/mcp","ask":"/ask?q=","search":"/search/all?q=","register":"/intake/register"}`

// discovery returns every document that describes the service. Those in words are made from the table of operations.
func (s *server) discovery() []documentEntry {
	facts := map[string]any{
		"Operations": s.operations, "Categories": lore.Categories(), "Version": Version, "Session": firstSession, "Tools": s.toolNames(),
	}
	return []documentEntry{
		{"/", "links", []string{"application/json", "text/html"}, "Where everything is; for browsers the page for people", nil},
		{"/llms.txt", "llms", []string{"text/plain"}, "This service for agents, in words", filled("llms.txt.tmpl", facts)},
		{"/llms-full.txt", "llms-full", []string{"text/plain"}, "The same with the skill and the documents for authors of agents", full(filled("llms.txt.tmpl", facts))},
		{"/skill.md", "skill", []string{"text/markdown"}, "When to search, submit and warn, as a skill to load",
			func() ([]byte, error) { return plugin.Skill, nil }},
		{"/openapi.json", "openapi", []string{"application/json"}, "The OpenAPI 3.1 document", s.openAPI},
		{"/docs", "docs", []string{"text/html"}, "The HTTP interface for people", s.docs},
		{"/docs/style.css", "docs-style", []string{"text/css"}, "The style of /docs",
			func() ([]byte, error) { return documentFiles.ReadFile("docs.css") }},
	}
}

// toolNames returns the names of the MCP tools, in order of the table.
func (s *server) toolNames() (names []string) {
	for _, o := range s.operations {
		if o.Tool != nil {
			names = append(names, o.Tool.name)
		}
	}
	return names
}

// filled returns what fills in a template of text.
func filled(name string, facts any) func() ([]byte, error) {
	return func() ([]byte, error) {
		var text bytes.Buffer
		made, err := template.New("").Funcs(template.FuncMap{"json": plainJSON}).ParseFS(documentFiles, name)
		if err == nil {
			err = made.ExecuteTemplate(&text, name, facts)
		}
		return text.Bytes(), err
	}
}

// fileLink is a link to another document of the repository, which leads nowhere from here.
var fileLink = regexp.MustCompile(`\[([^\]]*)\]\([^):]*\.md[^)]*\)`)

// full returns what puts a document, the skill and the documents for authors of agents together.
func full(short func() ([]byte, error)) func() ([]byte, error) {
	return func() ([]byte, error) {
		text, err := short()
		parts := [][]byte{text, plugin.Skill}
		for _, name := range []string{"agents.md", "api.md"} {
			part, readErr := docs.Agents.ReadFile(name)
			parts, err = append(parts, fileLink.ReplaceAll(part, []byte("$1"))), errors.Join(err, readErr)
		}
		return bytes.Join(parts, []byte("\n---\n\n")), err
	}
}

// docs makes the page /docs of what GET /api/schema says.
func (s *server) docs() ([]byte, error) {
	var text bytes.Buffer
	made, err := html.New("docs.html").Funcs(html.FuncMap{
		"line": plainJSON,
		"json": func(value any) (string, error) {
			text, err := json.MarshalIndent(value, "", "  ")
			return string(text), err
		},
	}).ParseFS(documentFiles, "docs.html")
	if err == nil {
		err = made.Execute(&text, s.describe())
	}
	return text.Bytes(), err
}

// firstSession are the bodies of the session that llms.txt shows. Words in angle brackets stand for an agent's own.
var firstSession = struct {
	Registration lore.Registration
	Question     lore.Question
	Outcome      lore.Trial
	Observation  lore.Observation
}{
	Registration: lore.Registration{Name: "<a name of your own>", Type: lore.SourceAgent, Owner: "<who runs you>"},
	Question:     lore.Question{Text: "<the error, as it was printed>"},
	Outcome:      lore.Trial{Item: lore.Item{ID: "<problem.id>"}, Result: lore.ResultWorked},
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
