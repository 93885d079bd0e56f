package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agentlore/curator"
	"agentlore/index/curation"
	"agentlore/lore"
)

// eraseCommand deletes items and sources for good.
type eraseCommand struct {
	decisionFlags
	IDs []string `arg:"" name:"id" help:"Ids of items of any collection, or of principals. A principal goes with its sources, a source with all that it said, a pattern or knowledge unit with the submissions that it is made of."`
}

// Run erases each of the items, or counts what that would touch. It can be run again, and goes on where it was killed.
func (c *eraseCommand) Run(ctx context.Context, d *desk) error {
	items, sources, err := d.toErase(ctx, c.IDs)
	if err != nil {
		return err
	}
	eraser := curation.NewEraser(d.store.client, curation.EraseConfig{
		Clean: d.clean, Who: d.who, Why: d.why, DryRun: d.dry, Accounts: d.store.accounts,
		MadeOf: func(id string) (pattern, unit string) { return curator.PatternID(id), curator.UnitID(id) },
		Tell:   func(erased curation.Erased) { d.progress("%s", erasedText(erased)) },
	})
	if err = eraser.Sources(ctx, sources); err == nil {
		for _, item := range items {
			if err = eraser.Item(ctx, item); err != nil {
				break
			}
		}
	}
	done := "erased"
	if d.dry {
		done = "would erase"
	}
	fmt.Fprintf(d.out.stdout, "%s: %s\n", done, erasedText(eraser.Erased()))
	if err != nil {
		return errors.Join(err, errors.New("run it again to go on where it stopped"))
	}
	return nil
}

// toErase returns which items have the ids, sources apart. One whose erasure was begun or done is among them.
func (d *desk) toErase(ctx context.Context, ids []string) (items []lore.Target, sources []string, err error) {
	for _, id := range ids {
		item, err := d.store.client.Find(ctx, id)
		if lore.CodeOf(err) == lore.CodeNotFound {
			item, _, err = d.store.client.FindErased(ctx, id)
		}
		if lore.CodeOf(err) == lore.CodeNotFound {
			if _, of, notPrincipal := d.store.accounts.PrincipalOf(ctx, id); notPrincipal == nil {
				sources = append(sources, of...)
				continue
			}
		}
		switch {
		case err != nil:
			return nil, nil, fmt.Errorf("%s: %w", id, err)
		case item.Collection == lore.Sources:
			sources = append(sources, id)
		default:
			items = append(items, item)
		}
	}
	return items, sources, nil
}

// erasedText counts what was erased.
func erasedText(erased curation.Erased) string {
	var parts []string
	for _, collection := range append(lore.Collections(), "outcomes") {
		if erased[collection] > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", collection, erased[collection]))
		}
	}
	if len(parts) == 0 {
		return "nothing that is left"
	}
	return strings.Join(slices.Clip(parts), ", ")
}
