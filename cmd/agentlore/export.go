package main

import (
	"context"

	"agentlore/exporter"
)

// exportCommand writes a collection to a file.
type exportCommand struct {
	storeConfig
	exporter.Order
	Format string `default:"ndjson" enum:"ndjson,csv" help:"ndjson: one JSON object a line. csv: a table, the names of the fields first. (Parquet: cmd/agentlore-client.)"`
}

// Run exports and prints how many lines there are and their checksum.
func (c *exportCommand) Run(ctx context.Context, out output) error {
	settings, err := c.settings(out)
	if err != nil {
		return err
	}
	client, err := openReady(ctx, settings)
	if err != nil {
		return err
	}
	return c.Write(ctx, publicCollections[c.Collection].export(client), c.Format, out.stdout)
}
