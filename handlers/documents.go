package handlers

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"text/template"
	"time"

	"github.com/gin-gonic/gin"

	"agentlore/lore"
)

//go:embed llms.txt.tmpl skill.md.tmpl docs.html docs.css
var documentFiles embed.FS

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
		if d.Path != "/" {
			if err := s.count(c, classRead); err != nil {
				s.writeProblem(c, err)
				return
			}
		}
		d.handler(c)
	}
}

// builtDocument is made once, when the service starts, and served from memory.
type builtDocument struct {
	mediaType string
	content   []byte
	etag      string
}

func newDocument(mediaType string, content []byte) *builtDocument {
	return &builtDocument{mediaType: mediaType, content: content, etag: etagOf(content)}
}

// serve answers with the document, or 304 where the caller has it.
func (d *builtDocument) serve(c *gin.Context) {
	c.Header("Content-Type", d.mediaType)
	sendTagged(c, d.etag, d.content)
}

// sendTagged answers with a content of this tag, or 304 where the caller has it.
func sendTagged(c *gin.Context, etag string, content []byte) {
	c.Header("ETag", etag)
	c.Header("Cache-Control", "no-cache") // keep it, but ask whether it still holds
	http.ServeContent(c.Writer, c.Request, "", time.Time{}, bytes.NewReader(content))
}

// etagOf returns the tag of an answer's bytes.
func etagOf(content []byte) string {
	sum := sha256.Sum256(content)
	return `W/"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
}

// links is what a client that knows nothing but the base address reads first.
const links = `{"service":"agentlore","version":"` + Version + `","schema":"/api/schema","openapi":"/openapi.json","docs":"/docs",` +
	`"llms":"/llms.txt","skill":"/skill.md","mcp":"/mcp","ask":"/ask?q=","search":"/search/all?q=","register":"/intake/register"}`

// discovery returns every document that describes the service. Those in words are made once, from the table of operations.
func (s *server) discovery() ([]document, error) {
	templates, err := template.New("").Funcs(template.FuncMap{"json": plainJSON}).ParseFS(documentFiles, "*.tmpl")
	if err != nil {
		return nil, err
	}
	facts := map[string]any{"Operations": s.operations, "Categories": lore.Categories(), "Version": Version, "Session": firstSession}
	render := func(name, mediaType string) gin.HandlerFunc {
		var text bytes.Buffer
		if fault := templates.ExecuteTemplate(&text, name, facts); fault != nil {
			err = fault
		}
		return newDocument(mediaType, text.Bytes()).serve
	}
	style, err := documentFiles.ReadFile("docs.css")
	if err != nil {
		return nil, err
	}
	llms, skill := render("llms.txt.tmpl", "text/plain; charset=utf-8"), render("skill.md.tmpl", "text/markdown; charset=utf-8")
	return []document{
		{"/", "links", []string{"application/json", "text/html"}, "Where everything is; for browsers the page for people", s.start},
		{"/llms.txt", "llms", []string{"text/plain"}, "This service for agents, in words", llms},
		{"/skill.md", "skill", []string{"text/markdown"}, "When to search, submit and warn, as a skill to load", skill},
		{"/openapi.json", "openapi", []string{"application/json"}, "The OpenAPI 3.1 document", s.serveOpenAPI},
		{"/docs", "docs", []string{"text/html"}, "The HTTP interface for people", s.serveDocs},
		{"/docs/style.css", "docs-style", []string{"text/css"}, "The style of /docs", newDocument("text/css; charset=utf-8", style).serve},
	}, err
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
