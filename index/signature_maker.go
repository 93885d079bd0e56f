package index

import (
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"
	"strings"
	"sync"
)

// termCount is a term and how often it stands in a text, and in its summary.
type termCount struct {
	term         string
	coded        uint32 // hashTerm's
	all, summary int
}

// order returns the frequency, the length and the first letters, reversed, as one number: to compare those of some hundred terms
// one after the other took a tenth of an import's processor time.
func (t *termCount) order() uint64 {
	var letters [4]byte
	copy(letters[:], t.term)
	return uint64(min(t.all, math.MaxUint16))<<48 | uint64(min(len(t.term), math.MaxUint16))<<32 | uint64(^binary.BigEndian.Uint32(letters[:]))
}

// rankedTerm is a term's order, and its place in counts.
type rankedTerm struct {
	order uint64
	place int
}

// signatureMaker gathers what a signature is made of.
type signatureMaker struct {
	counts  []termCount
	slots   []int32 // a hash table: of a term its place in counts, from 1, in the slot that its hash names or in one behind
	sorted  []rankedTerm
	words   int
	opening []uint16
}

// fewestSlots is how many slots a maker has at least, a power of two: a text of usual length has a few hundred terms.
const fewestSlots = 1024

// signatureMakers are kept: to make room anew takes as long as to fill it.
var signatureMakers = sync.Pool{New: func() any { return &signatureMaker{slots: make([]int32, fewestSlots)} }}

// keptSlots is how many slots a maker may have that is kept.
const keptSlots = 8 * fewestSlots

// release gives a maker back, with nothing of the text.
func (m *signatureMaker) release() {
	if len(m.slots) > keptSlots {
		return
	}
	clear(m.counts)
	clear(m.slots)
	*m = signatureMaker{counts: m.counts[:0], slots: m.slots, sorted: m.sorted[:0], opening: m.opening[:0]}
	signatureMakers.Put(m)
}

// add takes the terms of a part of the text.
func (m *signatureMaker) add(text string, summary bool) {
	if len(m.opening) > 0 {
		m.open(endOfPart)
	}
	eachTerm(text, func(term string) {
		count := m.count(term)
		weight := 1
		if summary {
			weight = signatureSummary
			count.summary++
		}
		count.all += weight
		m.words += weight
		m.open(hashOpening(count.coded))
	})
}

// count returns the count of a term; a new one begins at 0. With Go's own map all of a signature took half as long again.
func (m *signatureMaker) count(term string) *termCount {
	slot := m.slot(term)
	if place := m.slots[slot]; place > 0 {
		return &m.counts[place-1]
	}
	m.counts = append(m.counts, termCount{term: term, coded: hashTerm(term)})
	m.slots[slot] = int32(len(m.counts))
	if 2*len(m.counts) > len(m.slots) {
		m.slots = make([]int32, 2*len(m.slots))
		for i := range m.counts {
			m.slots[m.slot(m.counts[i].term)] = int32(i + 1)
		}
	}
	return &m.counts[len(m.counts)-1]
}

// slotSeed is another one in each process: nobody can write words that all want one slot.
var slotSeed = maphash.MakeSeed()

// slot returns where a term is, or where it would be.
func (m *signatureMaker) slot(term string) uint64 {
	last := uint64(len(m.slots) - 1)
	slot := maphash.String(slotSeed, term) & last
	for m.slots[slot] > 0 && m.counts[m.slots[slot]-1].term != term {
		slot = (slot + 1) & last
	}
	return slot
}

// ranked returns the terms in the order of a signature.
func (m *signatureMaker) ranked() []rankedTerm {
	for i := range m.counts {
		m.sorted = append(m.sorted, rankedTerm{m.counts[i].order(), i})
	}
	slices.SortFunc(m.sorted, func(a, b rankedTerm) int {
		if a.order != b.order {
			return cmp.Compare(b.order, a.order)
		}
		return strings.Compare(m.counts[a.place].term, m.counts[b.place].term)
	})
	return m.sorted
}

// open adds to the first terms, as long as there is room.
func (m *signatureMaker) open(hash uint16) {
	if len(m.opening) < signatureOpening {
		m.opening = append(m.opening, hash)
	}
}
