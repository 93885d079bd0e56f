package worker

import (
	"strconv"
	"testing"

	"agentlore/curator"
	"agentlore/lore"
)

func TestPairMemory(t *testing.T) {
	t.Parallel()
	var memory pairMemory
	first := curator.Pair{A: lore.DerivedID("a"), B: lore.DerivedID("b")}
	if memory.has(first) || !memory.add(first) || memory.add(first) || !memory.has(first) {
		t.Error("a pair is new once, and known from then on")
	}
	if other := (curator.Pair{A: first.A, B: lore.DerivedID("c")}); memory.has(other) {
		t.Error("another pair is taken for it")
	}
	many := make([]curator.Pair, 3*rememberedPairs)
	for i := range many {
		many[i] = curator.Pair{A: first.A, B: lore.DerivedID(strconv.Itoa(i))}
		memory.add(many[i])
	}
	kept := 0
	for _, pair := range many {
		if memory.has(pair) {
			kept++
		}
	}
	if kept > rememberedPairs || kept < rememberedPairs*9/10 {
		t.Errorf("%d pairs are remembered, of %d that there is room for", kept, rememberedPairs)
	}
	if invalid := (curator.Pair{A: "no id", B: first.B}); !memory.add(invalid) || !memory.add(invalid) || memory.has(invalid) {
		t.Error("what has no id can't be remembered")
	}
}
