package curator

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"agentlore/lore"
)

// edgeBytes is how long an edge is as stored: an id, the probability, and whether it is derived.
const edgeBytes = 16 + 2 + 1

// Unsaved returns the reports that differ from what is stored of them, in order of number.
func (g *LinkGraph) Unsaved() (reports []int32) {
	for i := range g.nodes {
		if g.nodes[i].unsaved {
			reports = append(reports, int32(i))
		}
	}
	return reports
}

// Saved notes that reports are stored.
func (g *LinkGraph) Saved(reports []int32) {
	for _, report := range reports {
		n := &g.nodes[report]
		n.unsaved, n.edges = false, slices.Clone(n.edges) // without the room that growing took
	}
}

// Stored returns what is to be stored of a report.
func (g *LinkGraph) Stored(report int32) (lore.Links, error) {
	n := &g.nodes[report]
	row := binary.BigEndian.AppendUint16(nil, uint16(len(n.telling)))
	for _, term := range n.telling {
		row = binary.BigEndian.AppendUint32(row, term)
	}
	for _, e := range slices.SortedFunc(slices.Values(n.edges), g.byStrength) {
		if e.to == report {
			continue
		}
		id, err := lore.IDBytes(g.nodes[e.to].id)
		if err != nil {
			return lore.Links{}, fmt.Errorf("links: %w", err)
		}
		derived := byte(0)
		if e.derived {
			derived = 1
		}
		row = append(binary.BigEndian.AppendUint16(append(row, id[:]...), e.steps), derived)
	}
	return lore.Links{ID: n.id, Fingerprint: n.fingerprint, Pass: n.pass, Row: row}, nil
}

var errDamaged = errors.New("links are damaged: agentlore curate --rebuild makes them anew")

// Load adds a report as it is stored.
func (g *LinkGraph) Load(stored lore.Links) error {
	number, row := g.Number(stored.ID), stored.Row
	if len(row) < 2 {
		return errDamaged
	}
	telling := make([]uint32, binary.BigEndian.Uint16(row))
	if row = row[2:]; len(row) < 4*len(telling) || (len(row)-4*len(telling))%edgeBytes != 0 {
		return errDamaged
	}
	for i := range telling {
		telling[i] = binary.BigEndian.Uint32(row[4*i:])
	}
	g.describe(number, stored.Fingerprint, telling)
	edges := g.nodes[number].edges
	for some := range slices.Chunk(row[4*len(telling):], edgeBytes) {
		to := g.Number(lore.IDFromBytes([16]byte(some[:16])))
		edges = append(edges, edge{to, binary.BigEndian.Uint16(some[16:]), some[18] == 1})
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(a.to, b.to) })
	n := &g.nodes[number]
	n.edges, n.pass = edges, stored.Pass
	n.weigh()
	return nil
}
