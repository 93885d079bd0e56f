package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// observation is one line of an import file.
type observation struct {
	Source     string   `json:"source,omitempty"`
	Summary    string   `json:"summary"`
	Category   string   `json:"category,omitempty"`
	Content    string   `json:"content,omitempty"`
	Resolution string   `json:"resolution,omitempty"`
	Tags       []string `json:"tags,omitempty"`
	Ecosystem  string   `json:"ecosystem,omitempty"`
	CreatedAt  string   `json:"created_at,omitempty"`
	Ref        string   `json:"ref,omitempty"`
}

// demoFile is read where the real observations are absent.
const demoFile = "scripts/demo/observations.jsonl"

// observations reads the real observations, or the demo's where there are none.
func (b *bench) observations() ([]observation, error) {
	path := filepath.Join(b.Data, "observations.jsonl.gz")
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		say("   no %s: the corpus is made from the demo's few observations, so figures are not those of real text", path)
		path = demoFile
		file, err = os.Open(path)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var text io.Reader = file
	if strings.HasSuffix(path, ".gz") {
		if text, err = gzip.NewReader(file); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	var found []observation
	lines := bufio.NewReaderSize(text, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 1 {
			var read observation
			if err := json.Unmarshal(line, &read); err != nil {
				return nil, fmt.Errorf("%s, line %d: %w", path, len(found)+1, err)
			}
			found = append(found, read)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s is empty", path)
	}
	return found, nil
}
