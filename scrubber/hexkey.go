package scrubber

import "strings"

// Ethereum private keys.
func hexKeyRules() []rule {
	return []rule{{
		name: "0x key", kind: KindEthKey, run: 66, strict: true, find: findEthKey,
		removed: []string{"«0x<hex:64>»", "key:«0x<HEX:64>»;", "a«0x<hex:64>»", "«0x<hex:128>»", "_«0x<hex:64>»_", "«0x<hex:64>»ghi"},
		kept:    []string{"0x<hex:63>", "0x<hex:65>", "0x<hex:40>", "<hex:64>", "0x<hex:130>", "0x<hex:200>"},
	}}
}

// findEthKey: 0x and exactly 64 hex digits, or 128 (two keys glued). A transaction hash has the same form and goes too:
// the specification's rule wins, and the note says how to cite a hash.
func findEthKey(sc *scan, lo, hi int) int {
	for i := lo; i+66 <= hi; i++ {
		j := strings.IndexByte(sc.text[i:hi], '0')
		if j < 0 {
			break
		}
		i += j
		if i+1 < hi && sc.text[i+1]|0x20 == 'x' {
			if end, ok := sc.hexKey(i+2, hi); ok {
				sc.emit(KindEthKey, i, end)
			}
		}
	}
	return hi
}
