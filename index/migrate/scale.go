package migrate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/index"
	"agentlore/mappings"
)

// IndexLayout is how one index lies in the cluster, and how it shall lie.
type IndexLayout struct {
	Collection, Index          string
	Documents, Bytes           int64 // of the primary shards
	Shards, Copies             int   // of each shard, the primary counted
	WantedShards, WantedCopies int
}

// NodeLayout is what a node that holds data has of the service's indices.
type NodeLayout struct {
	Name       string
	Shards     int   // copies of shards
	Bytes      int64 // that these take
	Free, Disk int64 // bytes of the node's disk
	Queries    int64 // queries that its copies answered since they came there
}

// Layout is how all indices lie, by collection, and the nodes that hold data, by name.
type Layout struct {
	Indices []IndexLayout
	Nodes   []NodeLayout
}

// Elasticsearch puts no new shard on a disk that has less free than diskReserve of its size, or diskHeadroom bytes: the defaults of
// cluster.routing.allocation.disk.watermark.low and its max_headroom.
const (
	diskReserve  = 0.15
	diskHeadroom = 200 << 30
)

// Layout reads how the indices lie, and adds what shards and replicas shall be: a number, "auto", or "" to leave replicas as they are.
func (c *Migrator) Layout(ctx context.Context, shards index.Shards, replicas string) (layout Layout, err error) {
	definitions, err := mappings.Sized(c.Dimensions)
	if err != nil {
		return layout, err
	}
	nodes, err := c.dataNodes(ctx)
	if err != nil {
		return layout, err
	}
	indices, err := c.readShards(ctx, nodes)
	if err != nil {
		return layout, err
	}
	for _, name := range slices.Sorted(maps.Keys(definitions)) {
		one := indices[c.Alias(name)]
		if one == nil { // a collection of this version that no service has made yet
			continue
		}
		one.Collection = name
		one.WantedShards, one.WantedCopies = cmp.Or(shards.Of(definitions[name]), one.Shards), one.Copies
		if number, err := strconv.Atoi(replicas); err == nil {
			one.WantedCopies = 1 + number
		} else if replicas != "" {
			one.WantedCopies = min(2, len(nodes))
		}
		layout.Indices = append(layout.Indices, *one)
	}
	for _, name := range slices.Sorted(maps.Keys(nodes)) {
		layout.Nodes = append(layout.Nodes, *nodes[name])
	}
	return layout, nil
}

// dataNodes returns the nodes that hold data, by name, with their disks.
func (c *Migrator) dataNodes(ctx context.Context) (map[string]*NodeLayout, error) {
	var disks []struct {
		Node string `json:"node"`
		Free int64  `json:"disk.avail,string"`
		Disk int64  `json:"disk.total,string"`
	}
	columns := []string{"node", "disk.avail", "disk.total"}
	if err := c.Do(ctx, esapi.CatAllocationRequest{Format: "json", Bytes: "b", H: columns}, &disks); err != nil {
		return nil, err
	}
	nodes := map[string]*NodeLayout{}
	for _, one := range disks {
		if one.Disk > 0 { // else the row of shards without a node
			nodes[one.Node] = &NodeLayout{Name: one.Node, Free: one.Free, Disk: one.Disk}
		}
	}
	return nodes, nil
}

// readShards returns the indices behind this prefix's aliases, by alias, and adds their shards to the nodes that hold them.
func (c *Migrator) readShards(ctx context.Context, nodes map[string]*NodeLayout) (map[string]*IndexLayout, error) {
	current, _, err := c.current(ctx)
	if err != nil {
		return nil, err
	}
	var rows []struct {
		Index   string `json:"index"`
		Shard   string `json:"shard"`
		Kind    string `json:"prirep"`
		Docs    int64  `json:"docs,string"`
		Bytes   int64  `json:"store,string"`
		Node    string `json:"node"`
		Queries int64  `json:"search.query_total,string"`
	}
	columns := []string{"index", "shard", "prirep", "docs", "store", "node", "search.query_total"}
	if err := c.Do(ctx, esapi.CatShardsRequest{Index: []string{c.Prefix + "-*"}, Format: "json", Bytes: "b", H: columns}, &rows); err != nil {
		return nil, err
	}
	indices := map[string]*IndexLayout{}
	for alias, name := range current {
		indices[alias] = &IndexLayout{Index: name}
	}
	for _, row := range rows {
		of := indices[generationSuffix.ReplaceAllString(row.Index, "")]
		if of == nil || of.Index != row.Index { // left behind by a restore
			continue
		}
		if row.Shard == "0" {
			of.Copies++
		}
		if row.Kind == "p" {
			of.Shards++
			of.Documents += row.Docs
			of.Bytes += row.Bytes
		}
		if node := nodes[row.Node]; node != nil {
			node.Shards++
			node.Bytes += row.Bytes
			node.Queries += row.Queries
		}
	}
	return indices, nil
}

// Refuses returns why the nodes can't hold what is wanted: too few of them, or too little disk. An index whose number of shards
// changes is there twice until its copy is whole.
func (l Layout) Refuses() error {
	var more, room int64
	for _, one := range l.Indices {
		if one.WantedCopies > max(len(l.Nodes), one.Copies) {
			return fmt.Errorf("%d copies of each shard need as many nodes that hold data: there are %d", one.WantedCopies, len(l.Nodes))
		}
		if one.WantedShards != one.Shards {
			more += one.Bytes * int64(one.WantedCopies)
		} else {
			more += one.Bytes * int64(max(0, one.WantedCopies-one.Copies))
		}
	}
	for _, node := range l.Nodes {
		room += max(0, node.Free-min(diskHeadroom, int64(diskReserve*float64(node.Disk))))
	}
	if more > room {
		return fmt.Errorf("it takes %d MB more, and Elasticsearch's nodes have room for %d MB (it leaves 15 %% of a disk free)", more>>20, room>>20)
	}
	return nil
}

// Scale gives indices the shards of a move and the replicas that a layout was read for, while reads and writes go on, and waits until
// the copies are there. It returns how many indices moved to another number of shards.
func (c *Migrator) Scale(ctx context.Context, layout Layout, move Move, replicas string) (moved int, err error) {
	if err := layout.Refuses(); err != nil {
		return 0, err
	}
	if moved, err = c.Move(ctx, move); err != nil || replicas == "" {
		return moved, err
	}
	indices, _, err := c.current(ctx)
	if err != nil {
		return moved, err
	}
	names := slices.Sorted(maps.Values(indices))
	for _, name := range names {
		if err := c.putSettings(ctx, name, index.ReplicaSettings(replicas)); err != nil {
			return moved, err
		}
	}
	return moved, c.settle(ctx, names, func() { move.Progress("waiting for replicas") })
}
