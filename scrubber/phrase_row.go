package scrubber

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	fewestSure  = 11 // words of a phrase of twelve, one of which is missing or mistyped
	mostLikely  = 27 // words that may stand together where no checksum tells the phrase from the words around
	mostAround  = 3  // words of the list that may stand around a proven phrase: its name, the head of a column
	longestMix  = 64 // words for which other orders than the reader's are tried
	labelBefore = 64 // bytes before a phrase in which its name may stand
	labelBehind = 48
)

// provenRow emits the windows of a row whose checksum is valid, in the order of reading, of their numbers, or by
// columns. It returns how many words the first and the last of them cover with what is between.
func (sc *scan) provenRow(r row) int {
	if r.list == listElectrumOld {
		return 0
	}
	from, to := r.n, 0
	var before, behind []int // numbers beside the words, where the row is short
	for i := 0; i+fewestWords <= r.n; i++ {
		var room [mostWords]uint16
		values := room[:min(len(room), r.n-i)]
		for k := range values {
			values[k] = uint16(sc.value(r.at(i+k), r.list))
		}
		likely := likelyLengths(values)
		if likely == 0 {
			continue
		}
		if !sc.afford(costWindows) {
			sc.emitRow(r.at(i), r.at(r.n-1))
			return r.n
		}
		if r.n <= longestMix && before == nil {
			before, behind = sc.numbersBeside(r)
		}
		for _, n := range phraseLengths {
			if likely&(1<<n) == 0 {
				continue
			}
			if sc.proven(r.list, values[:n]) || before != nil && (sc.provenOrder(r.list, values[:n], before[i:]) ||
				sc.provenOrder(r.list, values[:n], behind[i:]) || sc.provenColumns(r, i, values[:n])) {
				sc.emitRow(r.at(i), r.at(i+n-1))
				from, to = min(from, i), i+n
			}
		}
	}
	return max(0, to-from)
}

// likelyLengths returns, as bits, the numbers of words from the first on that look like a phrase: most are distinct, and they are in no
// order, as in an excerpt of the list.
func likelyLengths(values []uint16) (likely uint32) {
	distinct, rises, falls := 0, 0, 0
	for k, v := range values {
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

func (sc *scan) emitRow(first, last int) {
	sc.emit(KindBIP39, int(sc.tokens[first].lo), int(sc.tokens[last].hi))
}

// numbersBeside returns the last number that stands before each word of a row, and the first after it, or -1.
func (sc *scan) numbersBeside(r row) (before, behind []int) {
	const far = 40
	for k := range r.n {
		t := sc.tokens[r.at(k)]
		lo, hi := max(0, int(t.lo)-far), min(len(sc.text), int(t.hi)+far)
		if k > 0 {
			lo = max(lo, int(sc.tokens[r.at(k-1)].hi))
		}
		if k+1 < r.n {
			hi = min(hi, int(sc.tokens[r.at(k+1)].lo))
		}
		head, tail := sc.text[lo:t.lo], sc.text[t.hi:hi]
		end := strings.LastIndexAny(head, "0123456789") + 1
		before = append(before, smallNumber(head[back(head, end, clsDigit):end]))
		at := max(0, strings.IndexAny(tail, "0123456789"))
		behind = append(behind, smallNumber(tail[at:forward(tail, at, clsDigit)]))
	}
	return before, behind
}

// smallNumber reads one or two digits.
func smallNumber(s string) int {
	if n, err := strconv.Atoi(s); err == nil && len(s) <= 2 {
		return n
	}
	return -1
}

// provenOrder tries the order that numbers from 0 or 1 on give.
func (sc *scan) provenOrder(list int, values []uint16, numbers []int) bool {
	var ordered [mostWords]uint16
	n, seen, mixed := len(values), uint32(0), false
	base := slices.Min(numbers[:n])
	if base < 0 || base > 1 {
		return false
	}
	for k, number := range numbers[:n] {
		if number -= base; number < n {
			seen |= 1 << number
			ordered[number] = values[k]
			mixed = mixed || number != k
		}
	}
	return seen == 1<<n-1 && mixed && sc.proven(list, ordered[:n])
}

// provenColumns tries the order by columns, if the words stand in lines of equally many.
func (sc *scan) provenColumns(r row, i int, values []uint16) bool {
	n, columns := len(values), 0
	for k := 1; k < n; k++ {
		broken := strings.Contains(sc.gap(r.at(i+k-1), r.at(i+k)), "\n")
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
	ordered := make([]uint16, 0, mostWords)
	for column := range columns {
		for k := column; k < n; k += columns {
			ordered = append(ordered, values[k])
		}
	}
	return sc.proven(r.list, ordered)
}

// likelyRow emits what has no valid checksum, as a word is mistyped or missing or the list has none, but can't well be anything else:
// eleven words of a list, at most one other among them, which are named a phrase or stand one a cell. What a proof
// took stays with that, if the words around it don't make a phrase with it.
func (sc *scan) likelyRow(r row, proven int) {
	if r.n > mostLikely {
		return
	}
	exact, sure := r.n, r.n
	before, behind := sc.beyond(r, -1), sc.beyond(r, r.n)
	if before > 0 && before >= behind {
		sure, r.n = exact+before, exact+before+1
		r.first -= (before + 1) * r.stride
	} else if behind > 0 {
		sure, r.n = exact+behind, exact+behind+1
	}
	for i := range 3 { // the name of the phrase may be made of words of the list, too
		if sure-i > fewestSure && r.stride == 1 && strings.ContainsAny(sc.gap(r.at(i), r.at(i+1)), ":=") {
			r.first, sure, r.n = r.at(i+1), sure-i-1, r.n-i-1
			break
		}
	}
	last := r.at(r.n - 1)
	if sure < fewestSure || r.n > mostLikely || proven > 0 && r.n-proven <= mostAround && !phraseLength(r.n) || !sc.drawnRow(r) {
		return
	}
	cellwise := true
	for i := r.first; i < last; i += r.stride {
		if _, same := sameBut(sc.gap(r.first, r.at(1)), sc.gap(i, i+r.stride), clsDigit); !same && r.stride > 1 {
			return
		}
		cellwise = cellwise && cellBreak(sc.gap(i, i+r.stride))
	}
	switch {
	case r.list == listElectrumOld && cellwise:
		if r.n > 13 && (r.n < 23 || r.n > 25) {
			return
		}
	case r.list == listElectrumOld: // words of prose: they stand alone after their name
		lo := int(sc.tokens[r.first].lo)
		if r.n != exact || exact != 12 && exact != 24 || !sc.labelled(r.first, last) || !cellBreak(sc.text[max(0, lo-2):lo]) {
			return
		}
	case !cellwise && !sc.labelled(r.first, last):
		return
	}
	sc.emitRow(r.first, last)
}

// phraseLength tells the number of words of a phrase of BIP-39, or one less.
func phraseLength(n int) bool { return n >= fewestSure && n <= 24 && n%3 != 1 }

// beyond counts the words of a row's list that go on after one other word beside it: before the row for -1, else after it.
func (sc *scan) beyond(r row, k int) (n int) {
	step := 1
	if k < 0 {
		step = -1
	}
	at := r.at(k)
	if at < 0 || at >= len(sc.tokens) || !sc.near(min(at, r.at(k-step)), max(at, r.at(k-step))) {
		return 0
	}
	r.first = at // the row goes on from the other word
	for n < mostLikely && sc.holds(r, step*(n+1)) {
		n++
	}
	return n
}

// drawnRow refuses few distinct words, among them a name before each word (word 1: ...), and words in the order of the list.
func (sc *scan) drawnRow(r row) bool {
	var room [mostLikely]uint16
	values := room[:0]
	for k := range r.n {
		if v := sc.value(r.at(k), r.list); v >= 0 {
			values = append(values, uint16(v))
		}
	}
	return likelyLengths(values)>>len(values)&1 == 1
}

// cellBreak reports whether what stands between two words parts cells, not words of a sentence.
func cellBreak(gap string) bool {
	return strings.Contains(gap, "  ") || strings.IndexFunc(gap, func(r rune) bool {
		return !strings.ContainsRune(" ,.-_/()", r) && (r >= utf8.RuneSelf || letters[r] == 0)
	}) >= 0
}

// labels are what a phrase is called, in lower case.
var labels = []string{
	"mnemonic", "seed", "recover", "phrase", "backup", "wallet", "words", "semilla", "助记词", "助記詞", "мнемон", "сид-фраз", "frase de",
	"ニーモニック", "니모닉",
}

// labelled reports whether a name of a phrase stands close before its first word, among the first of them, or soon after the last.
func (sc *scan) labelled(first, last int) bool {
	lo, hi := int(sc.tokens[first].lo), int(sc.tokens[last].hi)
	before, behind := sc.text[max(0, lo-labelBefore):min(len(sc.text), lo+24)], sc.text[hi:min(len(sc.text), hi+labelBehind)]
	return holdsAny(strings.ToLower(before), labels) || holdsAny(strings.ToLower(behind), labels)
}
