package scrubber

import (
	"runtime"
	"strings"
	"testing"
)

// cleanASCII are texts as agents write them, with several lines and no secret.
var cleanASCII = []string{
	"Rebalance fails when the oracle is stale; retry after two blocks.",
	strings.Repeat("Swap on pool 0x"+strings.Repeat("ab", 20)+" reverts with STF.\nThe router checks allowance first, then balance.\n- retry\n- raise gas\n", 15),
}

// A clean ASCII text costs at most two allocations.
func TestCleanTextHardlyAllocates(t *testing.T) {
	s := newScrubber(t)
	for _, text := range cleanASCII {
		if n := testing.AllocsPerRun(200, func() { s.text(text) }); n > 2 {
			t.Errorf("%v allocations on %d bytes", n, len(text))
		}
	}
}

func BenchmarkCleanASCII(b *testing.B) {
	s := newScrubber(b)
	text := cleanASCII[1]
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		s.text(text)
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		newScrubber(b)
	}
}

// A text with typographic signs is read in further ways, which allocate no more than the text itself a few times.
func TestViewsAllocateLittle(t *testing.T) {
	sc := newScrubber(t).pool.New().(*scan)
	text := strings.Repeat("The pool’s router “checks” the allowance – then the balance.\r\n", 100)
	sc.find(text) // has room from here on
	const runs = 100
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		sc.find(text)
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / runs; each > 4*uint64(len(text)) {
		t.Errorf("%d bytes allocated for a text of %d", each, len(text))
	}
}
