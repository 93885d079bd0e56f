package main

import (
	"context"

	"agentlore/index"
)

// migrateCommand creates what is missing.
type migrateCommand struct{ storeConfig }

// Run creates missing indices and says which ones are of another version.
func (c *migrateCommand) Run(ctx context.Context, out output) error {
	settings, err := c.settings(out)
	if err != nil {
		return err
	}
	client, err := index.Open(settings)
	if err != nil {
		return err
	}
	return prepare(ctx, client, settings)
}
