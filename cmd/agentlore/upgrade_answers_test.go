package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"

	"agentlore/enginetest"
)

var documentedQuestion = regexp.MustCompile("(?m)^\\|([^|]+)\\| ([a-z-]+) \\| `([^`]+)` \\|")

// The demo in a store of the version whose binary AGENTLORE_PREVIOUS names, migrated and curated by this one, gives the answers that it
// gives in a new store to each question of docs/analysts.md.
func TestMigratedStoreAnswersAsANewOne(t *testing.T) {
	previous := os.Getenv("AGENTLORE_PREVIOUS")
	if previous == "" {
		t.Skip("AGENTLORE_PREVIOUS names the binary of the version before")
	}
	page, err := os.ReadFile(filepath.Join(enginetest.Root(), "docs", "analysts.md"))
	if err != nil {
		t.Fatal(err)
	}
	answers := func(prefix string) (found []string) {
		t.Helper()
		enginetest.Elasticsearch(t, "POST", "/"+prefix+"-*/_refresh", "")
		for _, row := range documentedQuestion.FindAllStringSubmatch(string(page), -1) {
			query, err := json.Marshal(map[string]any{"query": map[string]any{"kql": map[string]any{"query": row[3]}}})
			if err != nil {
				t.Fatal(err)
			}
			var answer struct{ Count int }
			if status, text := enginetest.Elasticsearch(t, "POST", "/"+prefix+"-"+row[2]+"/_count", string(query)); status != 200 || json.Unmarshal(text, &answer) != nil {
				t.Fatalf("%s: %d %.300s", row[3], status, text)
			}
			found = append(found, fmt.Sprintf("%d %s", answer.Count, row[1]))
		}
		return found
	}
	filled := func(s *service) string {
		t.Helper()
		if err := s.process.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		_ = s.process.Wait()
		if status, _, stderr := run(t, append([]string{"migrate"}, storeFlags(t, s.prefix)...)...); status != 0 {
			t.Fatal(stderr)
		}
		if status, _, stderr := run(t, append([]string{"curate", "--once"}, storeFlags(t, s.prefix)...)...); status != 0 {
			t.Fatal(stderr)
		}
		return s.prefix
	}
	older := answers(filled(serveBinary(t, previous, enginetest.Prefix(t), "--demo", "--no-curate")))
	fresh := answers(filled(serveBinary(t, os.Args[0], enginetest.Prefix(t), "--demo", "--no-curate")))
	if len(fresh) != 25 {
		t.Fatalf("%d questions", len(fresh))
	}
	for i := range fresh {
		if older[i] != fresh[i] {
			t.Errorf("a migrated store says %s, a new one %s", older[i], fresh[i])
		}
	}
}
