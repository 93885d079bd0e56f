package curator

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentlore/lore"
)

// What is set comes back as it would be read from the store, and a row that is set again replaces the one before.
func TestLinkGraphKeepsLinks(t *testing.T) {
	t.Parallel()
	g := NewLinkGraph(7)
	want := lore.Links{ID: "b", Fingerprint: "same", Neighbours: []lore.Neighbour{
		{ID: "c", Probability: 65535.0 / lore.LinkSteps, Pass: 7}, {ID: "a", Probability: 30000.0 / lore.LinkSteps, Derived: true, Pass: 7 + mostPasses},
	}}
	g.Set(lore.Links{ID: "b", Neighbours: []lore.Neighbour{{ID: "d", Probability: 0.5, Pass: 9}}})
	before := g.Size()
	g.Set(want)
	if diff := cmp.Diff(want, g.Links("b")); diff != "" {
		t.Errorf("links (-set +kept):\n%s", diff)
	}
	if g.Known("a") || !g.Known("b") || g.Known("nobody") {
		t.Error("links are known that were not set, or the other way round")
	}
	if grown := g.Size() - before; grown != graphLinkBytes+2*graphReportBytes {
		t.Errorf("one link and two reports more take %d bytes", grown)
	}
	g.Set(lore.Links{ID: "a", Neighbours: []lore.Neighbour{{ID: "b", Probability: 0.5, Pass: 3}, {ID: "c", Probability: LinkFloor / 2, Pass: 8}}})
	if kept := g.Links("a").Neighbours; len(kept) != 1 || kept[0].Pass != 7 {
		t.Errorf("a link of an older pass, and one that is too weak, are kept as %v", kept)
	}
	if !g.Holds(7+mostPasses) || g.Holds(8+mostPasses) {
		t.Error("the graph can't tell how many passes it can tell apart")
	}
}

// Reports of one fingerprint are known once all are, also when one of them says something else.
func TestLinkGraphKnowsEqualReports(t *testing.T) {
	t.Parallel()
	g := NewLinkGraph(0)
	equal := func(fingerprint string, known bool, want ...string) {
		t.Helper()
		found, there := g.Equal(fingerprint)
		if there != known || !slices.Equal(found, want) {
			t.Errorf("%s: %v, %t; want %v, %t", fingerprint, found, there, want, known)
		}
	}
	for _, id := range []string{"d", "b", "c"} {
		g.Set(lore.Links{ID: id, Fingerprint: "x"})
	}
	equal("x", false)
	g.SetEqual("x", []string{"a", "b", "c", "d"})
	equal("x", true, "a", "b", "c", "d")
	for _, changed := range []string{"c", "a", "d"} { // from the middle, and both ends
		g.Set(lore.Links{ID: changed, Fingerprint: "y"})
	}
	equal("x", true, "b")
	equal("y", false)
	g.SetComplete()
	equal("y", true, "a", "c", "d")
	g.Set(lore.Links{ID: "b"})
	equal("x", true)
	if g.Fingerprint("a") != "y" || g.Fingerprint("b") != "" || g.Fingerprint("nobody") != "" {
		t.Error("a report has another fingerprint than was set")
	}
}
