package main

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestNDCG(t *testing.T) {
	grades := map[string]int{"a": 2, "b": 1}
	for name, one := range map[string]struct {
		found []string
		want  float64
	}{
		"ideal":      {[]string{"a", "b", "x"}, 1},
		"none":       {[]string{"x"}, 0},
		"swapped":    {[]string{"b", "a"}, (1 + 3/math.Log2(3)) / (3 + 1/math.Log2(3))},
		"twice":      {[]string{"a", "a"}, 3 / (3 + 1/math.Log2(3))},
		"beyond ten": {[]string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "a"}, 0},
	} {
		if got := ndcg(one.found, grades); math.Abs(got-one.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", name, got, one.want)
		}
	}
	if ndcg([]string{"a"}, map[string]int{"a": 0}) != 0 {
		t.Error("a query without answers has a gain")
	}
}

// Changes are the same in each run, keep first letters, and leave identifiers alone.
func TestChangesOfQueries(t *testing.T) {
	const text = "withdraw reverts in latestRoundData() 0xabc of the collateral vault"
	for name, change := range changes {
		first, second := change(text, rand.New(rand.NewPCG(11, 0))), change(text, rand.New(rand.NewPCG(11, 0)))
		if first != second || first == text {
			t.Errorf("%s: %q and %q", name, first, second)
		}
		words := strings.Fields(first)
		for i, word := range strings.Fields(text) {
			if words[i][0] != word[0] || len(words[i]) < min(len(word), minKept) {
				t.Errorf("%s makes %q of %q", name, words[i], word)
			}
			if !letters(word) && words[i] != word {
				t.Errorf("%s changes %q", name, word)
			}
		}
	}
}

func TestLongDocumentsAreObserved(t *testing.T) {
	long := document{ID: "7", Title: strings.Repeat("title ", 200), Text: strings.Repeat("é", maxContent)}.observe()
	if len([]rune(long.Summary)) > 500 || len(long.Content) > maxContent || !strings.HasPrefix(long.Content, "title") {
		t.Errorf("summary of %d, content of %d, %.20q", len(long.Summary), len(long.Content), long.Content)
	}
	if bare := (document{ID: "8", Text: "only text"}).observe(); bare.Summary != "only text" || bare.Content != "" {
		t.Errorf("%+v", bare)
	}
}
