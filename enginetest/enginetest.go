// Package enginetest gives tests the real Elasticsearch and Redis, each test under an index prefix of its own.
//
// The engine's addresses come from ELASTICSEARCH_URL and REDIS_URL, as scripts/engine prints them. Without an engine a test
// is skipped and says how to start one; with AGENTLORE_TEST_ENGINE=required it fails, so that no run passes by having
// tested nothing. It imports none of our packages: what it looks at, it looks at past the code under test.
package enginetest

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// hint says how to get what is missing.
const hint = `start an engine with: scripts/engine start && eval "$(scripts/engine env)"`

// ElasticsearchURL returns the base URL of the engine's Elasticsearch, or skips the test.
func ElasticsearchURL(tb testing.TB) string { return address(tb, "ELASTICSEARCH_URL") }

// RedisURL returns the URL of the engine's Redis, or skips the test.
func RedisURL(tb testing.TB) string { return address(tb, "REDIS_URL") }

func address(tb testing.TB, variable string) string {
	tb.Helper()
	if given := os.Getenv(variable); given != "" {
		return given
	}
	Missing(tb, variable+" is not set: "+hint)
	return ""
}

// Missing ends a test that lacks something it can't work without: by a skip, or by a failure where
// AGENTLORE_TEST_ENGINE=required.
func Missing(tb testing.TB, what string) {
	tb.Helper()
	if os.Getenv("AGENTLORE_TEST_ENGINE") == "required" {
		tb.Fatal(what)
	}
	tb.Skip(what)
}

// Long skips a test that takes more than a few seconds, unless AGENTLORE_LONG=1 asks for those.
func Long(tb testing.TB) {
	tb.Helper()
	if os.Getenv("AGENTLORE_LONG") != "1" {
		tb.Skip("a slow test: AGENTLORE_LONG=1 runs it")
	}
}

// Faults skips a test that fills, stops or reconfigures the engine it runs on, unless AGENTLORE_FAULTS=1 says that the engine
// is there for that: make test-faults gives it one of its own.
func Faults(tb testing.TB) {
	tb.Helper()
	if os.Getenv("AGENTLORE_FAULTS") != "1" {
		tb.Skip("a test that breaks its engine: make test-faults runs it")
	}
}

// Data returns the path of a file of the shared test data, or skips the test. The folder is AGENTLORE_DATA, else
// ../shared/data beside the repository.
func Data(tb testing.TB, name string) string {
	tb.Helper()
	folder := os.Getenv("AGENTLORE_DATA")
	if folder == "" {
		folder = filepath.Join(Root(), "..", "shared", "data")
	}
	path := filepath.Join(folder, name)
	if _, err := os.Stat(path); err != nil {
		tb.Skip("no shared test data: set AGENTLORE_DATA to its folder")
	}
	return path
}

// Root returns the repository's root folder.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(file))
}

// prefixes counts the prefixes of this process.
var prefixes atomic.Int64

// Prefix returns an index prefix that nobody else uses. What lies under it, in Elasticsearch and in Redis, is removed at
// the end of the test.
func Prefix(tb testing.TB) string {
	tb.Helper()
	prefix := NewPrefix()
	tb.Cleanup(func() {
		if os.Getenv("ELASTICSEARCH_URL") == "" {
			return
		}
		if err := Remove(prefix); err != nil {
			tb.Error(err)
		}
	})
	return prefix
}

// NewPrefix is Prefix for a TestMain, which calls Remove itself: creating ten indices takes a second or more, so tests that
// can share a store do.
func NewPrefix() string {
	return fmt.Sprintf("t%d_%d_%d", time.Now().UnixMilli(), os.Getpid(), prefixes.Add(1))
}

// patience is how long a test waits for what must happen. Nothing measured depends on it.
const patience = 30 * time.Second

// Eventually polls until holds, and fails the test when that takes too long.
func Eventually(tb testing.TB, what string, holds func() bool) {
	tb.Helper()
	Within(tb, patience, what, holds)
}

// Within polls until holds, and fails the test when that takes longer than limit.
func Within(tb testing.TB, limit time.Duration, what string, holds func() bool) {
	tb.Helper()
	for deadline := time.Now().Add(limit); !holds(); {
		if time.Now().After(deadline) {
			tb.Fatalf("not within %s: %s", limit, what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
