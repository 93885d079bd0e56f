package main

import (
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"slices"
	"strings"

	"agentlore/lore"
)

// evaluation counts held-out answers by label, then by answer.
type evaluation map[string]map[string]int

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
func evaluate(rows []row) evaluation {
	fold := foldOf(rows)
	parts := map[string][]row{}
	for _, r := range rows {
		parts[fold(r.Origin)] = append(parts[fold(r.Origin)], r)
	}
	result := evaluation{}
	for held, part := range parts {
		model := train(slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return fold(r.Origin) == held }))
		for _, r := range part {
			if result[r.Category] == nil {
				result[r.Category] = map[string]int{}
			}
			result[r.Category][string(model.Classify(r.observation()).Category)]++
		}
	}
	return result
}

// f1 returns precision, recall and F1 of a category.
func (e evaluation) f1(category string) (precision, recall, f1 float64) {
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

// print writes the figures and the confusion table (a row a label, a column an answer) as Markdown.
func (e evaluation) print(to io.Writer) {
	labels := slices.Sorted(maps.Keys(e))
	fmt.Fprintf(to, "macro-F1 %.3f\n\n| label | precision | recall | F1 | %s |\n%s|\n",
		e.macroF1(), strings.Join(labels, " | "), strings.Repeat("|---", 4+len(labels)))
	for _, label := range labels {
		precision, recall, f1 := e.f1(label)
		fmt.Fprintf(to, "| %s | %.2f | %.2f | %.2f |", label, precision, recall, f1)
		for _, answer := range labels {
			fmt.Fprintf(to, " %d |", e[label][answer])
		}
		fmt.Fprintln(to)
	}
}
