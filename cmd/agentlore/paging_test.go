package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"agentlore/enginetest"
)

// writeLines writes one JSON line a value and returns the file's path.
func writeLines[T any](t *testing.T, values []T) string {
	t.Helper()
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	for _, value := range values {
		if err := encoder.Encode(value); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "lines.jsonl")
	if err := os.WriteFile(path, lines.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// walk reads a list to its end by cursor and returns how often it met each id.
func walk(t *testing.T, s *service, path string) map[string]int {
	t.Helper()
	met := map[string]int{}
	cursor := ""
	for range 200 {
		got := decode[page](t, s.get(t, path+"&cursor="+url.QueryEscape(cursor)).want(t, 200))
		for _, id := range got.ids() {
			met[id]++
		}
		if cursor = got.NextCursor; cursor == "" {
			return met
		}
	}
	t.Fatalf("%s doesn't end", path)
	return nil
}

// Pages by cursor neither repeat nor skip, in both orders, while documents arrive and where many share a time.
func TestCursorsNeitherRepeatNorSkip(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	const stored = 2500
	lines := make([]map[string]any, stored)
	for i := range lines {
		lines[i] = map[string]any{
			"source": "archive", "summary": fmt.Sprintf("archived report %d", i), "category": "general", "ref": fmt.Sprint("r", i),
			// Blocks of 500 share a millisecond: only the id tells them apart.
			"created_at": time.Date(2025, 1, 1+i/500, 0, 0, 0, 0, time.UTC),
		}
	}
	args := append([]string{"import", "--collection=submissions"}, storeFlags(t, s.prefix)...)
	if status, stdout, stderr := run(t, append(args, writeLines(t, lines))...); status != 0 {
		t.Fatalf("import: %s %s", stdout, stderr)
	}
	enginetest.Eventually(t, "all are counted", func() bool {
		return decode[map[string]int](t, s.get(t, "/status"))["submissions"] == stored
	})
	archive := map[string]bool{}
	for id := range walk(t, s, "/submissions?limit=100") {
		archive[id] = true
	}
	if len(archive) != stored {
		t.Fatalf("a quiet walk met %d of %d", len(archive), stored)
	}

	me := s.register(t, "keeps-writing")
	var arriving sync.WaitGroup
	quit := make(chan struct{})
	arriving.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-quit:
				return
			default:
				s.submit(t, me, observation(fmt.Sprintf("arrives meanwhile %d", i)))
			}
		}
	})
	for _, path := range []string{
		"/submissions?limit=100&sort=newest", "/submissions?limit=97&sort=oldest", "/search/all?limit=100&sort=newest",
		"/search/all?limit=100&q=archived&sort=newest", "/submissions?limit=100&category=general",
	} {
		met := walk(t, s, path)
		missed, repeated := 0, 0
		for id := range archive {
			if met[id] == 0 {
				missed++
			}
		}
		for _, times := range met {
			if times > 1 {
				repeated++
			}
		}
		if missed+repeated > 0 {
			t.Errorf("%s: %d missed, %d repeated", path, missed, repeated)
		}
	}
	close(quit)
	arriving.Wait()

	t.Run("offsets", func(t *testing.T) {
		for path, want := range map[string]int{
			"/submissions?offset=9900&limit=100": 200, "/submissions?offset=9999&limit=1": 200, "/submissions?offset=10000&limit=1": 422,
			"/search/all?q=archived&offset=990&limit=10": 200, "/search/all?q=archived&offset=991&limit=10": 422,
			"/search/all?q=archived&sort=newest&offset=9990&limit=10": 200,
		} {
			if got := s.get(t, path); got.status != want {
				t.Errorf("%s: status %d, want %d: %.300s", path, got.status, want, got.body)
			}
		}
		edge := decode[page](t, s.get(t, "/search/all?q=archived&offset=900&limit=100").want(t, 200))
		if len(edge.Results) != 100 || edge.NextCursor != "" {
			t.Errorf("relevance at its edge: %d results and cursor %q", len(edge.Results), edge.NextCursor)
		}
		if edge.TotalRelation != "gte" || edge.Total < 1000 {
			t.Errorf("total is %s %d, want at least 1,000 (gte)", edge.TotalRelation, edge.Total)
		}
	})

	t.Run("cursors belong to their query", func(t *testing.T) {
		first := decode[page](t, s.get(t, "/submissions?limit=10&category=general").want(t, 200))
		cursor := url.QueryEscape(first.NextCursor)
		s.get(t, "/submissions?limit=33&category=general&cursor="+cursor).want(t, 200) // the page's size may change
		for _, path := range []string{
			"/submissions?limit=10&cursor=", "/submissions?limit=10&category=failure&cursor=", "/submissions?limit=10&category=general&sort=oldest&cursor=",
			"/assets?limit=10&cursor=", "/search/all?category=general&cursor=", "/search/all?sort=newest&cursor=",
		} {
			wantProblem(t, s.get(t, path+cursor), 400, "invalid_cursor")
		}
		raw, err := base64.RawURLEncoding.DecodeString(first.NextCursor)
		if err != nil {
			t.Fatalf("a cursor that can't stand in an address: %v", err)
		}
		var parts map[string]any
		if err := json.Unmarshal(raw, &parts); err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]any{"v": []any{1e300}, "i": "x", "b": ""} {
			forged := map[string]any{}
			for n, v := range parts {
				forged[n] = v
			}
			forged[name] = value
			text, err := json.Marshal(forged)
			if err != nil {
				t.Fatal(err)
			}
			wantProblem(t, s.get(t, "/submissions?category=general&cursor="+base64.RawURLEncoding.EncodeToString(text)), 400, "invalid_cursor")
		}
		parts["v"] = []any{-9_000_000_000_000}
		text, _ := json.Marshal(parts)
		if got := s.get(t, "/submissions?category=general&cursor="+base64.RawURLEncoding.EncodeToString(text)); got.status >= 500 {
			t.Errorf("a forged time: %d %s", got.status, got.body)
		}
		wantProblem(t, s.get(t, "/submissions?cursor="+strings.Repeat("A", 513)), 422, "invalid_field", "cursor")
	})
}
