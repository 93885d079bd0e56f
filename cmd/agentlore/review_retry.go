package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"agentlore/curator/worker"
	"agentlore/index/curation"
	"agentlore/lore"
)

// reviewRetry has curation try items again.
type reviewRetry struct {
	decisionFlags
	IDs []string `arg:"" optional:"" name:"id" help:"Ids of items that are set aside; see review list --failed."`
	All bool     `help:"All items that are set aside."`
}

// Run records the decision for each item; the next pass follows it.
func (c *reviewRetry) Run(ctx context.Context, d *desk) error {
	if c.All == (len(c.IDs) > 0) {
		return errors.New("name items, or say --all: `agentlore review list --failed` shows them")
	}
	aside, err := worker.SetAside(ctx, curation.New(d.store.client, nil))
	if err != nil {
		return err
	}
	for _, id := range c.IDs {
		if !slices.ContainsFunc(aside, func(item lore.SetAside) bool { return item.Target.ID == id }) {
			return fmt.Errorf("%s is not set aside: `agentlore review list --failed` shows what is", id)
		}
	}
	for _, item := range aside {
		if c.All || slices.Contains(c.IDs, item.Target.ID) {
			if err := d.decide(ctx, item.Target, nil, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// printSetAside prints the items that curation set aside, the oldest first.
func printSetAside(w io.Writer, items []lore.SetAside, asJSON bool) error {
	if asJSON {
		for _, item := range items {
			if err := json.NewEncoder(w).Encode(map[string]any{"waiting": "set_aside", "item": item}); err != nil {
				return err
			}
		}
		return nil
	}
	fmt.Fprintf(w, "Items that curation set aside: %d\n", len(items))
	for _, item := range items {
		fmt.Fprintf(w, "  %s %s  %s, agentlore %s\n    %s\n", item.Target.Collection, item.Target.ID, item.At.UTC().Format(time.RFC3339),
			item.Version, plain(item.Reason))
	}
	if len(items) > 0 {
		fmt.Fprintln(w, "Once the cause is gone: agentlore review retry --all --why=...")
	}
	return nil
}
