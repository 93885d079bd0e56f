package index

import (
	"math/bits"
	"slices"
	"sync"
)

// termUse is that a result has a term so often.
type termUse struct {
	result    int32
	frequency int32
}

// termTable groups the terms of results by what they are, and holds how alike the results are by them. It is used again: the
// 5,100 terms of forty results and 1,600 numbers would be much garbage of a search.
type termTable struct {
	slots   []termSlot // open addressing, a power of two
	numbers []int32    // of each use, in the order of results: its term
	uses    []termUse
	counts  []int32 // of each term: its uses
	cells   []termUse
	grouped [][]termUse
	rows    [][]float64
	values  []float64 // of the rows
}

// termSlot holds the number of a term, 0 for an empty slot.
type termSlot struct {
	hash   uint32
	number int32
}

var termTables = sync.Pool{New: func() any { return new(termTable) }}

// usesOfTerms returns the results that have a term, for each term, in their order. They are the table's, until the next call.
func (t *termTable) usesOfTerms(signatures []signature) [][]termUse {
	all := 0
	for _, signature := range signatures {
		all += len(signature.terms) / termBytes
	}
	t.reset(all)
	for i, signature := range signatures {
		signature.each(func(hash uint32, frequency, _ int) {
			number := t.numberOf(hash)
			t.counts[number]++
			t.numbers, t.uses = append(t.numbers, number), append(t.uses, termUse{int32(i), int32(frequency)})
		})
	}
	cells := t.cells
	for _, count := range t.counts {
		t.grouped, cells = append(t.grouped, cells[:0:count]), cells[count:]
	}
	for k, number := range t.numbers {
		t.grouped[number] = append(t.grouped[number], t.uses[k])
	}
	return t.grouped
}

// reset makes room for so many uses of terms.
func (t *termTable) reset(uses int) {
	slots := 1 << bits.Len(uint(uses+uses/2)) // two thirds full at most: more room is more memory to clear and to fetch
	if slots > len(t.slots) {
		t.slots, t.cells = make([]termSlot, slots), make([]termUse, slots)
	} else {
		clear(t.slots)
	}
	t.numbers, t.uses, t.counts, t.grouped = t.numbers[:0], t.uses[:0], t.counts[:0], t.grouped[:0]
}

// square returns n rows of n zeros. They are the table's, until the next call.
func (t *termTable) square(n int) [][]float64 {
	t.rows, t.values = t.rows[:0], slices.Grow(t.values[:0], n*n)[:n*n]
	clear(t.values)
	for i := range n {
		t.rows = append(t.rows, t.values[i*n:(i+1)*n])
	}
	return t.rows
}

// numberOf returns a term's number, a new one for a new term.
func (t *termTable) numberOf(hash uint32) int32 {
	last := uint32(len(t.slots) - 1)
	for at := hash * knuthFactor >> 7 & last; ; at = (at + 1) & last {
		slot := &t.slots[at]
		if slot.number == 0 {
			t.counts = append(t.counts, 0)
			*slot = termSlot{hash, int32(len(t.counts))}
		}
		if slot.hash == hash {
			return slot.number - 1
		}
	}
}
