package handlers

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"agentlore/lore"
)

// finder finds so many results for anything.
type finder int

func (f finder) Search(context.Context, lore.SearchQuery) (lore.SearchResult, error) {
	return lore.SearchResult{Page: lore.Page[lore.SearchHit]{Results: make([]lore.SearchHit, f)}}, nil
}

// told is a writer that hands on what is written.
type told chan string

func (w told) Write(p []byte) (int, error) { w <- string(p); return len(p), nil }

// An answer of any length is there in full while its line still waits for whoever takes the log.
func TestNobodyWaitsForTheLog(t *testing.T) {
	const results = 100
	lines := make(told)
	server := httptest.NewServer(newRouterOn(t, Dependencies{
		Log: slog.New(slog.NewTextHandler(lines, nil)), Searcher: finder(results), Now: time.Now,
	}))
	defer server.Close()
	defer func() {
		go func() {
			for range lines { // what a failure left waiting
			}
		}()
	}()
	for path, wanted := range map[string]int{"/health": 0, "/search/all?q=oracle&limit=100": results, "/search/all?q=oracle&limit=0": 0} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := server.Client().Do(request)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		var body struct{ Results []any }
		if err := json.NewDecoder(answer.Body).Decode(&body); err != nil || len(body.Results) != wanted || answer.ContentLength <= 0 {
			t.Errorf("%s: %d of %d results in %d bytes, %v", path, len(body.Results), wanted, answer.ContentLength, err)
		}
		answer.Body.Close()
		cancel()
		if line := <-lines; !strings.Contains(line, "msg=request") {
			t.Errorf("the log has %q", line)
		}
	}
}
