package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/importer"
	"agentlore/lore"
	"agentlore/scrubber"
)

// writeFile writes a file of the test's own and returns its path.
func writeFile(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func zipped(t *testing.T, content []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	if _, err := writer.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// importFile imports a file into a store and returns exit status and what was printed.
func importFile(t *testing.T, prefix, collection, path string, flags ...string) (int, string) {
	t.Helper()
	args := append([]string{"import", "--collection=" + collection}, storeFlags(t, prefix)...)
	status, stdout, stderr := run(t, append(append(args, flags...), path)...)
	return status, stdout + stderr
}

// A file with everything that real files have: good lines, each kind of bad line, blank ones, secrets. Bad lines are
// reported by their number and quoted nowhere, the rest is stored, and a second run stores nothing new.
func TestImport(t *testing.T) {
	t.Parallel()
	s := serve(t, enginetest.Prefix(t))
	live := s.register(t, "Live Agent")
	s.submit(t, live, observation("the live agent's own"))
	secrets := leaks(t)
	secretLine, err := json.Marshal(map[string]any{
		"source": "importer-a", "summary": "imported with secrets", "content": sentence(secrets), "ref": "mail " + secrets[5].value, "tags": []string{secrets[0].value},
	})
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{
		1:  `{"source":"importer-a","summary":"imported one","category":"failure","ref":"r1","created_at":"2025-02-03T04:05:06Z","ecosystem":"Base","tags":["X","x"],"usefulness_score":3,"content":"c","resolution":"r"}`,
		2:  `{"source":"Importer-A","summary":"imported two","content":"Caching the storage read outside of the loop saves gas","ref":"r2"}`,
		3:  ``,
		4:  `{"source":"importer-b","summary":"imported one, from elsewhere","ref":"r1"}`,
		5:  `{"source":"importer-a","summary":"imported without a ref"}`,
		6:  `{"source":"importer-a","summary":"imported one again","ref":"r1"}`, // the ref is there
		7:  string(secretLine),
		8:  `   `,
		9:  `{"source":"importer-a","summary":"` + canary, // bad lines from here
		10: canary,
		11: `["` + canary + `"]`,
		12: `{"source":"importer-a"}`,
		13: `{"summary":"` + canary + `"}`,
		14: `{"source":"importer-a","summary":"x","category":"` + canary + `"}`,
		15: `{"source":"importer-a","summary":"x","` + canary + `":1}`,
		16: `{"source":"importer-a","summary":"` + canary + strings.Repeat("x", 600) + `"}`,
		17: `{"source":"importer-a","summary":"x","created_at":"` + canary + `"}`,
		18: `{"source":"importer-a","summary":"x","created_at":"1960-01-01T00:00:00Z"}`,
		19: `{"source":"importer-a","summary":"` + strings.Repeat(canary, 1<<20/len(canary)) + `"}`,
		20: `{"source":"importer-a","summary":"bad \xff UTF-8"}`,
		21: `{"source":"LIVE agent","summary":"in another's name"}`,
		22: `{"source":"who` + "@" + `mail.example","summary":"a source that is an address"}`,
		23: `{"source":"importer-a","summary":"a\u0000b"}`,
		24: `{"source":"importer-b","summary":"the last line, without a line break","ref":"last"}`,
	}
	lines[20] = strings.Replace(lines[20], `\xff`, "\xff", 1)
	content := []byte(strings.Join(lines[1:], "\n"))

	status, printed := importFile(t, s.prefix, "submissions", writeFile(t, "lines.jsonl.gz", zipped(t, content)))
	if status != 0 || !strings.Contains(printed, ": 6 stored, 1 known already, 15 refused") {
		t.Errorf("first run: status %d\n%.3000s", status, printed)
	}
	for line := 9; line <= 23; line++ {
		if !strings.Contains(printed, fmt.Sprintf("line %d: ", line)) {
			t.Errorf("line %d isn't reported", line)
		}
	}
	for _, s := range secrets[:5] {
		if !strings.Contains(printed, "scrubbed "+s.kind+": ") {
			t.Errorf("the summary doesn't count %s", s.kind)
		}
	}
	if strings.Contains(printed, canary) {
		t.Errorf("the report quotes a line: %.2000s", printed)
	}
	wantNoTrace(t, "what was printed", printed, secrets)

	// Again, unpacked: nothing is stored twice.
	status, printed = importFile(t, s.prefix, "submissions", writeFile(t, "lines.jsonl", content))
	if status != 0 || !strings.Contains(printed, ": 0 stored, 7 known already, 15 refused") {
		t.Errorf("second run: status %d\n%.3000s", status, printed)
	}
	// By an operator's word a live agent's name may be used.
	status, printed = importFile(t, s.prefix, "submissions", writeFile(t, "live.jsonl", []byte(lines[21])), "--as-agent")
	if status != 0 || !strings.Contains(printed, ": 1 stored") {
		t.Errorf("--as-agent: status %d\n%s", status, printed)
	}
	wantNoTrace(t, "Elasticsearch", enginetest.Everything(t, s.prefix), secrets)

	all := decode[page](t, s.get(t, "/submissions?limit=100").want(t, 200))
	if all.Total != 8 {
		t.Errorf("%d submissions, want the live agent's, 6 imported and one in its name", all.Total)
	}
	for _, item := range all.Results {
		switch item["summary"] {
		case "imported one":
			if item["created_at"] != "2025-02-03T04:05:06Z" || item["ref"] != "r1" || item["ecosystem"] != "base" || item["classified_by"] != "submitter" || item["tier"] != 1.0 {
				t.Errorf("the whole line became %v", item)
			}
		case "imported two":
			if item["category"] != "optimization" || item["classified_by"] != "agentlore" {
				t.Errorf("a line without a category became %v", item)
			}
		case "in another's name":
			if item["source_id"] != live.id {
				t.Errorf("--as-agent stored %v", item)
			}
		}
	}
	sources := decode[page](t, s.get(t, "/sources").want(t, 200))
	if sources.Total != 3 {
		t.Errorf("%d sources, want the live agent and two importers (one name in two cases): %v", sources.Total, sources.Results)
	}
	for _, source := range sources.Results {
		if source["name"] != "Live Agent" && source["type"] != "tool" {
			t.Errorf("an importer's source is %v", source)
		}
	}

	assets := []string{
		`{"name":"Import DEX","type":"DEX","ecosystem":"base"}`,
		`{"name":"Import DEX","type":"bridge","ecosystem":["base","optimism"],"description":"` + "mail ops" + "@" + `mail.example"}`, `{"name":"import dex","type":"dex","ecosystem":["Base"]}`,
		`{"name":"x","type":"two words"}`, `{"name":"x"}`, `{"type":"chain"}`, `{"name":"x","type":"chain","ecosystem":7}`,
	}
	status, printed = importFile(t, s.prefix, "assets", writeFile(t, "assets.jsonl", []byte(strings.Join(assets, "\r\n"))))
	if status != 0 || !strings.Contains(printed, ": 2 stored, 1 known already, 4 refused") || !strings.Contains(printed, "scrubbed email: 1") {
		t.Errorf("assets: status %d\n%s", status, printed)
	}
	for name, content := range map[string][]byte{"empty": nil, "empty gzip": zipped(t, nil), "blank": []byte("\n\n \n")} {
		if status, printed = importFile(t, s.prefix, "assets", writeFile(t, "f", content)); status != 0 || !strings.Contains(printed, "0 lines") {
			t.Errorf("%s: status %d\n%s", name, status, printed)
		}
	}
	cut := zipped(t, bytes.Repeat([]byte(assets[0]+"\n"), 500))
	if status, printed = importFile(t, s.prefix, "assets", writeFile(t, "cut.gz", cut[:len(cut)/2])); status != 1 || !strings.Contains(printed, "the import stopped") {
		t.Errorf("a cut off gzip: status %d\n%s", status, printed)
	}
	if status, _ = importFile(t, s.prefix, "assets", filepath.Join(t.TempDir(), "nowhere")); status != 1 {
		t.Errorf("no such file: status %d", status)
	}
}

// interrupting ends a context after some submissions were stored, with as many again on their way at most: the rest waits for the
// end, however quick the store is.
type interrupting struct {
	importer.SubmissionStore
	begun, stored atomic.Int64
	after         int64
	cancel        func()
}

func (s *interrupting) Create(ctx context.Context, draft lore.Draft, text scrubber.Scrubbed[lore.Observation]) (lore.Submission, bool, error) {
	if s.begun.Add(1) > 2*s.after {
		<-ctx.Done()
		return lore.Submission{}, false, context.Cause(ctx)
	}
	stored, created, err := s.SubmissionStore.Create(ctx, draft, text)
	if s.stored.Add(1) == s.after {
		s.cancel()
	}
	return stored, created, err
}

// An import that is stopped half-way and run again ends with every line stored once.
func TestInterruptedImportIsResumed(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	const count = 3000
	var content bytes.Buffer
	for i := range count {
		fmt.Fprintf(&content, `{"source":"source %d","summary":"interrupted %d","category":"general","ref":"r%d"}`+"\n", i%7, i, i)
	}
	var command importCommand
	command.ElasticsearchURL, command.IndexPrefix = []string{enginetest.ElasticsearchURL(t)}, prefix
	command.Replicas, command.Dimensions, command.ElasticsearchTimeout = "auto", 384, 30*time.Second
	var log text
	out := output{stdout: &log, stderr: &log, log: newLog(&log)}
	settings, err := command.settings(out)
	if err != nil {
		t.Fatal(err)
	}
	rules := command.scrubber()
	resume := func(stopAfter int64) (stored, known int) {
		store, err := connect(t.Context(), settings)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		work := newImporter(store, rules)
		work.Submissions = &interrupting{SubmissionStore: work.Submissions, after: stopAfter, cancel: cancel}
		summary, err := work.SubmissionLines(ctx, bytes.NewReader(content.Bytes()))
		if (err != nil) != (stopAfter <= count) {
			t.Errorf("stopped after %d of %d: %v", stopAfter, count, err)
		}
		return summary.Stored, summary.Known
	}
	first, _ := resume(count / 10)
	second, known := resume(count + 1)
	if first == 0 || first == count || second+known != count || known < first {
		t.Errorf("stored %d, then %d and %d known; want %d altogether", first, second, known, count)
	}
	if third, known := resume(count + 1); third != 0 || known != count {
		t.Errorf("a third run stored %d, knew %d", third, known)
	}
	enginetest.Elasticsearch(t, "POST", "/"+prefix+"-*/_refresh", "")
	_, answer := enginetest.Elasticsearch(t, "GET", "/"+prefix+"-submissions/_count", "")
	if !strings.Contains(string(answer), fmt.Sprintf(`"count":%d,`, count)) {
		t.Errorf("stored are %s, want %d", answer, count)
	}
	t.Logf("interrupted after %d, resumed with %d new and %d known", first, second, known)
}

// Real files: every line of what is shared for tests is stored.
func TestImportOfRealData(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	for collection, name := range map[string]string{"submissions": "observations.jsonl.gz", "assets": "assets.jsonl.gz"} {
		path := enginetest.Data(t, name)
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		unpacked, err := gzip.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		var head bytes.Buffer
		lines, count := bufio.NewReader(unpacked), 0
		for ; count < 2000; count++ {
			line, err := lines.ReadBytes('\n')
			head.Write(line)
			if err != nil {
				break
			}
		}
		path = writeFile(t, name, zipped(t, head.Bytes()))
		status, printed := importFile(t, prefix, collection, path)
		if status != 0 || !strings.Contains(printed, " 0 refused") || !strings.Contains(printed, fmt.Sprintf("%d lines", count)) {
			t.Errorf("%s: status %d\n%.2000s", name, status, printed)
		}
		t.Logf("%s: %s", name, printed[strings.LastIndex(printed, fmt.Sprintf("%d lines", count)):])
		if status, printed = importFile(t, prefix, collection, path); status != 0 || !strings.Contains(printed, " 0 stored, ") {
			t.Errorf("%s again: status %d\n%.2000s", name, status, printed)
		}
	}
}
