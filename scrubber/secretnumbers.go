package scrubber

// The XRP ledger's secret numbers: eight groups of six digits, in any layout. Of each group five digits hold 16 bits and the sixth is
// their value, times twice the group's place plus one, modulo nine (XLS-12).
func secretNumberRules() []rule {
	return []rule{{
		name: "secret numbers", kind: KindLedgerSeed, find: findSecretNumbers,
		removed: []string{
			"«<numbers: >»", "secret «<numbers:->».", "A. «<numbers:lettered>»", "| «<numbers:table>» |", "[\"«<numbers:quoted>»\"]", "«<numbers:glued>»", "row 1: «<numbers:lines>»", "{\"A\": \"«<numbers:members>»\"}", "\n«<numbers:columns>»\n",
		},
		kept: []string{"<badnumbers>", "100000 200000 300000 400000 500000 600000 700000 800000", "#<dig:6> <dig:7> <dig:6>", "block <dig:48>", "000000 000000 000000 000000 000000 000000 000000 000000"},
	}}
}

const (
	groupDigits = 6
	groups      = 8
	longestLead = 48 // bytes between two groups
)

// findSecretNumbers probes one byte in six for digits.
func findSecretNumbers(sc *scan, _, _ int) int {
	text := sc.text
	var places [groups]int
	found, end := 0, 0
	for p := groupDigits - 1; p < len(text); {
		if !is(text[p], clsDigit) {
			p += groupDigits
			continue
		}
		lo, hi := back(text, p, clsDigit), forward(text, p, clsDigit)
		p = hi + groupDigits
		alone := (lo == 0 || !is(text[lo-1], clsLetter)) && (hi == len(text) || !is(text[hi], clsLetter))
		if hi-lo == groups*groupDigits && alone {
			for k := range places {
				places[k] = lo + k*groupDigits
			}
			if secretNumbers(text, &places) {
				sc.emit(KindLedgerSeed, lo, hi)
			}
		}
		if hi-lo != groupDigits || !alone {
			continue
		}
		if lo-end > longestLead {
			found = 0
		}
		if found == groups {
			copy(places[:], places[1:])
			found--
		}
		places[found] = lo
		found++
		end = hi
		if found == groups && secretNumbers(text, &places) {
			sc.emit(KindLedgerSeed, places[0], hi)
			found = 0
		}
	}
	return len(text)
}

// secretNumbers checks eight groups in the order of reading, and by two and four columns.
func secretNumbers(text string, places *[groups]int) bool {
	same := 0 // versions repeat a number, drawn groups one in a thousand
	for k, at := range places {
		for _, other := range places[:k] {
			if text[at:at+groupDigits] == text[other:other+groupDigits] {
				same++
			}
		}
	}
	if same > 1 {
		return false
	}
	for _, columns := range [...]int{1, 2, 4} {
		rows, valid := groups/columns, true
		for k, at := range places {
			place, value := k%columns*rows+k/columns, 0
			for _, c := range []byte(text[at : at+groupDigits-1]) {
				value = value*10 + int(c-'0')
			}
			valid = valid && value < 1<<16 && value*(2*place+1)%9 == int(text[at+groupDigits-1]-'0')
		}
		if valid {
			return true
		}
	}
	return false
}
