package main

import (
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"

	"agentlore/curator"
	"agentlore/lore"
)

// evaluation counts held-out answers.
type evaluation struct {
	confusion map[string]map[string]int // by label, then by answer
}

// foldOf says with which origins an origin is held out: alone, or in one of five groups where it has nothing but security (there
// are 50 such audits; each is whole in one group).
func foldOf(rows []row) func(origin string) string {
	alone := map[string]bool{}
	for _, r := range rows {
		if r.Category != string(lore.CategorySecurity) {
			alone[r.Origin] = true
		}
	}
	return func(origin string) string {
		if alone[origin] {
			return origin
		}
		return fmt.Sprintf("audits %d", crc32.ChecksumIEEE([]byte(origin))%5)
	}
}

// evaluate classifies every row by a model that has seen nothing of the row's origin.
func evaluate(rows []row, progress io.Writer) evaluation {
	fold := foldOf(rows)
	var folds []string
	for _, r := range rows {
		if name := fold(r.Origin); !slices.Contains(folds, name) {
			folds = append(folds, name)
		}
	}
	slices.Sort(folds)
	result := evaluation{map[string]map[string]int{}}
	for _, held := range folds {
		var rest []row
		for _, r := range rows {
			if fold(r.Origin) != held {
				rest = append(rest, r)
			}
		}
		result.add(train(rest), rows, func(r row) bool { return fold(r.Origin) == held })
		fmt.Fprintf(progress, ".")
	}
	fmt.Fprintln(progress)
	return result
}

func (e evaluation) add(model curator.CategoryModel, rows []row, held func(row) bool) {
	for _, r := range rows {
		if !held(r) {
			continue
		}
		if e.confusion[r.Category] == nil {
			e.confusion[r.Category] = map[string]int{}
		}
		e.confusion[r.Category][string(model.Classify(r.observation()).Category)]++
	}
}

// f1 returns precision, recall and F1 of a category.
func (e evaluation) f1(category string) (precision, recall, f1 float64) {
	hits, labelled, answered := float64(e.confusion[category][category]), 0.0, 0.0
	for label, answers := range e.confusion {
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
func (e evaluation) macroF1() float64 {
	sum := 0.0
	for category := range e.confusion {
		_, _, f1 := e.f1(category)
		sum += f1
	}
	return sum / float64(len(e.confusion))
}

// print writes the figures and the confusion table (a row a label, a column an answer) as Markdown.
func (e evaluation) print(to io.Writer) {
	fmt.Fprintf(to, "macro-F1 %.3f\n\n| label | precision | recall | F1 |", e.macroF1())
	head, rule := "", "|---|---|---|---|"
	for _, use := range lore.Categories() {
		head += fmt.Sprintf(" %s |", use.Value)
		rule += "---|"
	}
	fmt.Fprintf(to, "%s\n%s\n", head, rule)
	for _, use := range lore.Categories() {
		answers, found := e.confusion[string(use.Value)]
		if !found {
			continue
		}
		precision, recall, f1 := e.f1(string(use.Value))
		line := []string{string(use.Value), fmt.Sprintf("%.2f", precision), fmt.Sprintf("%.2f", recall), fmt.Sprintf("%.2f", f1)}
		for _, answer := range lore.Categories() {
			line = append(line, fmt.Sprint(answers[string(answer.Value)]))
		}
		fmt.Fprintf(to, "| %s |\n", strings.Join(line, " | "))
	}
}
