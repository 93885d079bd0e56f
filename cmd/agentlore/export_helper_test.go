package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"agentlore/client"
	"agentlore/client/export"
	"agentlore/lore"
)

// exported reads a collection over HTTP.
func (s *service) exported(t *testing.T, collection lore.Collection, parameters string) string {
	t.Helper()
	got := s.get(t, "/export?collection="+string(collection)+parameters).want(t, 200)
	if media := got.header.Get("Content-Type"); media != "application/x-ndjson" {
		t.Errorf("an export is of type %q", media)
	}
	return string(got.body)
}

// exportTo runs agentlore export and returns what was written, unpacked.
func exportTo(t *testing.T, prefix string, collection lore.Collection, path string) string {
	t.Helper()
	args := append([]string{"export", "--collection=" + string(collection)}, storeFlags(t, prefix)...)
	status, stdout, stderr := run(t, append(args, path)...)
	if status != 0 {
		t.Fatalf("export %s: %s %s", collection, stdout, stderr)
	}
	text := contentOf(t, path)
	if want := fmt.Sprintf("%d lines, sha256 %s\n", strings.Count(text, "\n"), checksum(text)); stdout != want {
		t.Errorf("the export of %s says %q, the file %q", collection, stdout, want)
	}
	return text
}

// clientExport runs the client's export.
func clientExport(t *testing.T, base string, args ...string) {
	t.Helper()
	var commands struct {
		Export export.Command `cmd:""`
	}
	var out text
	args = append([]string{"export", "--url=" + base}, args...)
	if status := client.Run(t.Context(), &commands, "", args, client.Console{Stdout: &out, Stderr: &out}); status != 0 {
		t.Fatalf("%v: %s", args, out.String())
	}
}

// contentOf returns a file's content, unpacked if its name says that it is packed.
func contentOf(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(path, ".gz") {
		return unpacked(t, content)
	}
	return string(content)
}

func unpacked(t *testing.T, content []byte) string {
	t.Helper()
	reader, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func checksum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// restore imports an export into a prefix and fails unless all of it was stored.
func restore(t *testing.T, prefix string, collection lore.Collection, path string) string {
	t.Helper()
	args := append([]string{"import", "--format=export", "--collection=" + string(collection)}, storeFlags(t, prefix)...)
	status, stdout, stderr := run(t, append(args, path)...)
	if status != 0 || !strings.Contains(stdout, " 0 refused") {
		t.Fatalf("import of %s: %s %s", collection, stdout, stderr)
	}
	return stdout
}

// manyLines writes an import file of n observations of five sources, with times that many of them share.
func manyLines(t *testing.T, n int) string {
	lines := make([]map[string]any, n)
	for i := range lines {
		lines[i] = map[string]any{
			"source": fmt.Sprintf("archive %d", i%5), "summary": fmt.Sprintf("Report %d of a bridge that lags", i), "category": "failure",
			"content": strings.Repeat(fmt.Sprintf("The relayer %d stalls on eip155:%d. ", i, i%90+1), 1+i%20), "ref": fmt.Sprint("bridge/", i),
			"resolution": "Write to ops@example.org", "tags": []string{"bridge", fmt.Sprint("t", i%7)}, "ecosystem": "base", "usefulness_score": 1 + i%10,
			"created_at": time.Date(2026, 1, 1+i%40, 0, 0, i%3, i%5*1_000_000, time.UTC),
		}
	}
	return writeLines(t, lines)
}

// readSome reads about so many bytes of an answer and drops the connection.
func (s *service) readSome(t *testing.T, path string, bytes int) string {
	t.Helper()
	ctx, drop := context.WithCancel(t.Context())
	defer drop()
	request, err := http.NewRequestWithContext(ctx, "GET", s.base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := httpClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, int64(bytes)))
	if err != nil || response.StatusCode != 200 {
		t.Fatalf("%s: %d %v", path, response.StatusCode, err)
	}
	return string(text)
}
