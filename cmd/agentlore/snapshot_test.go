package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentlore/enginetest"
)

// documented returns the arguments of the command that docs/operations/backup.md shows for the compose deployment, with another folder.
func documented(t *testing.T, command, prefix, folder string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(enginetest.Root(), "docs", "operations", "backup.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "    docker compose run --rm agentlore "+command+" ")
	if !found {
		t.Fatalf("docs/operations/backup.md has no command %s", command)
	}
	line, _, _ := strings.Cut(rest, "\n")
	args := strings.Fields(command + " " + strings.ReplaceAll(line, "file:///snapshots", "file://"+folder))
	return append(args, storeFlags(t, prefix)...)
}

// snapshotFolder returns a folder into which the engine at url may write.
func snapshotFolder(t *testing.T, url, name string) string {
	t.Helper()
	_, answer := enginetest.ElasticsearchAt(t, url, "GET", "/_nodes/settings?filter_path=nodes.*.settings.path.repo", "")
	if found := regexp.MustCompile(`"repo":\[?"([^"]+)"`).FindSubmatch(answer); found != nil {
		return filepath.Join(string(found[1]), name)
	}
	t.Fatalf("the engine has no path.repo: %s", answer)
	return ""
}

// sums returns count and checksum of what every alias of a prefix leads to: ids and texts of all documents, in their order. Leases
// change by the second, and which backup there is with each.
func sums(t *testing.T, prefix string) map[string]string {
	t.Helper()
	enginetest.Elasticsearch(t, "POST", "/"+prefix+"-*/_refresh", "")
	var aliases map[string]struct {
		Aliases map[string]any `json:"aliases"`
	}
	_, answer := enginetest.Elasticsearch(t, "GET", "/"+prefix+"-*/_alias", "")
	if err := json.Unmarshal(answer, &aliases); err != nil {
		t.Fatal(err)
	}
	sums := map[string]string{}
	for _, one := range aliases {
		for alias := range one.Aliases {
			status, answer := enginetest.Elasticsearch(t, "POST", "/"+alias+"/_search?size=10000", "")
			var found struct {
				Hits struct {
					Hits []struct {
						ID     string          `json:"_id"`
						Source json.RawMessage `json:"_source"`
					} `json:"hits"`
				} `json:"hits"`
			}
			if err := json.Unmarshal(answer, &found); err != nil || status != 200 {
				t.Fatalf("%d %v", status, err)
			}
			var documents []string
			for _, hit := range found.Hits.Hits {
				if !strings.HasPrefix(hit.ID, "lease:") && hit.ID != "backup" {
					documents = append(documents, hit.ID+" "+string(hit.Source))
				}
			}
			slices.Sort(documents)
			sums[alias] = fmt.Sprintf("%d %x", len(documents), sha256.Sum256([]byte(strings.Join(documents, "\n"))))
		}
	}
	return sums
}

// By the commands of the documentation: a backup while the service works, and what is written after it told by verify; a restore over it,
// which keeps what was there; one with --replace, which doesn't; and one into a cluster that has lost everything. Each time every
// collection comes back as it was, and the service goes on with it.
func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	folder := snapshotFolder(t, enginetest.ElasticsearchURL(t), prefix)
	command := func(want int, name string, flags ...string) string {
		t.Helper()
		status, stdout, stderr := run(t, append(documented(t, name, prefix, folder), flags...)...)
		if status != want {
			t.Fatalf("%s: status %d, want %d\n%s%s", name, status, want, stdout, stderr)
		}
		return stdout
	}
	serving := append(append([]string{"serve", "--listen=127.0.0.1:0", "--redis-url=" + enginetest.RedisURL(t)}, storeFlags(t, prefix)...), limitsOff...)
	s := start(t, prefix, serving...)
	me := s.register(t, "kept")
	ids := make([]string, 200)
	inParallel(len(ids), 16, func(i int) {
		ids[i] = s.submit(t, me, map[string]any{"summary": fmt.Sprintf("kept %d", i), "category": "insight", "content": strings.Repeat("text ", i)}).ID
	})
	before := sums(t, prefix)
	command(0, "backup")
	if stdout := command(0, "verify"); strings.Contains(stdout, "differs") || strings.Count(stdout, "equal") != len(before) {
		t.Errorf("verify after the backup:\n%s", stdout)
	}
	if stdout := command(0, "backup", "--keep=1"); strings.Count(stdout, "deleted ") != 1 {
		t.Errorf("the older backup isn't deleted:\n%s", stdout)
	}
	gone := s.submit(t, s.register(t, "came later"), observation("after the backup"))
	if status, _, stderr := run(t, append([]string{"token", "revoke", "--why=a test", me.name}, storeFlags(t, prefix)...)...); status != 0 {
		t.Fatalf("revoke: %s", stderr)
	}
	if stdout := command(1, "verify"); !strings.Contains(stdout, "differs  "+prefix+"-submissions ") || !strings.Contains(stdout, "equal    "+prefix+"-assets ") {
		t.Errorf("verify after more was written:\n%s", stdout)
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	later := sums(t, prefix)

	stdout := command(0, "restore")
	if diff := cmp.Diff(before, sums(t, prefix)); diff != "" {
		t.Errorf("what was restored differs (-before +after):\n%s", diff)
	}
	if strings.Count(stdout, "kept, and read by nobody") != len(before) {
		t.Errorf("restore doesn't tell what it kept:\n%s", stdout)
	}
	if text := enginetest.Source(t, prefix+"-submissions-000001", gone.ID); !strings.Contains(text, "after the backup") {
		t.Errorf("what came after the backup isn't kept: %s", text)
	}
	indices := len(enginetest.Indices(t, prefix))
	command(0, "restore", "--replace")
	if now := len(enginetest.Indices(t, prefix)); now != indices {
		t.Errorf("%d indices after a restore with --replace, want %d", now, indices)
	}
	command(0, "verify")

	if err := enginetest.Remove(prefix); err != nil {
		t.Fatal(err)
	}
	stdout = command(0, "restore")
	if noted := enginetest.Source(t, prefix+"-state", "backup"); !strings.Contains(noted, regexp.MustCompile(`restored (\S+):`).FindStringSubmatch(stdout)[1]) {
		t.Errorf("%sit is noted as %s", stdout, noted)
	}
	command(0, "verify")
	after := sums(t, prefix)
	if diff := cmp.Diff(before, after); diff != "" || cmp.Equal(before, later) {
		t.Errorf("what was restored into an empty cluster differs (-before +after):\n%s", diff)
	}
	for _, alias := range slices.Sorted(maps.Keys(after)) {
		t.Log(alias, after[alias])
	}
	s = serveWith(t, prefix, serving...)
	s.get(t, "/submissions/"+ids[17]).want(t, 200)
	s.get(t, "/submissions/"+gone.ID).want(t, 404)
	s.submit(t, me, observation("its token is valid again, as the documentation warns"))
	s.register(t, "came later")
	if _, left := enginetest.Elasticsearch(t, "GET", "/_snapshot", ""); strings.Contains(string(left), prefix) {
		t.Errorf("a place stays registered: %s", left)
	}
}
