package main

import (
	"context"

	"agentlore/index"
	"agentlore/index/curation"
	"agentlore/lore"
)

type reviewConfirm struct{ oneItem }

// Run confirms a flag. A leak's item is scrubbed again, too.
func (c *reviewConfirm) Run(ctx context.Context, out output) error {
	return c.judgeFlag(ctx, out, lore.VerdictConfirm)
}

type reviewDismiss struct{ oneItem }

// Run dismisses a flag.
func (c *reviewDismiss) Run(ctx context.Context, out output) error {
	return c.judgeFlag(ctx, out, lore.VerdictDismiss)
}

// judgeFlag confirms or dismisses a flag.
func (c oneItem) judgeFlag(ctx context.Context, out output, verdict lore.Verdict) error {
	d, err := c.open(ctx, out)
	if err != nil {
		return err
	}
	defer d.store.Close()
	flag, err := index.NewCollection[lore.SafetyFlag](d.store.client, lore.SafetyFlags, "safety flag").Get(ctx, c.ID)
	if err != nil {
		return err
	}
	if flag.Reason == lore.FlagLeak && verdict == lore.VerdictConfirm && !d.dry {
		if _, err := curation.NewRedactor(d.store.client).Rescrub(ctx, d.clean, flag.Target); err != nil {
			return err
		}
	}
	return d.decide(ctx, lore.Target{Collection: lore.SafetyFlags, ID: c.ID}, verdict, &flag.Target, nil)
}
