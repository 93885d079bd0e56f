package main

import (
	"context"
	"errors"

	"agentlore/index"
	"agentlore/index/curation"
	"agentlore/lore"
)

type reviewConfirm struct{ oneItem }

// Run confirms a flag. A leak's item is scrubbed again, too.
func (c *reviewConfirm) Run(ctx context.Context, d *desk) error {
	return c.judgeFlag(ctx, d, lore.VerdictConfirm)
}

type reviewDismiss struct{ oneItem }

// Run dismisses a flag.
func (c *reviewDismiss) Run(ctx context.Context, d *desk) error {
	return c.judgeFlag(ctx, d, lore.VerdictDismiss)
}

// judgeFlag confirms or dismisses a flag.
func (c oneItem) judgeFlag(ctx context.Context, d *desk, verdict lore.Verdict) error {
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

type reviewRestore struct{ oneItem }

// Run restores an item.
func (c *reviewRestore) Run(ctx context.Context, d *desk) error {
	return c.decide(ctx, d, lore.VerdictRestore, lore.Submissions, lore.KnowledgeUnits, lore.Assets)
}

type reviewWithdraw struct {
	decisionFlags
	ID           string `arg:"" help:"Id of the item."`
	SupersededBy string `help:"Id of the knowledge unit that replaces this one." placeholder:"ID"`
}

// Run withdraws an item.
func (c *reviewWithdraw) Run(ctx context.Context, d *desk) error {
	item, err := d.find(ctx, c.ID, lore.Submissions, lore.KnowledgeUnits, lore.Assets)
	if err != nil {
		return err
	}
	if c.SupersededBy == "" {
		return d.decide(ctx, item, lore.VerdictWithdraw, nil, nil)
	}
	successor, err := d.find(ctx, c.SupersededBy, lore.KnowledgeUnits)
	if err != nil {
		return err
	}
	if item.Collection != lore.KnowledgeUnits || successor == item {
		return errors.New("--superseded-by is for a knowledge unit that another one replaces")
	}
	return d.decide(ctx, item, lore.VerdictWithdraw, &successor, nil)
}

type reviewApprove struct{ oneItem }

// Run approves an item. A pattern is approved by one of its submissions: patterns come and go as reports do.
func (c *reviewApprove) Run(ctx context.Context, d *desk) error {
	item, err := d.find(ctx, c.ID, lore.Submissions, lore.Patterns, lore.KnowledgeUnits)
	if err != nil || item.Collection != lore.Patterns {
		if err == nil {
			err = d.decide(ctx, item, lore.VerdictApprove, nil, nil)
		}
		return err
	}
	members, err := d.review.Members(ctx, item.ID)
	if err != nil {
		return err
	}
	if len(members) == 0 {
		return errors.New("the pattern has no submissions any more")
	}
	return d.decide(ctx, lore.Target{Collection: lore.Submissions, ID: members[0]}, lore.VerdictApprove, &item, nil)
}
