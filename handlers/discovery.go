package handlers

import (
	"embed"
	"net/http"
	"strings"
	"text/template"

	"github.com/gin-gonic/gin"

	"agentlore/lore"
)

//go:embed llms.txt.tmpl skill.md.tmpl
var discoveryFiles embed.FS

// discovery are the documents that tell an agent in its own words what this is, made once from the table of operations.
type discovery struct {
	llms  []byte
	skill []byte
}

// newDiscovery fills in the documents.
func newDiscovery(operations []operation) (discovery, error) {
	templates, err := template.New("").ParseFS(discoveryFiles, "*.tmpl")
	if err != nil {
		return discovery{}, err
	}
	facts := map[string]any{"Operations": operations, "Categories": lore.Categories(), "Version": Version}
	render := func(name string) ([]byte, error) {
		var text strings.Builder
		err := templates.ExecuteTemplate(&text, name, facts)
		return []byte(text.String()), err
	}
	var d discovery
	if d.llms, err = render("llms.txt.tmpl"); err != nil {
		return discovery{}, err
	}
	d.skill, err = render("skill.md.tmpl")
	return d, err
}

// serve adds the documents and the links at / to the router.
func (d discovery) serve(router gin.IRoutes) {
	document := func(path, mediaType string, content []byte) {
		router.GET(path, func(c *gin.Context) {
			requestOf(c.Request.Context()).route = path
			c.Data(http.StatusOK, mediaType, content)
		})
	}
	document("/llms.txt", "text/plain; charset=utf-8", d.llms)
	document("/skill.md", "text/markdown; charset=utf-8", d.skill)
	document("/", "application/json", []byte(`{"service":"agentlore","version":"`+Version+
		`","schema":"/api/schema","openapi":"/openapi.json","llms":"/llms.txt","skill":"/skill.md","mcp":"/mcp","search":"/search/all?q=","register":"/intake/register"}`))
}
