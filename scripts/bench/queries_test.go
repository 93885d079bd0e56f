package main

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestMistypeChangesEveryLongWordAndNoOther(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	const query = "swap fails with Insufficient liquidity on pool 0x12345 aaaaa"
	for range 200 {
		wrong := mistype(query, random)
		before, after := strings.Fields(query), strings.Fields(wrong)
		if len(before) != len(after) {
			t.Fatalf("%q has another number of words", wrong)
		}
		for i := range before {
			long := len(wordPattern.FindString(before[i])) >= 5
			if long == (before[i] == after[i]) {
				t.Fatalf("%q became %q", before[i], after[i])
			}
			if before[i][0] != after[i][0] {
				t.Fatalf("%q lost its first letter in %q", before[i], after[i])
			}
		}
	}
}

func TestPrefixLeavesFourLettersAndTakesOne(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		cut := prefix("stale oracle price of it", random)
		if !strings.HasPrefix("stale oracle price", cut) || len(cut) < len("stale oracle pric") {
			t.Fatalf("cut to %q", cut)
		}
	}
	if cut := prefix("a bc def", random); cut != "" {
		t.Errorf("a query without a long word was cut to %q", cut)
	}
}

func TestSetsAreFullAndDiffer(t *testing.T) {
	b := &bench{options: options{Seed: 1, Data: t.TempDir()}}
	t.Chdir("../..") // the demo's observations stand in
	sets, err := b.querySets(40)
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range sets {
		if len(set.queries) != 40 {
			t.Errorf("%s has %d queries", set.name, len(set.queries))
		}
	}
	if sets[0].queries[0] == sets[1].queries[0] && sets[0].queries[1] == sets[1].queries[1] {
		t.Error("the mistyped queries are the clean ones")
	}
}
