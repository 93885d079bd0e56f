package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// service judges patterns as the service makes them: labelled reports are imported into a store of their own, in so many
// parts, and `agentlore curate --once` runs after each; what pattern_id says then is compared with the labels. Order 0 is the
// file's; any other one is a random one.
func service(reports []report, folder string, parts int, order uint64) error {
	work, err := os.MkdirTemp("", "patterns")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	s := &served{binary: filepath.Join(work, "agentlore"), url: os.Getenv("ELASTICSEARCH_URL"), prefix: fmt.Sprintf("patterns%d", time.Now().UnixNano())}
	if s.url == "" {
		return fmt.Errorf("ELASTICSEARCH_URL is not set: scripts/engine start && eval \"$(scripts/engine env)\"")
	}
	if out, err := exec.Command("go", "build", "-o", s.binary, "./cmd/agentlore").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w: %s", err, out)
	}
	defer s.remove()
	lines, err := readLines(filepath.Join(folder, "reports.jsonl.gz"))
	if err != nil {
		return err
	}
	if order > 0 {
		random := rand.New(rand.NewPCG(order, 6))
		random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	}
	file := filepath.Join(work, "part.jsonl")
	for part := range slices.Chunk(lines, (len(lines)+parts-1)/parts) {
		if err := os.WriteFile(file, bytes.Join(part, []byte("\n")), 0o600); err != nil {
			return err
		}
		if err := s.run("import", "--collection=submissions", file); err != nil {
			return err
		}
		if err := s.run("curate", "--once"); err != nil {
			return err
		}
	}
	fmt.Fprintln(os.Stderr, "again, which must change nothing:")
	if err := s.run("curate", "--once"); err != nil {
		return err
	}
	found, err := s.patterns()
	if err != nil {
		return err
	}
	fmt.Println("| service | contest | reports | precision | recall | F1 |\n|---|---|---|---|---|---|")
	for _, contest := range append(contests(reports), "all together") {
		var truth, patterns []string
		for _, r := range reports {
			if contest != "all together" && r.contest != contest {
				continue
			}
			pattern, there := found[r.ref]
			if !there {
				return fmt.Errorf("%s is not in the store", r.ref)
			}
			if pattern == "" {
				pattern = "alone " + r.ref
			}
			truth, patterns = append(truth, r.group), append(patterns, pattern)
		}
		f := bCubed(truth, patterns)
		fmt.Printf("| %d parts, order %d | %s | %d | %.3f | %.3f | %.3f |\n", parts, order, contest, len(truth), f.precision, f.recall, f.f1)
	}
	return nil
}

// served is a store of the run's own.
type served struct{ binary, url, prefix string }

// run runs a command of agentlore over the store and shows what it prints.
func (s *served) run(args ...string) error {
	command := exec.Command(s.binary, append([]string{args[0], "--elasticsearch-url=" + s.url, "--index-prefix=" + s.prefix, "--elasticsearch-timeout=60s"}, args[1:]...)...)
	var errs bytes.Buffer
	command.Stdout, command.Stderr = os.Stderr, &errs
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", args[0], err, errs.String())
	}
	return nil
}

// patterns returns the pattern of every report, by ref.
func (s *served) patterns() (map[string]string, error) {
	found := map[string]string{}
	if _, err := s.ask("POST", "/"+s.prefix+"-submissions/_refresh", "", nil); err != nil {
		return nil, err
	}
	for after := ""; ; {
		query := map[string]any{"size": 1000, "sort": []any{map[string]any{"id": "asc"}}, "_source": []string{"id", "ref", "pattern_id"}}
		if after != "" {
			query["search_after"] = []any{after}
		}
		body, err := json.Marshal(query)
		if err != nil {
			return nil, err
		}
		var page struct {
			Hits struct {
				Hits []struct {
					Source struct {
						ID      string `json:"id"`
						Ref     string `json:"ref"`
						Pattern string `json:"pattern_id"`
					} `json:"_source"`
				} `json:"hits"`
			} `json:"hits"`
		}
		if _, err := s.ask("POST", "/"+s.prefix+"-submissions/_search", string(body), &page); err != nil {
			return nil, err
		}
		for _, hit := range page.Hits.Hits {
			found[hit.Source.Ref], after = hit.Source.Pattern, hit.Source.ID
		}
		if len(page.Hits.Hits) == 0 {
			return found, nil
		}
	}
}

// ask sends one request to Elasticsearch.
func (s *served) ask(method, path, body string, answer any) (int, error) {
	base, _, _ := strings.Cut(s.url, ",")
	request, err := http.NewRequest(method, strings.TrimRight(base, "/")+path, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= 300 {
		err = fmt.Errorf("elasticsearch answered %d to %s", response.StatusCode, path)
	}
	if err == nil && answer != nil {
		err = json.Unmarshal(text, answer)
	}
	return response.StatusCode, err
}

// remove deletes the store.
func (s *served) remove() {
	var indices []struct {
		Index string `json:"index"`
	}
	if _, err := s.ask("GET", "/_cat/indices/"+s.prefix+"-*?h=index&format=json", "", &indices); err != nil {
		fmt.Fprintln(os.Stderr, "the store is left behind:", err)
		return
	}
	for _, one := range indices {
		if _, err := s.ask("DELETE", "/"+one.Index, "", nil); err != nil {
			fmt.Fprintln(os.Stderr, "the store is left behind:", err)
		}
	}
}

// readLines returns the lines of a packed file.
func readLines(name string) ([][]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	scanner := bufio.NewScanner(unpacked)
	scanner.Buffer(nil, 1<<22)
	var lines [][]byte
	for scanner.Scan() {
		lines = append(lines, bytes.Clone(scanner.Bytes()))
	}
	return lines, scanner.Err()
}
