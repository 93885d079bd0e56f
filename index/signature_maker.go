package index

import (
	"cmp"
	"encoding/binary"
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
	places  map[string]int // of each term in counts
	sorted  []rankedTerm
	words   int
	opening []uint16
}

// signatureMakers are kept: to make room anew takes as long as to fill it.
var signatureMakers = sync.Pool{New: func() any { return &signatureMaker{places: map[string]int{}} }}

// keptTerms is how many terms a maker may have had that is kept: a text of usual length has a few hundred.
const keptTerms = 2048

// release gives a maker back, with nothing of the text.
func (m *signatureMaker) release() {
	if len(m.counts) > keptTerms {
		return
	}
	clear(m.counts)
	clear(m.places)
	*m = signatureMaker{counts: m.counts[:0], places: m.places, sorted: m.sorted[:0], opening: m.opening[:0]}
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

// count returns the count of a term; a new one begins at 0.
func (m *signatureMaker) count(term string) *termCount {
	place, known := m.places[term]
	if !known {
		place = len(m.counts)
		m.places[term] = place
		m.counts = append(m.counts, termCount{term: term, coded: hashTerm(term)})
	}
	return &m.counts[place]
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
