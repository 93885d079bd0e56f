package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"agentlore/enginetest"
)

// A small set of documents and questions of our own. It is no measure of how good search is (make relevance is), but shows when a
// change moves the ranking: one that is meant to moves the floors below with it.
func TestRelevance(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	s := serve(t, prefix)
	args := append([]string{"import", "--collection=submissions", "testdata/relevance_documents.jsonl"}, storeFlags(t, prefix)...)
	if status, printed, errs := run(t, args...); status != 0 || !strings.Contains(printed, "30 stored") {
		t.Fatalf("import: status %d\n%s%s", status, printed, errs)
	}
	inTime(t, "all documents are found", func() bool { return len(s.searchFor(t, "", "limit=50").Results) == 30 })
	table, err := os.ReadFile("testdata/relevance_questions.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		change func(word string) string
		floor  float64 // of the mean nDCG@10
	}{
		"as they are":   {func(word string) string { return word }, 0.955},
		"a letter less": {func(word string) string { return word[:2] + word[3:] }, 0.955},
		"cut":           {func(word string) string { return word[:len(word)-1] }, 0.935},
	} {
		sum, missed := 0.0, []string{}
		questions := strings.Split(strings.TrimSpace(string(table)), "\n")
		for _, line := range questions {
			question, answers, _ := strings.Cut(line, "\t")
			words := strings.Fields(question)
			for i, word := range words {
				if len(word) >= 5 && !strings.ContainsAny(word, "_0123456789") {
					words[i] = test.change(word)
				}
			}
			gain := ndcg(s.searchFor(t, strings.Join(words, " ")).Results, strings.Fields(answers))
			if sum += gain; gain < 0.99 {
				missed = append(missed, fmt.Sprintf("%s (%.2f)", strings.Join(words, " "), gain))
			}
		}
		mean := sum / float64(len(questions))
		t.Logf("%s: nDCG@10 %.4f; not at their best: %s", name, mean, strings.Join(missed, ", "))
		if mean < test.floor {
			t.Errorf("%s: nDCG@10 is %.4f, and was at least %.3f", name, mean, test.floor)
		}
	}
}

// ndcg returns the normalised discounted cumulative gain of ten results, of which each answer counts the same.
func ndcg(results []map[string]any, answers []string) (gain float64) {
	ideal := 0.0
	for i := range answers {
		ideal += 1 / math.Log2(float64(i)+2)
	}
	for i, result := range results[:min(len(results), 10)] {
		if slices.Contains(answers, fmt.Sprint(result["ref"])) {
			gain += 1 / math.Log2(float64(i)+2)
		}
	}
	return gain / ideal
}
