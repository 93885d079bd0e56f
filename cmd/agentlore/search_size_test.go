package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentlore/enginetest"
)

// everyNth writes every n-th line of a file of the shared data to a file of the test's own, and returns its path and the
// texts of one field of these lines.
func everyNth(t *testing.T, name string, n int, field string) (path string, texts []string) {
	t.Helper()
	packed, err := os.Open(enginetest.Data(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	plain, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	scanner := bufio.NewScanner(plain)
	scanner.Buffer(nil, 4<<20)
	for i := 0; scanner.Scan(); i++ {
		if i%n != 0 {
			continue
		}
		lines.WriteString(scanner.Text() + "\n")
		var line map[string]any
		if err := json.Unmarshal(scanner.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		text, _ := line[field].(string)
		texts = append(texts, text)
	}
	if err := scanner.Err(); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "lines.jsonl")
	if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, texts
}

// An agent pays for every byte that it reads: ten results of real observations and assets stay below 8 kB.
func TestTenRealResultsStayBelow8kB(t *testing.T) {
	t.Parallel()
	observations, questions := everyNth(t, "observations.jsonl.gz", 150, "summary")
	assets, names := everyNth(t, "assets.jsonl.gz", 150, "name")
	s := serve(t, enginetest.Prefix(t))
	for collection, path := range map[string]string{"submissions": observations, "assets": assets} {
		args := append([]string{"import", "--collection=" + collection}, storeFlags(t, s.prefix)...)
		if status, stdout, stderr := run(t, append(args, path)...); status > 1 {
			t.Fatalf("import: %s %s", stdout, stderr)
		}
	}
	enginetest.Elasticsearch(t, "POST", "/"+s.prefix+"-*/_refresh", "")
	largest, sum, answers := 0, 0, 0
	for i, q := range append(questions, names...) {
		if i%9 != 0 {
			continue
		}
		if characters := []rune(q); len(characters) > 512 {
			q = string(characters[:512])
		}
		got := s.get(t, "/search/all?q="+url.QueryEscape(q)).want(t, 200)
		if len(got.body) >= 8000 {
			t.Errorf("question %d: %d bytes", i, len(got.body))
		}
		if len(decode[page](t, got).Results) == 10 {
			largest, sum, answers = max(largest, len(got.body)), sum+len(got.body), answers+1
		}
	}
	if answers < 20 {
		t.Fatalf("only %d questions have ten results", answers)
	}
	t.Logf("%d answers of ten results: %d bytes on average, at most %d", answers, sum/answers, largest)
}
