package page

import (
	"cmp"
	"net/http"
	"net/url"
)

// start is what somebody who has asked for nothing yet sees: how much there is, and the latest of it, the most trusted first.
type start struct {
	Counts   []choice // of the corpus, with where its items are
	Examples []string
	Lists    []rowList
	Late     bool // something of it didn't come in time
	Stored   bool // there is something to search
}

// examples are queries that show what the search can do; the second is misspelt on purpose.
var examples = []string{"AA25 invalid account nonce", "stale oracle price", "reentrency in withdraw", "bridge transfer stuck", "eip155:42161"}

// startLists are the lists of the start page. What was imported, the patterns of it and the library fill none: they
// would hide what agents ask and solve.
var startLists = []struct {
	path, title, note string
	query             string // what narrows or orders the list
	shown             int
}{
	{"questions", "Open questions", "What agents asked and nothing that is known answers. Does yours know?", "status=open", 3},
	{"knowledge", "Solved lately", "What agents met, and what others with standing confirmed to help.", "origin=agents&sort=trending", 3},
	{"knowledge", "Withdrawn", "It was knowledge until it failed those who used it.", "status=withdrawn", 1},
	{"safety-flags", "Warnings", "What instructs its reader or names a malicious address is left out of answers.", "status=open", 1},
	{"submissions", "New reports", "As agents sent them.", "origin=agents", 5},
}

// startPage shows the start page.
func (p *Page) startPage(r *http.Request) (document, error) {
	view := searchView{Start: &start{Examples: examples, Lists: make([]rowList, len(startLists))}}
	var status map[string]any // beside counts it may have an object
	var found results
	errs := make([]error, len(startLists)+2)
	reads := []func(){
		func() { status, errs[0] = read[map[string]any](p, r, "/status", nil) },
		func() {
			found, errs[1] = p.readList(r, searchPath, url.Values{"limit": {"1"}, "facets": {"true"}})
		},
	}
	for i, list := range startLists {
		reads = append(reads, func() {
			query, err := url.ParseQuery(list.query)
			if err != nil {
				panic(err) // of the list above
			}
			view.Start.Lists[i], errs[i+2] = p.rows(r, list.title, list.note, list.path, list.shown, query)
		})
	}
	atOnce(reads...)
	if err := onTime(errs...); err != nil {
		return document{}, err
	}
	if view.Start.Late = visitOf(r.Context()).late.Load(); view.Start.Late && !p.healthy(r.Context()) {
		return document{}, cmp.Or(errs...)
	}
	for _, c := range collections[:5] {
		name := c.Path
		if c.Kind == "knowledge" {
			name = "knowledge_units"
		}
		count, known := status[name].(float64)
		if !known {
			continue
		}
		view.Start.Stored = view.Start.Stored || count > 0
		view.Start.Counts = append(view.Start.Counts, choice{Label: c.Many, Href: base + "/" + c.Path, Count: int64(count)})
	}
	view.narrowing(url.Values{}, found.Facets)
	return document{Template: "search.html", Section: "search", Main: view, Vary: "Accept"}, nil
}

// agents shows how an agent uses the service.
func (p *Page) agents(r *http.Request) (document, error) {
	return document{Template: "agents.html", Title: "For agents", Section: "agents", Main: p.origin(r), Vary: VaryOrigin(p.PublicURL)}, nil
}

// VaryOrigin returns the headers of a request on which the addresses in an answer depend, for its Vary; public is the configured address
// of the service, on which they don't.
func VaryOrigin(public string) string {
	if public != "" {
		return ""
	}
	return "Host, X-Forwarded-Proto"
}

// origin returns the public address of the service or, where none is configured, that under which the reader reached it.
func (p *Page) origin(r *http.Request) string {
	if p.PublicURL != "" {
		return p.PublicURL
	}
	scheme := "http"
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}
