package worker

import (
	"encoding/binary"
	"math/bits"

	"agentlore/curator"
	"agentlore/lore"
)

// rememberedPairs is how many compared pairs there is room for, a power of two: 4 MB. A forgotten one costs a comparison.
const rememberedPairs = 1 << 19

// pairMemory remembers which pairs of reports a pass has compared: nearly every pair is found from both sides, and once more
// by way of a common neighbour. Each has one place where it may be, and the next that wants it takes it: a map of as many pairs is
// five times as large. It lasts as long as the process; a pass that goes on after a kill compares again and finds the same. The zero
// value is ready to use.
type pairMemory struct{ pairs []pairKey }

// pairKey is a hash of the first halves of both ids, each 62 bits or more of a random number or a hash: of so many pairs that are
// remembered two share one with a probability of 10^-8, and one of them wouldn't be compared then.
type pairKey uint64

func keyOf(pair curator.Pair) (pairKey, bool) {
	a, errA := lore.IDBytes(pair.A)
	b, errB := lore.IDBytes(pair.B)
	first, second := binary.BigEndian.Uint64(a[:]), binary.BigEndian.Uint64(b[:])
	return pairKey(first ^ bits.RotateLeft64(second*goldenRatio, 32)), errA == nil && errB == nil
}

// goldenRatio is 2^64 divided by it, made odd: what multiplies a number with it spreads its bits (Knuth, The Art of Computer
// Programming, 6.4), so that the two ids of a pair are not alike to each other.
const goldenRatio = 0x9e3779b97f4a7c15

// has reports whether a pair is remembered.
func (m *pairMemory) has(pair curator.Pair) bool {
	key, valid := keyOf(pair)
	return valid && m.pairs != nil && *m.place(key) == key
}

// add remembers a pair and reports whether it was new.
func (m *pairMemory) add(pair curator.Pair) bool {
	key, valid := keyOf(pair)
	if !valid {
		return true
	}
	if m.pairs == nil {
		m.pairs = make([]pairKey, rememberedPairs)
	}
	place := m.place(key)
	fresh := *place != key
	*place = key
	return fresh
}

// place returns where a pair is, if it is remembered.
func (m *pairMemory) place(key pairKey) *pairKey { return &m.pairs[key%rememberedPairs] }
