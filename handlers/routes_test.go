package handlers

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
)

// newRouter returns the whole interface without anything behind it: enough to see what is served.
func newRouter(t *testing.T) *gin.Engine {
	t.Helper()
	return newRouterOn(t, Dependencies{Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
}

// newRouterOn returns the whole interface, without limits, on what is behind it.
func newRouterOn(t *testing.T, behind Dependencies) *gin.Engine {
	t.Helper()
	behind.Recorder = nothing{}
	limits := Limits{Register: LimitOff, Write: LimitOff, Read: LimitOff, Export: LimitOff}
	handler, err := New(Config{Limits: limits, Capacity: Capacity{Reads: 8, Writes: 8, Wait: time.Minute}}, behind)
	if err != nil {
		t.Fatal(err)
	}
	return handler.(*gin.Engine)
}

// Nothing is served that the interface doesn't describe, and nothing is described that isn't served.
func TestRoutesAreTheDescribedOnes(t *testing.T) {
	router := newRouter(t)
	var served, described []string
	for _, route := range router.Routes() {
		parts := strings.Split(route.Path, "/")
		for i, part := range parts {
			if name, isParameter := strings.CutPrefix(part, ":"); isParameter {
				parts[i] = "{" + name + "}"
			}
		}
		served = append(served, route.Method+" "+strings.Join(parts, "/"))
	}
	for path, item := range describedBy(t, router) {
		for method := range item {
			described = append(described, strings.ToUpper(method)+" "+path)
		}
	}
	for _, route := range served {
		_, path, _ := strings.Cut(route, " ")
		if path == "/portal" || strings.HasPrefix(path, "/web/") || strings.HasPrefix(path, "/static/") {
			continue // pages for people: HTML, made of what is described
		}
		if !slices.Contains(described, route) {
			t.Errorf("%s is served and not described: give it an entry in the table of operations or of documents (documents.go)", route)
		}
	}
	for _, route := range described {
		if !slices.Contains(served, route) {
			t.Errorf("%s is described and not served", route)
		}
	}
}

// describedBy returns the paths of the OpenAPI document with their methods.
func describedBy(t *testing.T, router http.Handler) map[string]map[string]any {
	t.Helper()
	answer := httptest.NewRecorder()
	router.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/openapi.json", nil))
	var document struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	return document.Paths
}

// nothing is a Recorder that counts nothing.
type nothing struct{ Recorder }

func (nothing) Queue(string, func() (int, int), func() (int, int)) {}

func (nothing) Started() func()                                       { return func() {} }
func (nothing) Request(_, _ string, _ int, _ string, _ time.Duration) {}
func (nothing) Shed(string)                                           {}
func (nothing) Searched([]string)                                     {}
