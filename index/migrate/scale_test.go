package migrate

import (
	"strings"
	"testing"

	"agentlore/enginetest"
	"agentlore/index"
	"agentlore/index/indextest"
)

// What the nodes can't hold is refused before anything changes.
func TestScaleRefuses(t *testing.T) {
	t.Parallel()
	const gb = 1 << 30
	small := NodeLayout{Name: "a", Free: 50 * gb, Disk: 100 * gb} // room for 35
	for _, c := range []struct {
		name   string
		layout Layout
		want   string
	}{
		{"as it is on one node, replicas that nobody holds", Layout{Indices: []IndexLayout{{Bytes: 90 * gb, Shards: 1, WantedShards: 1, Copies: 2, WantedCopies: 2}}, Nodes: []NodeLayout{small}}, ""},
		{"a third copy on two nodes", Layout{Indices: []IndexLayout{{Shards: 1, WantedShards: 1, Copies: 2, WantedCopies: 3}}, Nodes: []NodeLayout{small, small}}, "as many nodes"},
		{"a second copy that fits", Layout{Indices: []IndexLayout{{Bytes: 60 * gb, Shards: 1, WantedShards: 1, Copies: 1, WantedCopies: 2}}, Nodes: []NodeLayout{small, small}}, ""},
		{"a second copy that doesn't", Layout{Indices: []IndexLayout{{Bytes: 71 * gb, Shards: 1, WantedShards: 1, Copies: 1, WantedCopies: 2}}, Nodes: []NodeLayout{small, small}}, "room for"},
		{"more shards, while the old ones are there", Layout{Indices: []IndexLayout{{Bytes: 36 * gb, Shards: 1, WantedShards: 3, Copies: 1, WantedCopies: 1}}, Nodes: []NodeLayout{small}}, "room for"},
	} {
		err := c.layout.Refuses()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// Shards change by collection and documents stay; replicas that an operator chose outlive a later move.
func TestScale(t *testing.T) {
	t.Parallel()
	c := New(indextest.Empty(t))
	indextest.Migrate(t, c.Client)
	(&busy{stored: map[string]bool{}}).fill(t, c.Client, 50)
	shards, err := index.ReadShards("links=2")
	if err != nil {
		t.Fatal(err)
	}
	layout, err := c.Layout(t.Context(), shards, "0")
	for i := range layout.Nodes { // this machine's disk may be fuller than an operator's
		layout.Nodes[i].Free = layout.Nodes[i].Disk
	}
	if err != nil || layout.Refuses() != nil {
		t.Fatal(layout, err, layout.Refuses())
	}
	if moved, err := c.Scale(t.Context(), layout, Move{Shards: shards, Progress: func(string) {}}, "0"); err != nil || moved != 1 {
		t.Fatal(moved, err)
	}
	if moved, err := c.Move(t.Context(), Move{Shards: index.Shards{"submissions": 3}}); err != nil || moved != 1 {
		t.Fatal(moved, err)
	}
	if layout, err = c.Layout(t.Context(), nil, ""); err != nil {
		t.Fatal(err)
	}
	for _, one := range layout.Indices {
		want := IndexLayout{Collection: one.Collection, Index: one.Index, Bytes: one.Bytes, Documents: one.Documents, Shards: 1, Copies: 1, WantedShards: 1, WantedCopies: 1}
		switch one.Collection {
		case "submissions":
			want.Shards, want.WantedShards, want.Documents = 3, 3, 50
		case "links":
			want.Shards, want.WantedShards = 2, 2
		}
		if one != want {
			t.Errorf("%+v, want %+v", one, want)
		}
		_, settings := enginetest.Elasticsearch(t, "GET", "/"+one.Index+"/_settings?flat_settings=true", "")
		if !strings.Contains(string(settings), `"index.auto_expand_replicas":"false"`) {
			t.Errorf("%s expands again: %s", one.Collection, settings)
		}
	}
	for _, bad := range []string{"0", "x", "nothing=2", "sources=2", "accounts=2", "submissions=2000"} {
		if _, err := index.ReadShards(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
