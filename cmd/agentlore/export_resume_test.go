package main

import (
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
)

// An export over HTTP that breaks off goes on where it was, and so does an import: the result is the same.
// AGENTLORE_LONG=1 does it with as many submissions as manyExported says.
func TestBrokenExportGoesOn(t *testing.T) {
	t.Parallel()
	n := 2500
	if os.Getenv("AGENTLORE_LONG") == "1" {
		n = manyExported(t)
	}
	s := serve(t, enginetest.Prefix(t))
	args := append([]string{"import", "--collection=submissions"}, storeFlags(t, s.prefix)...)
	if status, stdout, stderr := run(t, append(args, manyLines(t, n))...); status != 0 {
		t.Fatalf("import: %s %s", stdout, stderr)
	}
	enginetest.Elasticsearch(t, "POST", "/"+s.prefix+"-*/_refresh", "")
	folder := t.TempDir()
	whole := exportTo(t, s.prefix, lore.Submissions, filepath.Join(folder, "whole.jsonl"))
	if got := strings.Count(whole, "\n"); got != n {
		t.Fatalf("%d lines, want %d", got, n)
	}

	t.Run("over HTTP", func(t *testing.T) {
		var got strings.Builder
		for cursor, tries := "", 0; ; tries++ {
			part := s.readSome(t, "/export?collection=submissions&cursor="+cursor, len(whole)/3)
			got.WriteString(part[:strings.LastIndexByte(part, '\n')+1])
			if checksum(got.String()) == checksum(whole) {
				break
			}
			if tries > 6 {
				t.Fatalf("after %d connections it is %d bytes, want %d", tries, got.Len(), len(whole))
			}
			text := strings.TrimSuffix(got.String(), "\n")
			var last struct{ ID string }
			if err := json.Unmarshal([]byte(text[strings.LastIndexByte(text, '\n')+1:]), &last); err != nil {
				t.Fatal(err)
			}
			cursor = last.ID
		}
	})
	t.Run("by the client", func(t *testing.T) {
		file, requests := filepath.Join(folder, "client.jsonl"), 0
		target, _ := url.Parse(s.base)
		proxy := httputil.NewSingleHostReverseProxy(target)
		proxy.ModifyResponse = func(answer *http.Response) error {
			if requests++; requests <= 2 { // the first two break off
				answer.Body = io.NopCloser(io.MultiReader(io.LimitReader(answer.Body, 20_000), iotest.ErrReader(io.ErrUnexpectedEOF)))
			}
			return nil
		}
		proxy.ErrorLog = log.New(io.Discard, "", 0)
		between := httptest.NewServer(proxy)
		t.Cleanup(between.Close)
		clientExport(t, between.URL, "--collection=submissions", file)
		if got := contentOf(t, file); checksum(got) != checksum(whole) || requests != 3 {
			t.Errorf("%d bytes in %d requests, want %d in 3", len(got), requests, len(whole))
		}
	})
	t.Run("import", func(t *testing.T) {
		empty := enginetest.Prefix(t)
		sources := filepath.Join(folder, "sources.jsonl")
		exportTo(t, s.prefix, lore.Sources, sources)
		restore(t, empty, lore.Sources, sources)
		path := filepath.Join(folder, "whole.jsonl")
		command := program(t, empty, "import", "--format=export", "--collection=submissions", path)
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		enginetest.Within(t, 10*time.Minute, "something is stored", func() bool {
			_, answer := enginetest.Elasticsearch(t, "GET", "/"+empty+"-submissions/_stats/indexing?filter_path=_all.primaries.indexing.index_total", "")
			var stats struct {
				All struct {
					Primaries struct {
						Indexing struct {
							Total int `json:"index_total"`
						}
					}
				} `json:"_all"`
			}
			return json.Unmarshal(answer, &stats) == nil && stats.All.Primaries.Indexing.Total > n/10
		})
		_ = command.Process.Signal(syscall.SIGKILL)
		_ = command.Wait()
		restore(t, empty, lore.Submissions, path)
		enginetest.Elasticsearch(t, "POST", "/"+empty+"-*/_refresh", "")
		if back := exportTo(t, empty, lore.Submissions, filepath.Join(folder, "back.jsonl")); checksum(back) != checksum(whole) {
			t.Errorf("what came back is another: %d bytes, want %d", len(back), len(whole))
		}
	})
}
