package main

import (
	"context"
	"fmt"
	"time"

	"agentlore/curator"
	"agentlore/index"
	"agentlore/lore"
	"agentlore/reference"
	"agentlore/scrubber"
)

// importReference imports the reference library and prints what that changed.
func (c *importCommand) importReference(ctx context.Context, out output, settings index.Config, clean *scrubber.Scrubber) error {
	store, err := connect(ctx, settings, importFlush)
	if err != nil {
		return err
	}
	defer store.Close()
	changed, err := loadReference(ctx, store, clean)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out.stdout, "reference library: %d added, %d updated, %d withdrawn, %d unchanged\n", changed.Added, changed.Updated, changed.Withdrawn, changed.Unchanged)
	return err
}

// loadReference makes knowledge of the reference library.
func loadReference(ctx context.Context, store *store, clean *scrubber.Scrubber) (changed index.ReferenceChanges, err error) {
	entries, err := reference.Entries()
	if err != nil {
		return changed, err
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	units := make([]scrubber.Scrubbed[lore.KnowledgeUnit], len(entries))
	for i, entry := range entries {
		if units[i], err = scrubber.Scrub(ctx, clean, entry.KnowledgeUnit(curator.ReferenceConfidence, now)); err != nil {
			return changed, err
		}
	}
	return store.client.ImportReference(ctx, units, now)
}
