package worker

import (
	"encoding/binary"
	"math/bits"

	"agentlore/curator"
	"agentlore/lore"
)

// rememberedPairs bounds what is remembered of pairs that were compared, about 9 MB; a forgotten one costs a comparison.
const rememberedPairs = 500_000

// pairMemory remembers which pairs of reports a pass has compared: nearly every pair is found from both sides, and once more
// by way of a common neighbour. It lasts as long as the process; a pass that goes on after a kill compares again and finds
// the same. The zero value is ready to use.
type pairMemory struct{ pairs map[pairKey]struct{} }

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
	_, there := m.pairs[key]
	return valid && there
}

// add remembers a pair and reports whether it was new.
func (m *pairMemory) add(pair curator.Pair) bool {
	key, valid := keyOf(pair)
	if !valid {
		return true
	}
	if _, there := m.pairs[key]; there {
		return false
	}
	if m.pairs == nil {
		m.pairs = map[pairKey]struct{}{}
	}
	if len(m.pairs) >= rememberedPairs {
		clear(m.pairs) // its room is kept: to grow anew would leave as much again for the garbage collector
	}
	m.pairs[key] = struct{}{}
	return true
}
