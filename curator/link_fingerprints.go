package curator

import "slices"

// fingerprintIndex says which of a graph's reports have equal fingerprints, by their numbers: those of one fingerprint are a chain.
type fingerprintIndex struct {
	of       []string         // of a report; empty: none, or not known
	next     []int32          // the next report of the same fingerprint; -1: there is none
	first    map[string]int32 // of a fingerprint
	complete map[string]bool  // all reports of the fingerprint are in the graph
	all      bool             // all reports are, of any
}

// grow makes room for one more report.
func (x *fingerprintIndex) grow() { x.of, x.next = append(x.of, ""), append(x.next, -1) }

// set sets a report's fingerprint.
func (x *fingerprintIndex) set(number int32, fingerprint string) {
	before := x.of[number]
	if before == fingerprint {
		return
	}
	if before != "" { // it says something else now: the chain closes behind it
		if x.first[before] == number {
			x.first[before] = x.next[number]
		} else {
			at := x.first[before]
			for x.next[at] != number {
				at = x.next[at]
			}
			x.next[at] = x.next[number]
		}
		if x.first[before] < 0 {
			delete(x.first, before)
		}
	}
	x.of[number], x.next[number] = fingerprint, -1
	if fingerprint == "" {
		return
	}
	if head, there := x.first[fingerprint]; there {
		x.next[number] = head
	}
	x.first[fingerprint] = number
}

// Fingerprint returns a report's fingerprint, empty where it has none or isn't known.
func (g *LinkGraph) Fingerprint(id string) string {
	if number, there := g.number[id]; there {
		return g.equal.of[number]
	}
	return ""
}

// SetEqual says which reports have a fingerprint: these and no others.
func (g *LinkGraph) SetEqual(fingerprint string, ids []string) {
	for _, id := range ids {
		g.equal.set(g.numberOf(id), fingerprint)
	}
	g.equal.complete[fingerprint] = true
}

// SetComplete says that the graph has all reports there are, so that whose fingerprints are equal needs no more reading.
func (g *LinkGraph) SetComplete() { g.equal.all = true }

// Equal returns all reports of a fingerprint, in order of id, and whether all are known.
func (g *LinkGraph) Equal(fingerprint string) (ids []string, known bool) {
	if !g.equal.all && !g.equal.complete[fingerprint] {
		return nil, false
	}
	head, there := g.equal.first[fingerprint]
	if !there {
		return nil, true
	}
	for number := head; number >= 0; number = g.equal.next[number] {
		ids = append(ids, g.ids[number])
	}
	slices.Sort(ids)
	return ids, true
}
