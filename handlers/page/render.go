package page

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzhttp"

	"agentlore/lore"
)

//go:embed templates
var templateFiles embed.FS

// document is one page before it is HTML.
type document struct {
	// Template names the file that makes it.
	Template string
	// Title is what the browser's window says besides our name.
	Title string
	// Section is the entry of the navigation that it belongs to.
	Section string
	// Status is the HTTP status; 200 when zero.
	Status int
	// Late says that a part of it didn't come in time.
	Late bool
	// Secret pages are kept by nobody: they show a token, or what somebody typed.
	Secret bool
	// Vary names what else the answer depends on.
	Vary string
	// Main is what the template shows.
	Main any

	Version string
}

// policy is the Content-Security-Policy of every page: own files only, no inline script or style, no frames. A script
// that got in by an error of ours wouldn't run.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types agentlore"

// readTemplates reads the templates by name. Version is that of the page's own files, to which they link.
func readTemplates(version string) (map[string]*template.Template, error) {
	functions := functions()
	functions["static"] = func(name string) string { return staticPath + name + "?v=" + version }
	common, err := template.New("base.html").Funcs(functions).ParseFS(templateFiles, "templates/base.html", "templates/parts.html")
	if err != nil {
		return nil, err
	}
	files, err := templateFiles.ReadDir("templates")
	templates := map[string]*template.Template{}
	for _, file := range files {
		own := template.Must(common.Clone()) // it has not been executed
		if templates[file.Name()], err = own.ParseFS(templateFiles, "templates/"+file.Name()); err != nil {
			return nil, err
		}
	}
	return templates, err
}

// show turns a function that makes a document into a handler, and its errors into pages that say what to do next.
func (p *Page) show(view func(*http.Request) (document, error)) http.HandlerFunc {
	return p.compress(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Request-ID") == "" {
			r.Header.Set("X-Request-ID", w.Header().Get("X-Request-ID"))
		}
		r, mine, cancel := p.begin(r)
		defer cancel()
		shown, err := func() (document, error) {
			defer mine.end()
			return view(r)
		}()
		if err != nil {
			shown = p.problemPage(w, r, err)
		}
		if mine.late.Load() {
			shown.Late, shown.Secret = true, true // it is whole the next time
		}
		p.write(w, r, shown)
	}))
}

// problemPage returns the page of an error. What isn't a problem is logged: its text may quote a document.
func (p *Page) problemPage(w http.ResponseWriter, r *http.Request, err error) document {
	known, is := errors.AsType[*problem](err)
	if !is {
		known = &problem{
			Status: http.StatusInternalServerError, Code: lore.CodeInternal, Retryable: true,
			Detail: "something went wrong on our side; try again, and name the request's id if it stays", RequestID: r.Header.Get("X-Request-ID"),
		}
		p.Log.Error("page failed", "request_id", known.RequestID, "cause", err)
	}
	if known.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(known.RetryAfter))
	}
	if known.Title = http.StatusText(known.Status); known.Status == http.StatusServiceUnavailable {
		known.Detail = "it is starting, or has more to do than it can" // the interface's words are for programs
		if r.Method == http.MethodGet && p.healthy(r.Context()) {
			known.Title, known.Status = "Late", http.StatusOK
			known.Detail = "the service has much to do at the moment, and what this page shows did not come in time"
		}
	}
	view := problemView{problem: known}
	if known.Retryable && r.Method == http.MethodGet && !strings.HasPrefix(r.URL.Path, "//") {
		view.Again = r.URL.RequestURI()
	}
	return document{Template: "problem.html", Title: known.Title, Status: known.Status, Secret: true, Main: view}
}

// problemView is what problem.html shows.
type problemView struct {
	*problem
	Again string // the page that was asked for, where asking again may help
}

// sentence makes a problem's detail a sentence.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// write makes the HTML and sends it. Nothing is sent before all of it is made, so that no page ends in the middle.
func (p *Page) write(w http.ResponseWriter, r *http.Request, shown document) {
	shown.Version = p.Version
	var html bytes.Buffer
	if err := p.templates[shown.Template].ExecuteTemplate(&html, "base.html", shown); err != nil {
		p.Log.Error("page failed", "request_id", w.Header().Get("X-Request-ID"), "cause", fmt.Errorf("template %s: %w", shown.Template, err))
		http.Error(w, "something went wrong on our side", http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", policy)
	header.Set("Referrer-Policy", "same-origin") // no-referrer would make the portal's form come from origin "null"
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()")
	header.Del("Access-Control-Allow-Origin") // pages are for people, who read them here
	header.Del("Access-Control-Expose-Headers")
	if shown.Vary != "" {
		header.Add("Vary", shown.Vary)
	}
	if shown.Secret {
		header.Set("Cache-Control", "no-store")
		header.Set(gzhttp.HeaderNoCompression, "1") // a compressed length tells of what stands beside a reader's own words
	}
	if shown.Secret || shown.Status > http.StatusOK {
		w.WriteHeader(max(shown.Status, http.StatusOK))
		_, _ = w.Write(html.Bytes()) // a caller that went away needs no answer
		return
	}
	SendTagged(w, r, TagOf(html.Bytes()), html.Bytes())
}
