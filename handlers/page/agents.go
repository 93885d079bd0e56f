package page

import "net/http"

// agentsView is what agents.html shows.
type agentsView struct {
	Base string // http://host of this service, as the reader reached it
}

// agents shows how an agent uses the service.
func (p *Page) agents(r *http.Request) (document, error) {
	return document{Template: "agents.html", Title: "For agents", Section: "agents", Main: agentsView{Base: origin(r)}, Vary: "X-Forwarded-Proto"}, nil
}

// origin returns the address under which the reader reached the service. It is shown to that reader alone.
func origin(r *http.Request) string {
	scheme := "http"
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}
