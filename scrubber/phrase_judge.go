package scrubber

import (
	"slices"
	"strings"
)

const (
	fewestSure  = 11 // words of a phrase of twelve, one of which is missing or mistyped
	mostLikely  = 27 // words that may stand together where no checksum tells the phrase from the words around
	mostAround  = 3  // words of the list that may stand around a proven phrase: its name, the head of a column
	longestMix  = 64 // words for which other orders than the reader's are tried
	labelBefore = 64 // bytes before a phrase in which its name may stand
	labelBehind = 48
)

// provenCells emits the windows of the present cells whose checksum is valid, in the order of reading, of their numbers, or by
// columns. It returns how many cells the first and the last of them cover with what is between.
func (sc *scan) provenCells(stride, list int) int {
	cells := sc.cells
	if list == listElectrumOld || len(cells) < fewestWords {
		return 0
	}
	var buf [25]uint16
	from, to := len(cells), 0
	for i := 0; i+fewestWords <= len(cells); i++ {
		values := buf[:min(len(buf), len(cells)-i)]
		likely := sc.shapes(i, list, values)
		if likely == 0 {
			continue
		}
		if !sc.afford(costWindows) {
			sc.emitCells(i, len(cells))
			return len(cells)
		}
		for _, n := range phraseLengths {
			if likely&(1<<n) != 0 && (sc.proven(list, values[:n]) || len(cells) <= longestMix && sc.provenMixed(list, i, n)) {
				sc.emitCells(i, i+n)
				from, to = min(from, i), i+n
			}
		}
	}
	return max(0, to-from)
}

// shapes reads the values of the cells from the i-th on and returns, as bits, the numbers of them that look like a phrase.
func (sc *scan) shapes(i, list int, values []uint16) (likely uint32) {
	distinct, rises, falls := 0, 0, 0
	for k := range values {
		v := uint16(sc.value(int(sc.cells[i+k]), list))
		values[k] = v
		if !slices.Contains(values[:k], v) {
			distinct++
		}
		if k > 0 && v > values[k-1] {
			rises++
		} else if k > 0 {
			falls++
		}
		if distinct >= fewestDistinct && 3*distinct > 2*(k+1) && min(rises, falls) > 1 {
			likely |= 1 << (k + 1)
		}
	}
	return likely
}

func (sc *scan) emitCells(i, j int) {
	sc.emit(KindBIP39, int(sc.tokens[sc.cells[i]].lo), int(sc.tokens[sc.cells[j-1]].hi))
}

// provenMixed tries the orders that numbers before or behind the words, or columns, tell.
func (sc *scan) provenMixed(list, i, n int) bool {
	var values [25]uint16
	for _, behind := range [...]bool{false, true} {
		var numbers [25]int
		base, seen, mixed := mostLikely, uint32(0), false
		for k := range n {
			numbers[k] = sc.number(i+k, behind)
			base = min(base, numbers[k])
		}
		if base < 0 || base > 1 {
			continue
		}
		for k, number := range numbers[:n] {
			if number -= base; number < n {
				seen |= 1 << number
				values[number] = uint16(sc.value(int(sc.cells[i+k]), list))
				mixed = mixed || number != k
			}
		}
		if seen == 1<<n-1 && mixed && sc.proven(list, values[:n]) {
			return true
		}
	}
	columns := 0
	for k := 1; k < n; k++ {
		broken := strings.IndexByte(sc.gap(int(sc.cells[i+k-1]), int(sc.cells[i+k])), '\n') >= 0
		if broken && columns == 0 {
			columns = k
		}
		if broken != (columns > 0 && k%columns == 0) {
			return false
		}
	}
	if columns < 2 || n%columns != 0 {
		return false
	}
	at := 0
	for column := range columns {
		for k := column; k < n; k += columns {
			values[at] = uint16(sc.value(int(sc.cells[i+k]), list))
			at++
		}
	}
	return sc.proven(list, values[:n])
}

// number is the last number that stands before a cell, or the first behind it, or -1.
func (sc *scan) number(k int, behind bool) int {
	const far = 40
	t := sc.tokens[sc.cells[k]]
	if behind {
		end := min(len(sc.text), int(t.hi)+far)
		if k+1 < len(sc.cells) {
			end = min(end, int(sc.tokens[sc.cells[k+1]].lo))
		}
		for i := int(t.hi); i < end; i++ {
			if is(sc.text[i], clsDigit) {
				return smallNumber(sc.text[i:forward(sc.text[:end], i, clsDigit)])
			}
		}
		return -1
	}
	from := max(0, int(t.lo)-far)
	if k > 0 {
		from = max(from, int(sc.tokens[sc.cells[k-1]].hi))
	}
	for i := int(t.lo); i > from; i-- {
		if is(sc.text[i-1], clsDigit) {
			return smallNumber(sc.text[back(sc.text, i, clsDigit):i])
		}
	}
	return -1
}

func smallNumber(s string) int {
	switch {
	case len(s) == 1:
		return int(s[0] - '0')
	case len(s) == 2:
		return int(s[0]-'0')*10 + int(s[1]-'0')
	}
	return -1
}

// likelyCells emits what has no valid checksum, as a word is mistyped or missing or the list has none, but can't well be anything else:
// eleven words of a list, at most one other among them, which are named a phrase or stand one a cell. What a proof
// took stays with that, if the words around it don't make a phrase with it.
func (sc *scan) likelyCells(stride, list, proven int) {
	cells := sc.cells
	first, last := int(cells[0]), int(cells[len(cells)-1])
	exact := len(cells)
	before, behind := sc.beyond(first, -stride, list), sc.beyond(last, stride, list)
	sure, total := exact, exact
	switch {
	case exact > mostLikely:
		return
	case before > 0 && before >= behind:
		sure, total = exact+before, exact+before+1
		first -= (before + 1) * stride
	case behind > 0:
		sure, total = exact+behind, exact+behind+1
		last += (behind + 1) * stride
	}
	for i := range 3 { // the name of the phrase may be made of words of the list, too
		at := first + i*stride
		if sure-i > fewestSure && strings.ContainsAny(sc.gap(at, at+stride), ":=") && stride == 1 {
			first, sure, total = at+stride, sure-i-1, total-i-1
			break
		}
	}
	if sure < fewestSure || total > mostLikely || proven > 0 && total-proven <= mostAround && !phraseLength(total) || stride > 1 && !sc.template(first, last, stride) || !sc.phraseLike(first, last, stride, list) {
		return
	}
	cellwise := true
	for i := first; i < last && cellwise; i += stride {
		cellwise = cellBreak(sc.gap(i, i+stride))
	}
	switch {
	case list == listElectrumOld && !cellwise: // words of prose: they stand alone behind their name
		if total != exact || exact != 12 && exact != 24 || !sc.labelled(first, last) || !cellBreak(sc.text[max(0, int(sc.tokens[first].lo)-2):sc.tokens[first].lo]) {
			return
		}
	case list == listElectrumOld:
		if total > 13 && (total < 23 || total > 25) {
			return
		}
	case !cellwise && !sc.labelled(first, last):
		return
	}
	sc.emit(KindBIP39, int(sc.tokens[first].lo), int(sc.tokens[last].hi))
}

// phraseLength tells the number of words of a phrase of BIP-39, or one less.
func phraseLength(n int) bool { return n >= fewestSure && n <= 24 && (n%3 == 0 || n%3 == 2) }

// template tells whether the same text stands between all words, but for numbers and the width of gaps.
func (sc *scan) template(first, last, stride int) bool {
	model := sc.gap(first, first+stride)
	for i := first + stride; i < last; i += stride {
		if !sameText(model, sc.gap(i, i+stride)) {
			return false
		}
	}
	return true
}

func sameText(a, b string) bool {
	for {
		a, b = pastNumber(a), pastNumber(b)
		if a == "" || b == "" {
			return a == b
		}
		if a[0] != b[0] {
			return false
		}
		a, b = a[1:], b[1:]
	}
}

func pastNumber(s string) string {
	i := 0
	for i < len(s) && (is(s[i], clsDigit) || s[i] == ' ') {
		i++
	}
	return s[i:]
}

// beyond counts the words of the list that stand behind one other word, in steps of a stride.
func (sc *scan) beyond(at, stride, list int) (n int) {
	far := max(stride, -stride)
	next := func(i int) bool {
		j := i + stride
		return j >= 0 && j < len(sc.tokens) && sc.near(min(i, j), max(i, j), far)
	}
	if !next(at) {
		return 0
	}
	for at += stride; n < mostLikely && next(at) && sc.value(at+stride, list) >= 0; at += stride {
		n++
	}
	return n
}

// phraseLike refuses few distinct words, among them a name before each word (word 1: ...), and words in the order of the list: an excerpt of it.
func (sc *scan) phraseLike(first, last, stride, list int) bool {
	var seen [mostLikely]int
	distinct, rises, falls, total, before := 0, 0, 0, 0, -1
	for i := first; i <= last; i += stride {
		v := sc.value(i, list)
		if v < 0 {
			continue
		}
		total++
		if !slices.Contains(seen[:distinct], v) && distinct < len(seen) {
			seen[distinct] = v
			distinct++
		}
		if before >= 0 && v > before {
			rises++
		} else if before >= 0 {
			falls++
		}
		before = v
	}
	return distinct >= fewestDistinct && 3*distinct > 2*total && min(rises, falls) > 1
}

// cellBreak tells whether what stands between two words parts cells, not words of a sentence.
func cellBreak(gap string) bool {
	for i := range len(gap) {
		switch c := gap[i]; {
		case c == ' ':
			if i+1 < len(gap) && gap[i+1] == ' ' {
				return true
			}
		case c != ',' && c != '.' && c != '-' && c != '_' && c != '/' && c != '(' && c != ')' && !is(c, clsLetter):
			return true
		}
	}
	return false
}

// labels are what a phrase is called, in lower case.
var labels = [...]string{"mnemonic", "seed", "recover", "phrase", "backup", "wallet", "words", "semilla", "助记词", "助記詞", "мнемон", "сид-фраз", "frase de", "ニーモニック", "니모닉"}

// labelled tells whether a name of a phrase stands close before its first word, among the first of them, or close behind the last.
func (sc *scan) labelled(first, last int) bool {
	lo, hi := int(sc.tokens[first].lo), int(sc.tokens[last].hi)
	around := [...]string{sc.text[max(0, lo-labelBefore):min(len(sc.text), lo+24)], sc.text[hi:min(len(sc.text), hi+labelBehind)]}
	for _, s := range around {
		s = strings.ToLower(s)
		for _, label := range labels {
			if strings.Contains(s, label) {
				return true
			}
		}
	}
	return false
}
