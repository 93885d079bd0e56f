package scrubber

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// judge emits a row that can't well be anything but a phrase: eleven words of a list, at most one other among them, which are named a
// phrase or stand one a cell.
func (sc *scan) judge(r row) {
	exact, sure := r.n, r.n
	before, behind := sc.beyond(r, -1), sc.beyond(r, r.n)
	if before > 0 && before >= behind {
		sure, r.n = exact+before, exact+before+1
		r.first -= (before + 1) * r.stride
	} else if behind > 0 {
		sure, r.n = exact+behind, exact+behind+1
	}
	named := sc.unnamed(r)
	sure -= r.n - named.n
	if r = named; sure < fewestSure || r.n <= longestPhrase && !sc.drawn(r, 2) {
		return
	}
	last, cellwise, joined := r.at(r.n-1), true, r.stride > 1 && r.n >= surestStretch && sc.joined(r)
	for i := r.first; i < last; i += r.stride {
		gap := sc.gap(i, i+r.stride)
		if _, same := sameBut(sc.gap(r.first, r.at(1)), gap, clsAlnum); !same && r.stride > 1 {
			return
		}
		cellwise = cellwise && (joined || cellBreak(gap))
	}
	label := sc.labelled(r.first, last)
	if r.list == listElectrumOld { // words of prose: as many as a phrase has, in cells or alone after their name
		lo := int(sc.tokens[r.first].lo)
		if cellwise && r.n > 13 && r.n != 24 || !cellwise && (!label || exact != 12 && exact != 24 || !cellBreak(sc.text[max(0, lo-2):lo])) {
			return
		}
	} else if !cellwise && !label {
		return
	}
	sc.emitDrawn(r)
}

// unnamed takes the names beside a phrase, which may be made of words of the list, off a row: what stands before the only colon or
// equals sign, and behind it the key of the next member.
func (sc *scan) unnamed(r row) row {
	sign := func(k int) bool { return strings.ContainsAny(sc.gap(r.at(k), r.at(k+1)), ":=") }
	for k := range min(3, r.n-2) {
		if r.stride == 1 && sign(k) && !sign(k+1) {
			r.first, r.n = r.at(k+1), r.n-k-1
			break
		}
	}
	if strings.HasPrefix(sc.text[sc.tokens[r.at(r.n-1)].hi:], `":`) {
		r.n--
	} else if name := sc.nextName(r); name > 0 {
		for int(sc.tokens[r.at(r.n-1)].lo) >= name {
			r.n--
		}
	}
	return r
}

// nextName returns where the name begins that the last word of a row is part of, or 0: a sign stands behind it, and a line break or a
// quote before it, or it is part of NAME=. Taken for a word of the phrase, it would be lost to the value behind it, often a password.
func (sc *scan) nextName(r row) int {
	last := sc.tokens[r.at(r.n-1)]
	lo, end := back(sc.text, int(last.lo), clsURL64), forward(sc.text, int(last.hi), clsURL64)
	if r.stride > 1 || lo <= int(sc.tokens[r.first].hi) || strings.ContainsAny(sc.gap(r.first, r.at(1)), ":=") {
		return 0
	}
	sign := skip(sc.text[:min(len(sc.text), end+longestGap)], end, "\"' \t")
	apart := strings.ContainsAny(sc.text[max(0, lo-longestGap):lo], "\n\"'`")
	if c := byteAfter(sc.text, sign); c == '=' && (apart || sign == end) || c == ':' && apart {
		return lo
	}
	return 0
}

// drawn refuses what isn't drawn from a list: few distinct words (of three, so many at least), among them a name before each word
// (word 1: ...), and words in the order of the list. The public vectors, one word over and over beside another, are let through.
func (sc *scan) drawn(r row, ofThree int) bool {
	var room [longestPhrase]int
	values, before := room[:0], -1
	distinct, rises, falls, streak, longest := 0, 0, 0, 0, 0
	for k := range r.n {
		v := sc.value(r.at(k), r.list)
		if v < 0 {
			continue
		}
		if !slices.Contains(values, v) {
			distinct++
		}
		if v != before {
			streak = 0
		}
		if streak++; v > before {
			rises++
		} else if v < before {
			falls++
		}
		longest = max(longest, streak)
		values, before = append(values, v), v
	}
	vector := ofThree == 1 && longest >= fewestSure && distinct > 1
	return vector || distinct >= fewestDistinct && 3*distinct > ofThree*len(values) && min(rises, falls) > 1
}

// emitDrawn emits a row, or of one that is longer than a phrase those words that are drawn, wherever in it they stand, and the two on
// either side: every third place is looked at.
func (sc *scan) emitDrawn(r row) {
	const step = 3
	from, to := 0, r.n
	if r.n > longestPhrase {
		to = 0
		for k := 0; k+fewestWords <= r.n; k += step {
			if !sc.drawn(row{r.list, r.at(k), r.stride, fewestWords}, 1) {
				continue
			}
			if k-step > to {
				sc.emitWords(r, from, to)
				from = k - step + 1
			}
			to = min(r.n, k+fewestWords+step-1)
		}
	}
	sc.emitWords(r, max(0, from), to)
}

// emitWords emits a row's words from one on to another.
func (sc *scan) emitWords(r row, from, to int) {
	if from >= to {
		return
	}
	sc.emit(KindBIP39, int(sc.tokens[r.at(from)].lo), int(sc.tokens[r.at(to-1)].hi))
	if r.n > longestPhrase {
		for i := r.at(from); i < r.at(to); i += r.stride { // no wider row needs to begin here: they cost the most time
			sc.marks[i/64] &^= 1 << (i % 64)
		}
	}
}

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
	for sc.holds(r, step*(n+1)) {
		n++
	}
	return n
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
