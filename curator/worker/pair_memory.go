package worker

import (
	"encoding/binary"

	"agentlore/curator"
	"agentlore/lore"
)

// rememberedPairs bounds what is remembered of pairs that were compared, about 15 MB; a forgotten one costs a comparison.
const rememberedPairs = 500_000

// pairMemory remembers which pairs of reports a pass has compared: nearly every pair is found from both sides, and once more
// by way of a common neighbour. It lasts as long as the process; a pass that goes on after a kill compares again and finds
// the same. The zero value is ready to use.
type pairMemory struct{ pairs map[pairKey]struct{} }

// pairKey is the first half of both ids: 62 bits or more of a random number or a hash, so that no two reports share them.
type pairKey [2]uint64

func keyOf(pair curator.Pair) (pairKey, bool) {
	a, errA := lore.IDBytes(pair.A)
	b, errB := lore.IDBytes(pair.B)
	return pairKey{binary.BigEndian.Uint64(a[:]), binary.BigEndian.Uint64(b[:])}, errA == nil && errB == nil
}

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
	if m.pairs == nil || len(m.pairs) >= rememberedPairs {
		m.pairs = map[pairKey]struct{}{}
	}
	m.pairs[key] = struct{}{}
	return true
}
