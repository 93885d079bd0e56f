package lore

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The look at what may stand in a text leaves out no entity that looking for each anchor finds.
func TestNoAnchoredEntityIsLeftOut(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"eip155:", "EIP155:1", "solana:", "cosmos:hub-4", "bip122:", "xrpl:0", "near:", "sui:x", "EIP", "eip", "Erc", "SWC", "bip", "caip", "simd", "XLS", "ſwc", "CVE-", "cve-2024-", "2024-12345", "GHSA-", "abcd-1234-ef56",
		"error ", "Error ", "revert ", "  ", "PoolPaused", "PoolPaused(", "Panic(0x", "panic(0x11)", "11)", "viem@", "@scope/name@", "v2.9.1", "2.9", "@", " ", "-", ":", "(", ")", "1", "20", "1559", "x", "é", "\xff", "\n", ",",
	}
	every := [entityKinds]bool{}
	for kind := range every {
		every[kind] = true
	}
	random := rand.New(rand.NewPCG(2, 9))
	found, spared := 0, 0
	for range 100_000 {
		var text strings.Builder
		for range 1 + random.IntN(8) {
			text.WriteString(pieces[random.IntN(len(pieces))])
		}
		var got, want entityList
		got.anchored(text.String())
		want.anchoredOf(text.String(), every)
		if diff := cmp.Diff(want.byKind, got.byKind); diff != "" {
			t.Fatalf("%q (-want +got):\n%s", text.String(), diff)
		}
		for _, kind := range want.byKind {
			found += len(kind)
		}
		if _, some := anchoredKinds(text.String()); !some {
			spared++
		}
	}
	if found < 10_000 || spared < 10_000 {
		t.Errorf("%d entities were found, %d texts have none: too few of either to tell", found, spared)
	}
}
