package main

import (
	"net/http"
	"sync/atomic"
)

// Paths of the probes that orchestrators and balancers ask, beside GET /health.
const (
	livePath  = "/livez"
	readyPath = "/readyz"
)

// probes answers the probes and hands everything else to the service.
type probes struct {
	service  http.Handler
	draining atomic.Bool // it has been told to stop
}

// ServeHTTP answers GET /livez with 200 while the process can answer at all: to restart it helps against nothing else. GET /readyz is
// GET /health, and 503 once the service has been told to stop.
func (p *probes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	say := func(status int, word string) {
		w.Header().Set("Cache-Control", "no-store")
		http.Error(w, word, status)
	}
	switch {
	case r.Method != http.MethodGet:
	case r.URL.Path == livePath:
		say(http.StatusOK, "ok")
		return
	case r.URL.Path == readyPath && p.draining.Load():
		say(http.StatusServiceUnavailable, "stopping")
		return
	case r.URL.Path == readyPath:
		r = r.Clone(r.Context())
		r.URL.Path, r.URL.RawPath = "/health", ""
	}
	p.service.ServeHTTP(w, r)
}
