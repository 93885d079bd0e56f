package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestRun runs everything but `make run` once, small, on a real engine.
func TestRun(t *testing.T) {
	if os.Getenv("ELASTICSEARCH_URL") == "" {
		t.Skip(`start an engine with: scripts/engine start && eval "$(scripts/engine env)"`)
	}
	t.Chdir("../..")
	folder := t.TempDir()
	chosen := options{
		Sections: []string{"import", "search", "submit", "start"}, Docs: 1000, Base: 500, Duration: time.Second, Rate: 10, Seed: 1,
		Prefix: "bench_test", Work: folder, Data: folder, Figures: filepath.Join(folder, "figures.md"),
		ElasticsearchURL: os.Getenv("ELASTICSEARCH_URL"), ElasticsearchUsername: os.Getenv("ELASTICSEARCH_USERNAME"),
		ElasticsearchPassword: os.Getenv("ELASTICSEARCH_PASSWORD"), RedisURL: os.Getenv("REDIS_URL"),
	}
	if err := run(t.Context(), chosen); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(chosen.Figures)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<!-- bench import -->", "<!-- /bench search -->", "clean: from 500 to 1,000", "64 at once: p99", "first search answered"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the figures lack %q", want)
		}
	}
	chosen.Sections = []string{"clean"}
	if err := run(t.Context(), chosen); err != nil {
		t.Fatal(err)
	}
	left, err := newEngine(chosen.ElasticsearchURL, chosen.ElasticsearchUsername, chosen.ElasticsearchPassword).count(t.Context(), "bench_test_*")
	if err != nil || left > 0 {
		t.Errorf("after clean %d documents are left, %v", left, err)
	}
}
