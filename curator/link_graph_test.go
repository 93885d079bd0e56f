package curator

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentlore/lore"
)

// named returns ids for names: links are stored by ids of sixteen bytes.
func named(name string) string { return lore.DerivedID("report", name) }

// A graph that was stored and read again has the same links, groups and candidates.
func TestLinkGraphIsStored(t *testing.T) {
	t.Parallel()
	g := NewLinkGraph()
	g.Begin(7)
	var ids []string
	for i := range 12 {
		ids = append(ids, named(fmt.Sprint(i)))
		g.Add(ids[i], fmt.Sprint("fingerprint ", i/2), []uint32{uint32(i / 3), 1 << 31})
		for k := range i {
			if k%3 == i%3 {
				g.Link(int32(k), int32(i), 0.9-float64(k)/100, k == 3)
			}
		}
	}
	read := NewLinkGraph()
	for _, number := range g.Unsaved() {
		stored, err := g.Stored(number)
		if err != nil {
			t.Fatal(err)
		}
		if err := read.Load(stored); err != nil {
			t.Fatal(err)
		}
	}
	g.Saved(g.Unsaved())
	if len(g.Unsaved()) != 0 || len(read.Unsaved()) != 0 {
		t.Error("what is stored is to be stored again")
	}
	groups := func(g *LinkGraph) [][]string { return NewGrouper(g, nil, nil).Groups(ids) }
	if diff := cmp.Diff(groups(g), groups(read)); diff != "" {
		t.Errorf("groups (-made +read):\n%s", diff)
	}
	numbersOf := func(g *LinkGraph) (changed []string) {
		for _, number := range g.ChangedIn(7) {
			changed = append(changed, g.ID(number))
		}
		return changed
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(ids)), numbersOf(read)); diff != "" {
		t.Errorf("changed in the pass (-want +got):\n%s", diff)
	}
	for _, damaged := range [][]byte{nil, {0}, {0, 1}, {0, 0, 1}} {
		if read.Load(lore.Links{ID: ids[0], Row: damaged}) == nil {
			t.Errorf("%v is taken for links", damaged)
		}
	}
}

// A report that was amended keeps no link of its old words.
func TestLinkGraphForgetsOldWords(t *testing.T) {
	t.Parallel()
	g := graphOf([]string{"a", "b"}, clique(0.9, "a", "b"))
	g.Add("a", "other", []uint32{7})
	if g.Linked(g.Number("a"), g.Number("b")) || !g.IsOf("a", "other") {
		t.Error("of other words it is linked as before")
	}
}

// A report that is taken out leaves no link and no fingerprint, and what was linked or equal to it has changed.
func TestLinkGraphForgetsReports(t *testing.T) {
	t.Parallel()
	g := graphOf([]string{"a", "b", "c", "d"}, nil)
	g.Add("a", "same", []uint32{5})
	g.Add("c", "same", []uint32{5})
	g.Link(g.Number("a"), g.Number("b"), 0.9, false)
	g.Begin(2)
	g.Remove([]string{"a", "nobody"})
	var changed []string
	for _, number := range g.ChangedIn(2) {
		changed = append(changed, g.ID(number))
	}
	if diff := cmp.Diff([]string{"b", "c"}, changed); diff != "" {
		t.Errorf("changed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][]string{{"a"}, {"b"}, {"c"}, {"d"}}, NewGrouper(g, nil, nil).Groups([]string{"a", "b", "c", "d"})); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
}

// A report keeps its strongest links.
func TestLinkGraphKeepsTheStrongestLinks(t *testing.T) {
	t.Parallel()
	g := NewLinkGraph()
	for i := range mostLinks + 10 {
		g.Add(fmt.Sprintf("%04d", i), "", nil)
		if i > 0 {
			g.Link(0, int32(i), 0.3+float64(i)/1000, false)
		}
	}
	for i := range int32(mostLinks + 10) {
		_, kept := g.nodes[0].find(i)
		if want := i == 0 || i >= 10; kept != want {
			t.Errorf("link %d is kept: %t", i, kept)
		}
		if i > 0 && !g.Linked(0, i) {
			t.Errorf("%d was compared and isn't known to be", i)
		}
	}
}
