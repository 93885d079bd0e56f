package main

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"slices"
	"strings"
	"sync"
	"time"

	"agentlore/lore"
)

// recorded is one request that the service sent to Elasticsearch.
type recorded struct {
	method string
	path   string // with its query
	header http.Header
	body   []byte
}

// recorder stands between a service and Elasticsearch and keeps the searches that pass.
type recorder struct {
	server *http.Server
	url    string
	prefix string
	mu     sync.Mutex
	taken  []recorded
}

// record starts a recorder on a free port in front of Elasticsearch, for the service with an index prefix.
func (e *engine) record(prefix string) (*recorder, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	target := *e.url
	target.User = nil // the service signs its own requests
	transport := newTransport()
	transport.DisableCompression = true // what was asked for passes as it is
	proxy := &httputil.ReverseProxy{
		Rewrite:   func(request *httputil.ProxyRequest) { request.SetURL(&target) },
		Transport: transport,
	}
	r := &recorder{url: "http://" + listener.Addr().String(), prefix: prefix}
	r.server = &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		request.Body = io.NopCloser(bytes.NewReader(body))
		if r.isSearch(request.URL.Path) {
			r.mu.Lock()
			r.taken = append(r.taken, recorded{request.Method, request.URL.RequestURI(), request.Header.Clone(), body})
			r.mu.Unlock()
		}
		proxy.ServeHTTP(w, request)
	})}
	go r.server.Serve(listener)
	return r, nil
}

// isSearch tells a search from what the service does beside searches, such as sweeping its records: its path names a
// searchable collection, or no collection at all, as those of _msearch and of _mget, which reads what a page shows, may.
func (r *recorder) isSearch(path string) bool {
	indices, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if strings.HasPrefix(indices, "_") {
		return strings.Contains(indices, "search") || indices == "_mget"
	}
	return slices.ContainsFunc(lore.SearchTypes(), func(searchable lore.SearchType) bool {
		return strings.Contains(indices, r.prefix+"-"+string(searchable.Collection))
	})
}

// take returns what was recorded since the last time.
func (r *recorder) take() []recorded {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := r.taken
	r.taken = nil
	return taken
}

func (r *recorder) close() { r.server.Close() }
