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
	for i := range rememberedPairs + 10 {
		memory.add(curator.Pair{A: first.A, B: lore.DerivedID(strconv.Itoa(i))})
	}
	if len(memory.pairs) > rememberedPairs {
		t.Errorf("%d pairs are remembered", len(memory.pairs))
	}
	if invalid := (curator.Pair{A: "no id", B: first.B}); !memory.add(invalid) || !memory.add(invalid) || memory.has(invalid) {
		t.Error("what has no id can't be remembered")
	}
}
