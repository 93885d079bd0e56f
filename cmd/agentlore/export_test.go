package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
)

// What leaves by HTTP or by command line is the same, and it comes back into an empty store as it was: all seven collections, by checksum.
func TestExportComesBackAsItWas(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	args := append([]string{"import", "--collection=submissions"}, storeFlags(t, s.prefix)...)
	if status, stdout, stderr := run(t, append(args, manyLines(t, 700))...); status != 0 {
		t.Fatalf("import: %s %s", stdout, stderr)
	}
	me := s.register(t, "Exporting Agent")
	s.submit(t, me, map[string]any{"summary": "<b>\u2028 & 合约 🚀", "category": "market", "content": "mail me at a.b@example.org", "tags": []string{"a&b"}})
	for collection, item := range oneOfEach() {
		s.put(t, collection, item)
	}
	leak := lore.SafetyFlag{
		ID: lore.NewID(), Target: lore.Target{Collection: lore.Submissions, ID: lore.NewID()}, Reason: lore.FlagLeak, Severity: lore.SeverityHigh,
		RaisedBy: lore.RaisedByAgentlore, Status: lore.FlagOpen, CreatedAt: time.Now().UTC().Truncate(time.Millisecond),
	}
	s.put(t, lore.SafetyFlags, leak)
	enginetest.Eventually(t, "everything is there", func() bool {
		return strings.Count(s.exported(t, lore.Submissions, ""), "\n") == 701 && strings.Count(s.exported(t, lore.Sources, ""), "\n") == 6
	})

	folder, empty := t.TempDir(), enginetest.Prefix(t)
	for _, collection := range lore.Collections() { // sources come first
		whole := s.exported(t, collection, "")
		if whole == "" || strings.Contains(whole, "owner_key") || strings.Contains(whole, leak.ID) || strings.Contains(whole, "example.org") {
			t.Errorf("the export of %s is empty or holds what nobody may read: %.300s", collection, whole)
		}
		packed := s.get(t, "/export?collection="+string(collection), "Accept-Encoding", "gzip").want(t, 200)
		if packed.header.Get("Content-Encoding") != "gzip" || unpacked(t, packed.body) != whole {
			t.Errorf("%s: the packed export is another", collection)
		}
		for _, name := range []string{".jsonl", ".jsonl.gz"} {
			if got := exportTo(t, s.prefix, collection, filepath.Join(folder, string(collection)+name)); got != whole {
				t.Errorf("%s%s: the command writes %d bytes, HTTP %d", collection, name, len(got), len(whole))
			}
		}
		said := restore(t, empty, collection, filepath.Join(folder, string(collection)+".jsonl.gz"))
		if !strings.Contains(said, fmt.Sprintf(": %d stored, 0 known already", strings.Count(whole, "\n"))) {
			t.Errorf("%s: the import says %s", collection, said)
		}
		enginetest.Elasticsearch(t, "POST", "/"+empty+"-*/_refresh", "")
		if back := exportTo(t, empty, collection, filepath.Join(folder, string(collection)+"-back.jsonl")); checksum(back) != checksum(whole) {
			t.Errorf("%s came back as another:\n%.600s\n%.600s", collection, whole, back)
		}
		if again := restore(t, empty, collection, filepath.Join(folder, string(collection)+".jsonl")); !strings.Contains(again, ": 0 stored") {
			t.Errorf("%s: imported twice, it says %s", collection, again)
		}
	}
	item := decode[map[string]any](t, s.get(t, "/submissions?limit=1&sort=oldest"))["results"].([]any)[0].(map[string]any)
	first, _, _ := strings.Cut(s.exported(t, lore.Submissions, ""), "\n")
	var line map[string]any
	if err := json.Unmarshal([]byte(first), &line); err != nil || fmt.Sprint(line) != fmt.Sprint(item) {
		t.Errorf("the first line is not what readers get: %v", line)
	}
	if got := s.exported(t, lore.Submissions, "&since=2026-02-08T00:00:00Z"); strings.Count(got, "\n") == 0 || strings.Count(got, "\n") >= 100 {
		t.Errorf("since leaves %d lines", strings.Count(got, "\n"))
	}
	// A restored name is taken, and its source is another's no more.
	other := serve(t, empty)
	wantProblem(t, other.send(t, "POST", "/intake/register", map[string]any{"name": "exporting agent", "type": "agent", "owner": "x"}), 409, "name_taken")

	wantProblem(t, s.get(t, "/export?collection=accounts"), 422, "invalid_field", "collection")
	if got := wantProblem(t, s.get(t, "/export?collection=assets&format=parquet"), 422, "invalid_field", "format"); !strings.Contains(got.Errors[0].Detail, "agentlore export --format parquet") {
		t.Errorf("Parquet is refused with %+v", got.Errors)
	}
	wantProblem(t, s.get(t, "/export"), 422, "invalid_field", "collection")
	wantProblem(t, s.get(t, "/export?collection=assets&cursor="+lore.NewID()), 400, "invalid_cursor")
	orphan := filepath.Join(folder, "orphan.jsonl")
	if err := os.WriteFile(orphan, []byte(strings.Replace(first, fmt.Sprint(line["source_id"]), lore.NewID(), 1)+"\n{\"id\":1}\nno json\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"import", "--format=export", "--collection=submissions"}, storeFlags(t, empty)...)
	if _, stdout, _ := run(t, append(args, orphan)...); !strings.Contains(stdout, "import the exported sources first") || !strings.Contains(stdout, "3 refused") {
		t.Errorf("lines that can't be restored: %s", stdout)
	}
}
