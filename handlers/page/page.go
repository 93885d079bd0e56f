// Package page is the service's page for people: search, items, lists, figures and the portal, as HTML made on the server.
//
// The page knows the service as a client does: each view is made of requests to the HTTP interface, answered within the
// process. So validation, filters, limits and errors are the interface's own, and no query is written twice. Stored text
// is hostile: it reaches a browser through html/template alone, and no policy of the page lets a script of its run.
package page

import (
	"context"
	"fmt"
	"html/template"
	"log/slog"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"agentlore/lore"
)

// base is where the page's own addresses begin. Of the interface's addresses those of items are both: a browser is sent to the item's
// page. The others stay JSON whatever a client accepts, but for /.
const base = "/web"

// ItemPage returns where a browser finds what an address of the interface has: an item, or a search that was typed by hand; "" for others.
func ItemPage(path, query string) string {
	if path == "/search" {
		return strings.TrimSuffix("/?"+query, "?")
	}
	kind, id, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if !lore.ValidID(id) {
		return ""
	}
	if kind == "items" || slices.ContainsFunc(collections, func(c collection) bool { return c.Path == kind }) {
		return base + path
	}
	return ""
}

// Config is what the page needs.
type Config struct {
	// API answers requests to the HTTP interface.
	API http.Handler
	// PublicURL is the address of the service for all readers, without a slash at its end; empty: what each reader asks at.
	PublicURL string
	// Turn returns when it is a page's turn to read, or when it gets none; leave ends that.
	Turn func(ctx context.Context) (leave func())
	// Version is the interface's version, for the footer.
	Version string
	// Scrub returns a text without secrets. What a reader typed is shown to him only like that: addresses and pages are kept by others.
	Scrub func(text string) string
	Log   *slog.Logger
	Now   func() time.Time
}

// Page serves the page for people.
type Page struct {
	Config
	templates map[string]*template.Template
	version   string // of the page's own files
	compress  func(http.Handler) http.HandlerFunc
	health    health
}

// New returns the page. It fails on templates that can't be read.
func New(config Config) (*Page, error) {
	p := &Page{Config: config}
	var err error
	if p.version, err = readVersion(); err != nil {
		return nil, err
	}
	if p.compress, err = gzhttp.NewWrapper(gzhttp.MinSize(1024)); err != nil { // below, nothing is gained
		return nil, fmt.Errorf("set up compression: %w", err)
	}
	p.templates, err = readTemplates(p.version)
	return p, err
}

// Route is an address of the page. Names in braces are path values of the request.
type Route struct {
	Method  string
	Path    string
	Handler http.HandlerFunc
}

// Routes returns every address of the page but /, which is Home's.
func (p *Page) Routes() []Route {
	routes := []Route{
		{http.MethodGet, "/portal", p.show(p.portal)},
		{http.MethodPost, "/portal", p.show(p.register)},
		{http.MethodGet, base + "/ask", p.show(p.askForm)},
		{http.MethodPost, base + "/ask", p.show(p.askLog)},
		{http.MethodGet, base + "/items/{id}", p.show(p.anyItem)},
		{http.MethodGet, base + "/agents", p.show(p.agents)},
		{http.MethodGet, base + "/analytics", p.show(p.analytics)},
	}
	for _, c := range collections {
		routes = append(routes,
			Route{http.MethodGet, base + "/" + c.Path, p.show(p.list(c))},
			Route{http.MethodGet, base + "/" + c.Path + "/{id}", p.show(p.item(c))},
		)
	}
	for _, name := range []string{"page.css", "page.js", "icon.svg"} {
		routes = append(routes, Route{http.MethodGet, staticPath + name, p.compress(http.HandlerFunc(p.serveFile))})
	}
	return routes
}

// Home answers / for people.
func (p *Page) Home(w http.ResponseWriter, r *http.Request) { p.show(p.search)(w, r) }

// NotFound answers people for an address that isn't there.
func (p *Page) NotFound(w http.ResponseWriter, r *http.Request) {
	p.show(func(*http.Request) (document, error) { return document{}, notFound("There is no such page") })(w, r)
}

// WantsHTML reports whether a client is a browser that shows pages: one that accepts HTML by name. Those that accept
// anything get JSON.
func WantsHTML(r *http.Request) bool {
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		kind, parameters, err := mime.ParseMediaType(part)
		refused := parameters["q"] != "" && strings.Trim(parameters["q"], "0.") == ""
		if err == nil && !refused && (kind == "text/html" || kind == "application/xhtml+xml") {
			return true
		}
	}
	return false
}
