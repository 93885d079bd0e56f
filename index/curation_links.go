package index

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"agentlore/lore"
)

const links = "links"

// linksDocument is how links are stored: packed, since a search needs nothing of them but their fingerprint and pass.
type linksDocument struct {
	ID          string `json:"id"`
	Fingerprint string `json:"fingerprint,omitempty"`
	Pass        int64  `json:"pass"`
	Row         []byte `json:"row,omitempty"`
}

// neighbourSize is an id of 16 bytes, a probability in 1/LinkSteps, the pass and whether it is derived.
const neighbourSize = 16 + 2 + 4 + 1

func packLinks(l lore.Links) (linksDocument, error) {
	document := linksDocument{ID: l.ID, Fingerprint: l.Fingerprint, Pass: l.Pass}
	for _, n := range l.Neighbours {
		id, err := lore.IDBytes(n.ID)
		if err != nil {
			return document, fmt.Errorf("links: %w", err)
		}
		document.Row = append(document.Row, id[:]...)
		document.Row = binary.BigEndian.AppendUint16(document.Row, uint16(math.Round(n.Probability*lore.LinkSteps)))
		document.Row = binary.BigEndian.AppendUint32(document.Row, uint32(n.Pass))
		derived := byte(0)
		if n.Derived {
			derived = 1
		}
		document.Row = append(document.Row, derived)
	}
	return document, nil
}

func (d linksDocument) unpack() (lore.Links, error) {
	l := lore.Links{ID: d.ID, Fingerprint: d.Fingerprint, Pass: d.Pass}
	if len(d.Row)%neighbourSize != 0 {
		return l, errors.New("links are damaged: agentlore curate --rebuild makes them anew")
	}
	l.Neighbours = make([]lore.Neighbour, 0, len(d.Row)/neighbourSize)
	for some := range slices.Chunk(d.Row, neighbourSize) {
		l.Neighbours = append(l.Neighbours, lore.Neighbour{
			ID: lore.IDFromBytes([16]byte(some[:16])), Probability: float64(binary.BigEndian.Uint16(some[16:])) / lore.LinkSteps,
			Pass: int64(binary.BigEndian.Uint32(some[18:])), Derived: some[22] == 1,
		})
	}
	return l, nil
}

// Links returns the links of reports as they are now; those of a report that was never compared are left out.
func (c *Curation) Links(ctx context.Context, ids []string) (map[string]lore.Links, error) {
	stored, err := readByID[linksDocument](ctx, c.client, c.client.alias(links), ids)
	if err != nil {
		return nil, err
	}
	found := make(map[string]lore.Links, len(stored))
	for id, document := range stored {
		if found[id], err = document.unpack(); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// ChangedLinks returns the ids of the reports whose links a pass changed, in order: those behind after, at most limit.
func (c *Curation) ChangedLinks(ctx context.Context, pass int64, after string, limit int) ([]string, error) {
	found, err := columns(ctx, c.client, c.client.alias(links), map[string]any{"term": map[string]any{"pass": pass}}, "", after, limit)
	ids := make([]string, len(found))
	for i, one := range found {
		ids[i] = one.id
	}
	return ids, err
}

// WithFingerprints returns the ids of the reports that have one of the fingerprints, by fingerprint, in order.
func (c *Curation) WithFingerprints(ctx context.Context, fingerprints []string) (map[string][]string, error) {
	found := map[string][]string{}
	for some := range slices.Chunk(fingerprints, changePage) {
		err := eachColumn(ctx, c.client, c.client.alias(links), termsQuery("fingerprint", some), "fingerprint", func(id, fingerprint string) {
			found[fingerprint] = append(found[fingerprint], id)
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}
