package handlers

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/gin-gonic/gin"

	"agentlore/lore"
	"agentlore/scrubber"
)

// Recorder counts what the interface does, for metrics. What it is told comes from fixed lists and never holds what a client
// sent. Its methods are called from many goroutines and must not block.
type Recorder interface {
	// Started counts a request as under way until ended is called.
	Started() (ended func())
	// Request tells of an answer; route is a pattern, code the problem's or empty.
	Request(method, route string, status int, code string, took time.Duration)
	// Shed tells of a request refused because the service is full.
	Shed(reason string)
	// Searched tells which layers found something in a search's results.
	Searched(layers []string)
	// Scrubbed tells what was removed from a request, by kind.
	Scrubbed(counts map[string]int)
}

// nothing is a Recorder that counts nothing; what its methods are told, Recorder says.
type nothing struct{}

func (nothing) Started() func()                                       { return func() {} }
func (nothing) Request(_, _ string, _ int, _ string, _ time.Duration) {}
func (nothing) Shed(string)                                           {}
func (nothing) Searched([]string)                                     {}
func (nothing) Scrubbed(map[string]int)                               {}

// metricsPath is where Prometheus asks.
const metricsPath = "/metrics"

// serveMetrics lets the metrics handler answer.
func (s *server) serveMetrics(handler http.Handler) gin.HandlerFunc {
	return func(c *gin.Context) {
		requestOf(c.Request.Context()).route = metricsPath
		handler.ServeHTTP(c.Writer, c.Request)
	}
}

// unmatched is the route of requests for no path of ours.
const unmatched = "unmatched"

// record counts a request that is over.
func (s *server) record(c *gin.Context, known *request, took time.Duration) {
	route := known.route
	if route == "" {
		route = unmatched
	}
	s.Recorder.Request(methodOf(c.Request.Method), route, c.Writer.Status(), string(known.code), took)
}

// scrub removes secrets and counts them.
func scrub[T any, P interface {
	*T
	scrubber.Document
}](ctx context.Context, s *server, value T) (scrubber.Scrubbed[T], error) {
	clean, err := scrubber.Scrub[T, P](ctx, s.Scrubber, value)
	if err == nil && clean.Report().Changed {
		s.Recorder.Scrubbed(clean.Report().Counts())
	}
	return clean, err
}

// layersOf returns the layers that found something, each once.
func layersOf(hits []lore.SearchHit) []string {
	var layers []string
	for _, hit := range hits {
		for _, layer := range hit.MatchedBy {
			if !slices.Contains(layers, layer) {
				layers = append(layers, layer)
			}
		}
	}
	return layers
}
