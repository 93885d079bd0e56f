// Command categories judges the category classifier on labelled reports, and prints the weights that fit them best. Run it from the
// repository's root; the reports are looked for where AGENTLORE_DATA says, or in ../shared/data.
//
//	go run ./scripts/categories
//
// The words of the classifier are written by hand and the same for all. Its weights are fitted anew for every origin that is held out.
package main

import (
	"cmp"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"agentlore/curator"
	"agentlore/lore"
	"agentlore/scripts/labelled"
)

// row is one labelled report.
type row struct {
	Summary  string        `json:"summary"`
	Content  string        `json:"content"`
	Category lore.Category `json:"category"`
	Origin   string        `json:"origin"`
	found    []curator.CategoryEvidence
}

func main() {
	rows, err := readRows(cmp.Or(os.Getenv("AGENTLORE_DATA"), "../shared/data"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "categories:", err)
		os.Exit(1)
	}
	evaluate(rows).print(os.Stdout)
	weights := fit(rows)
	fmt.Printf("\nfitted to all origins: evidence %.2f", weights.Evidence)
	for i, category := range labels {
		fmt.Printf(", %s %.2f", category, weights.Start[labels[i]])
	}
	fmt.Println()
}

// readRows reads the labelled reports of a data folder.
func readRows(folder string) ([]row, error) {
	rows, err := labelled.Read[row](filepath.Join(folder, "categories", "labelled.jsonl.gz"))
	for i, r := range rows {
		rows[i].found = curator.FindCategoryEvidence(lore.Observation{Summary: r.Summary, Content: r.Content})
		if !slices.Contains(labels, r.Category) {
			return nil, fmt.Errorf("row %d: no label is called %q", i+1, r.Category)
		}
	}
	return rows, err
}

// evaluation counts held-out answers by label, then by answer.
type evaluation map[lore.Category]map[lore.Category]int

// foldOf says with which origins an origin is held out: alone, or in one of five groups where it has nothing but security (there
// are 50 such audits; each is whole in one group).
func foldOf(rows []row) func(origin string) string {
	alone := map[string]bool{}
	for _, r := range rows {
		alone[r.Origin] = alone[r.Origin] || r.Category != lore.CategorySecurity
	}
	return func(origin string) string {
		if alone[origin] {
			return origin
		}
		return fmt.Sprintf("audits %d", crc32.ChecksumIEEE([]byte(origin))%5)
	}
}

// evaluate classifies every row by weights that have seen nothing of the row's origin.
func evaluate(rows []row) evaluation {
	fold := foldOf(rows)
	parts := map[string][]row{}
	for _, r := range rows {
		parts[fold(r.Origin)] = append(parts[fold(r.Origin)], r)
	}
	result := evaluation{}
	for held, part := range parts {
		weights := fit(slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return fold(r.Origin) == held }))
		for _, r := range part {
			if result[r.Category] == nil {
				result[r.Category] = map[lore.Category]int{}
			}
			result[r.Category][weights.Choose(r.found)]++
		}
	}
	return result
}

// f1 returns precision, recall and F1 of a category.
func (e evaluation) f1(category lore.Category) (precision, recall, f1 float64) {
	hits, labelled, answered := float64(e[category][category]), 0.0, 0.0
	for label, answers := range e {
		answered += float64(answers[category])
		if label == category {
			for _, n := range answers {
				labelled += float64(n)
			}
		}
	}
	precision, recall = hits/max(answered, 1), hits/max(labelled, 1)
	if hits == 0 {
		return precision, recall, 0
	}
	return precision, recall, 2 * precision * recall / (precision + recall)
}

// macroF1 is the mean F1 of the categories that have labelled rows.
func (e evaluation) macroF1() (mean float64) {
	for category := range e {
		_, _, f1 := e.f1(category)
		mean += f1 / float64(len(e))
	}
	return mean
}

// print writes the figures of each category as Markdown.
func (e evaluation) print(to io.Writer) {
	fmt.Fprintf(to, "macro-F1 %.3f\n\n| label | precision | recall | F1 |\n|---|---|---|---|\n", e.macroF1())
	for _, label := range slices.Sorted(maps.Keys(e)) {
		precision, recall, f1 := e.f1(label)
		fmt.Fprintf(to, "| %s | %.2f | %.2f | %.2f |\n", label, precision, recall, f1)
	}
}
