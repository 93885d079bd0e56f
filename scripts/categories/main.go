// Command categories makes and judges the category classifier's model: `go run ./scripts/categories train` writes
// curator/model/categories.tsv, `evaluate` prints what models reach on origins that they haven't seen. It is run from the
// repository's root; the labelled reports are taken from AGENTLORE_DATA (../shared/data without it).
package main

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"agentlore/curator"
	"agentlore/lore"
)

const modelPath = "curator/model/categories.tsv"

// row is one labelled report.
type row struct {
	Summary  string `json:"summary"`
	Content  string `json:"content"`
	Category string `json:"category"`
	Origin   string `json:"origin"`
	features []curator.CategoryFeature
}

func (r row) observation() lore.Observation {
	return lore.Observation{Summary: r.Summary, Content: r.Content}
}

func isWord(feature string) bool { return !strings.Contains(feature, ":") }

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "categories:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) != 1 || arguments[0] != "train" && arguments[0] != "evaluate" {
		return fmt.Errorf("usage: go run ./scripts/categories train|evaluate")
	}
	rows, err := readRows(cmp.Or(os.Getenv("AGENTLORE_DATA"), "../shared/data"))
	if err != nil {
		return err
	}
	if arguments[0] == "evaluate" {
		evaluate(rows, os.Stderr).print(os.Stdout)
		return nil
	}
	var text strings.Builder
	if err := train(rows).Write(&text); err != nil {
		return err
	}
	return os.WriteFile(modelPath, []byte(text.String()), 0o644)
}

// readRows reads the labelled reports of a data folder.
func readRows(folder string) ([]row, error) {
	file, err := os.Open(filepath.Join(folder, "categories", "labelled.jsonl.gz"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	var rows []row
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("row %d: %w", len(rows)+1, err)
		}
		if target(lore.Category(r.Category)) < 0 {
			return nil, fmt.Errorf("row %d: no category is called %q", len(rows)+1, r.Category)
		}
		r.features = curator.CategoryFeatures(r.observation(), nil)
		rows = append(rows, r)
	}
	return rows, lines.Err()
}
