package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentlore/enginetest"
)

// documented runs the commands that docs/operations/backup.md shows behind a mark, with another prefix.
func documented(t *testing.T, mark, prefix string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(enginetest.Root(), "docs", "operations", "backup.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "<!-- test: "+mark+" -->\n")
	if !found {
		t.Fatalf("docs/operations/backup.md has no commands for %s", mark)
	}
	var commands []string
	for line := range strings.Lines(rest) {
		if !strings.HasPrefix(line, "    ") {
			break
		}
		commands = append(commands, line)
	}
	script := strings.NewReplacer("agentlore-*", prefix+"-*", "_snapshot/agentlore", "_snapshot/"+prefix, `"location": "agentlore"`, `"location": "`+prefix+`"`).
		Replace(strings.Join(commands, ""))
	out, err := exec.Command("bash", "-euc", script).CombinedOutput()
	if err != nil || strings.Contains(string(out), `"failed":`) && !strings.Contains(string(out), `"failed":0`) {
		t.Fatalf("%s: %v\n%s\n%s", mark, err, script, out)
	}
}

// sums returns count and checksum of every index of a prefix, by alias: ids and texts of all documents, in their order.
func sums(t *testing.T, prefix string) map[string]string {
	t.Helper()
	enginetest.Elasticsearch(t, "POST", "/"+prefix+"-*/_refresh", "")
	status, answer := enginetest.Elasticsearch(t, "POST", "/"+prefix+"-*/_search?size=10000", "")
	var found struct {
		Hits struct {
			Hits []struct {
				Index  string          `json:"_index"`
				ID     string          `json:"_id"`
				Source json.RawMessage `json:"_source"`
			} `json:"hits"`
		} `json:"hits"`
	}
	if err := json.Unmarshal(answer, &found); err != nil || status != 200 {
		t.Fatalf("%d %v", status, err)
	}
	documents := map[string][]string{}
	for _, index := range enginetest.Indices(t, prefix) {
		documents[index] = nil
	}
	for _, hit := range found.Hits.Hits {
		documents[hit.Index] = append(documents[hit.Index], hit.ID+" "+string(hit.Source))
	}
	sums := map[string]string{}
	for index, each := range documents {
		slices.Sort(each)
		sums[index] = fmt.Sprintf("%d %x", len(each), sha256.Sum256([]byte(strings.Join(each, "\n"))))
	}
	return sums
}

// A snapshot taken while the service works, and a restore over what came after it, by the commands of the documentation: all
// indices come back with the same counts and checksums, and the service goes on with them.
func TestSnapshotAndRestore(t *testing.T) {
	enginetest.Faults(t)
	prefix := enginetest.Prefix(t)
	t.Cleanup(func() {
		enginetest.Elasticsearch(t, "DELETE", "/_snapshot/"+prefix+"/first", "")
		enginetest.Elasticsearch(t, "DELETE", "/_snapshot/"+prefix, "")
	})
	flags := append([]string{"serve", "--listen=127.0.0.1:0", "--redis-url="}, storeFlags(t, prefix)...)
	s := start(t, prefix, append(flags, limitsOff...)...)
	me := s.register(t, "kept")
	ids := make([]string, 200)
	inParallel(len(ids), 16, func(i int) {
		ids[i] = s.submit(t, me, map[string]any{"summary": fmt.Sprintf("kept %d", i), "category": "insight", "content": strings.Repeat("text ", i)}).ID
	})
	before := sums(t, prefix)
	documented(t, "snapshot", prefix)

	late := s.register(t, "came later")
	gone := s.submit(t, late, observation("after the snapshot"))
	flagsOf := append(storeFlags(t, prefix), me.name)
	if status, _, stderr := run(t, append([]string{"token", "revoke", "--why=a test"}, flagsOf...)...); status != 0 {
		t.Fatalf("revoke: %s", stderr)
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	if cmp.Equal(before, sums(t, prefix)) {
		t.Error("the checksums don't tell what was written after the snapshot")
	}
	documented(t, "restore", prefix)
	after := sums(t, prefix)
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("what was restored differs (-before +after):\n%s", diff)
	}
	for _, index := range slices.Sorted(maps.Keys(after)) {
		t.Log(index, after[index])
	}
	s = start(t, prefix, append(flags, limitsOff...)...)
	defer func() {
		if err := s.stop(); err != nil {
			t.Error(err)
		}
	}()
	s.get(t, "/submissions/"+ids[17]).want(t, 200)
	if got := s.get(t, "/submissions/"+gone.ID); got.status != 404 {
		t.Errorf("what came after the snapshot: status %d, want 404", got.status)
	}
	s.submit(t, me, observation("its token is valid again, as the documentation warns"))
	s.register(t, "came later")
}
