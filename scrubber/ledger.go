package scrubber

import "strings"

// XRP ledger seeds and keys.
func ledgerRules() []rule {
	return []rule{{
		name: "ledger seed", kind: KindLedgerSeed, run: 26, strict: false, find: findSeed,
		removed: []string{"seed: «s<b58:28>»", "(«s<b58:25>»)", "_«s<b58:34>»_", "«<seed>»", "«<edseed>»", "种«s<b58:30>»子"},
		kept:    []string{"s<b58:24>", "s<b58:35>", "r<b58:32>", "<b58:44>", "<b58:88>", "Sysvar<b58:30>", "Qm<b58:44>"},
	}, {
		name: "ledger key", kind: KindLedgerKey, run: 66, strict: true, find: findLedgerKey,
		removed: []string{"«ED<HEX:64>»", "key=«ED<HEX:64>»,", "_«ED<hex:64>»", "«ED<HEX:128>»", "x«ED<HEX:64>»z"},
		kept:    []string{"ED<HEX:63>", "ED<HEX:65>", "<HEX:10>ED<HEX:64>", "ED<HEX:130>"},
	}}
}

// findSeed: a run that is exactly s and 25 to 34 base58 characters needs no proof (the specification's
// rule). In a longer run only what a checksum proves is taken (findProvenSeed): unanchored, the pattern would damage
// one Solana address in four.
func findSeed(sc *scan, lo, hi int) int {
	text := sc.text
	if n := hi - lo; n >= 26 && n <= 35 && text[lo] == 's' && all(text[lo:hi], clsBase58) {
		sc.emit(KindLedgerSeed, lo, hi)
		return hi
	}
	if lo > 0 && text[lo-1] == '[' { // the rest of a colour code that lost its escape: [31msn...
		if m := forward(text, lo, clsDigit); m > lo && m < hi && text[m] == 'm' && seedForm(text[m+1:hi]) {
			sc.emit(KindLedgerSeed, m+1, hi)
		}
	}
	sc.seamedSeed(lo, hi)
	return hi
}

func seedForm(s string) bool {
	return len(s) >= 26 && len(s) <= 35 && s[0] == 's' && all(s, clsBase58)
}

// seamedSeed takes invisible characters as the boundaries of a seed.
func (sc *scan) seamedSeed(lo, hi int) {
	if sc.from == nil {
		return
	}
	for i := lo; i+26 <= hi; i++ {
		if sc.text[i] != 's' || i > lo && !sc.seam(i) {
			continue
		}
		for j := min(hi, i+35); j >= i+26; j-- {
			if (j == hi || sc.seam(j)) && seedForm(sc.text[i:j]) {
				sc.emit(KindLedgerSeed, i, j)
				i = j - 1
				break
			}
		}
	}
}

// provenSeed tells whether s is a seed by its base58check: 29 characters with version 0x21, or 31 with 01 E1 4B.
func (sc *scan) provenSeed(s string) bool {
	if len(s) == 31 && s[:3] != "sEd" || !all(s, clsBase58) || len(s) == 29 && !seedRange.holds(s) {
		return false
	}
	if !sc.afford(1) {
		return true
	}
	data, ok := base58Check(rippleDigits, s)
	if !ok {
		return false
	}
	return len(data) == 17 && data[0] == 0x21 || len(data) == 19 && data[0] == 0x01 && data[1] == 0xE1 && data[2] == 0x4B
}

// findLedgerKey: ED and exactly 64 hex digits, or 128 (two keys glued). Other lengths are signed
// transactions and signatures.
func findLedgerKey(sc *scan, lo, hi int) int {
	for i := lo; i+66 <= hi; i++ {
		j := strings.Index(sc.text[i:hi], "ED")
		if j < 0 {
			break
		}
		i += j
		if i > lo && is(sc.text[i-1], clsHex) && !sc.seam(i) {
			continue
		}
		if end, ok := sc.hexKey(i+2, hi); ok {
			sc.emit(KindLedgerKey, i, end)
		}
	}
	return hi
}

// hexKey tells whether exactly 64 or 128 hex digits begin at lo, and where they end.
func (sc *scan) hexKey(lo, limit int) (end int, ok bool) {
	end = lo
	for end < limit && is(sc.text[end], clsHex) {
		end++
		if (end-lo == 64 || end-lo == 128) && sc.seam(end) {
			return end, true
		}
		if end-lo > 128 {
			return end, false
		}
	}
	return end, end-lo == 64 || end-lo == 128
}
