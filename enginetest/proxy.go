package enginetest

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
)

// Proxy stands between a client and Elasticsearch, for failures that Elasticsearch can't be asked for.
type Proxy struct {
	URL string // what the client gets in place of Elasticsearch's address

	mu sync.Mutex
	// before answers in place of Elasticsearch, when it returns a status above 0.
	before func(*http.Request) int
	// after replaces the answer of a request that Elasticsearch has carried out.
	after func(*http.Request) int
}

// NewProxy starts a proxy that passes everything on until Set says otherwise. It ends with the test.
func NewProxy(tb testing.TB) *Proxy {
	tb.Helper()
	target, err := url.Parse(ElasticsearchURL(tb))
	if err != nil {
		tb.Fatal(err)
	}
	p := &Proxy{}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ModifyResponse = func(response *http.Response) error {
		if status := p.ask(func() func(*http.Request) int { return p.after }, response.Request); status > 0 {
			response.Body.Close()
			response.Body, response.ContentLength, response.StatusCode = http.NoBody, 0, status
			response.Header.Del("Content-Length")
		}
		return nil
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status := p.ask(func() func(*http.Request) int { return p.before }, r); status > 0 {
			w.WriteHeader(status)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	tb.Cleanup(server.Close)
	p.URL = server.URL
	return p
}

func (p *Proxy) ask(which func() func(*http.Request) int, r *http.Request) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ask := which(); ask != nil {
		return ask(r)
	}
	return 0
}

// Set changes what goes wrong.
func (p *Proxy) Set(before, after func(*http.Request) int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.before, p.after = before, after
}

// Once returns a fault that strikes a single matching request with a status.
func Once(status int, matches func(*http.Request) bool) func(*http.Request) int {
	struck := false
	return func(r *http.Request) int {
		if struck || !matches(r) {
			return 0
		}
		struck = true
		return status
	}
}
