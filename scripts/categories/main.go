// Command categories makes and judges the category classifier's model. Run it from the repository's root; labelled reports are
// looked for where AGENTLORE_DATA says, or in ../shared/data.
//
//	go run ./scripts/categories evaluate   prints macro-F1 of models on origins that they have not seen; a minute
//	go run ./scripts/categories train      writes curator/model/categories.tsv
package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"agentlore/curator"
	"agentlore/lore"
	"agentlore/scripts/labelled"
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
		evaluate(rows).print(os.Stdout)
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
	rows, err := labelled.Read[row](filepath.Join(folder, "categories", "labelled.jsonl.gz"))
	for i, r := range rows {
		if target(lore.Category(r.Category)) < 0 {
			return nil, fmt.Errorf("row %d: no category is called %q", i+1, r.Category)
		}
		rows[i].features = curator.CategoryFeatures(r.observation(), nil)
	}
	return rows, err
}
