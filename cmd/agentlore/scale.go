package main

import (
	"context"
	"fmt"
	"text/tabwriter"

	"agentlore/index/migrate"
)

// scaleCommand gives the store the shards and replicas of its configuration, or shows what it has.
type scaleCommand struct {
	storeConfig
	Rate   int  `default:"2000" help:"Documents that a change of shards copies a second at most, so that searches and writes beside it are served; 0: as many as the store can."`
	DryRun bool `help:"Change nothing; show what would change, and whether the nodes can hold it."`
}

// Run shows the layout, changes it unless that is what it was before, and shows the new one.
func (c *scaleCommand) Run(ctx context.Context, out output) error {
	migrator, settings, err := c.migrator(ctx, out)
	if err != nil {
		return err
	}
	layout, err := migrator.Layout(ctx, settings.Shards, c.Replicas)
	if err != nil {
		return err
	}
	out.layout(layout)
	if err := layout.Refuses(); err != nil || c.DryRun || settings.Shards == nil && c.Replicas == "" {
		return err
	}
	moved, err := migrator.Scale(ctx, layout, migrate.Move{Shards: settings.Shards, Rate: c.Rate, Progress: out.progress}, c.Replicas)
	if err != nil {
		return fmt.Errorf("%w (%d collections moved; run it again to go on)", err, moved)
	}
	if layout, err = migrator.Layout(ctx, settings.Shards, c.Replicas); err != nil {
		return err
	}
	out.layout(layout)
	_, err = fmt.Fprintf(out.stdout, "%d collections moved to another number of shards\n", moved)
	return err
}

// layout prints how the indices and the nodes' copies lie. What shall change is shown as 1 -> 3.
func (o output) layout(layout migrate.Layout) {
	table := tabwriter.NewWriter(o.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	change := func(is, wanted int) string {
		if is == wanted {
			return fmt.Sprint(is)
		}
		return fmt.Sprintf("%d -> %d", is, wanted)
	}
	copies, wanted, bytes := 0, 0, int64(0)
	fmt.Fprintln(table, "documents\tMB\tshards\tcopies of each\t  collection")
	for _, one := range layout.Indices {
		fmt.Fprintf(table, "%d\t%.1f\t%s\t%s\t  %s\n", one.Documents, float64(one.Bytes)/(1<<20), change(one.Shards, one.WantedShards),
			change(one.Copies, one.WantedCopies), one.Collection)
		copies += one.Shards * one.Copies
		wanted += one.WantedShards * one.WantedCopies
		bytes += one.Bytes * int64(one.WantedCopies)
	}
	fmt.Fprintln(table, "shards here\tMB\tMB free\tqueries answered\t  node")
	for _, node := range layout.Nodes {
		fmt.Fprintf(table, "%d\t%.1f\t%d\t%d\t  %s\n", node.Shards, float64(node.Bytes)/(1<<20), node.Free>>20, node.Queries, node.Name)
	}
	_ = table.Flush() // to a console or a pipe
	if nodes := max(1, len(layout.Nodes)); copies != wanted {
		fmt.Fprintf(o.stdout, "Elasticsearch spreads %d copies of shards evenly over %d nodes: %d to %d each, about %.1f MB.\n",
			wanted, nodes, wanted/nodes, (wanted+nodes-1)/nodes, float64(bytes)/float64(nodes)/(1<<20))
	}
}
