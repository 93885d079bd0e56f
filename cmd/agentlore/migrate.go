package main

import (
	"context"
	"fmt"
	"time"

	"agentlore/index"
)

// migrateCommand creates what is missing and moves what shall be otherwise: with --shards the public collections, with
// --mapping those of another version, while reads and writes go on.
type migrateCommand struct {
	storeConfig
	Mapping bool `help:"Move every collection whose mapping is another version's, while reads and writes go on."`
}

// migrateTimeout is for what takes long on a large index and a busy cluster: making 100,000 copied documents visible is one call.
const migrateTimeout = time.Minute

// Run creates missing indices, moves what is asked for, and says which ones are of another version.
func (c *migrateCommand) Run(ctx context.Context, out output) error {
	settings, err := c.settings(out)
	if err != nil {
		return err
	}
	settings.Timeout = max(settings.Timeout, migrateTimeout)
	client, err := index.Open(settings)
	if err != nil {
		return err
	}
	if _, err := prepare(ctx, client, settings); err != nil {
		return err
	}
	if c.Shards == nil && !c.Mapping {
		return nil
	}
	plan := index.Move{Mapping: c.Mapping, Progress: func(line string) { fmt.Fprintln(out.stdout, time.Now().Format(time.TimeOnly), line) }}
	if c.Shards != nil {
		plan.Shards = *c.Shards
	}
	moved, err := client.Move(ctx, plan)
	if err != nil {
		return fmt.Errorf("%w (%d collections moved; run it again to go on)", err, moved)
	}
	_, err = fmt.Fprintf(out.stdout, "%d collections moved\n", moved)
	return err
}
