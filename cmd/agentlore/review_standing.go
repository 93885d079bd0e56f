package main

import (
	"context"
	"errors"

	"agentlore/lore"
)

type reviewRestore struct{ oneItem }

// Run restores an item.
func (c *reviewRestore) Run(ctx context.Context, out output) error {
	return c.decide(ctx, out, lore.VerdictRestore, lore.Submissions, lore.KnowledgeUnits, lore.Assets)
}

type reviewWithdraw struct {
	decisionFlags
	ID           string `arg:"" help:"Id of the item."`
	SupersededBy string `help:"Id of the knowledge unit that replaces this one." placeholder:"ID"`
}

// Run withdraws an item.
func (c *reviewWithdraw) Run(ctx context.Context, out output) error {
	d, err := c.open(ctx, out)
	if err != nil {
		return err
	}
	defer d.store.Close()
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
func (c *reviewApprove) Run(ctx context.Context, out output) error {
	d, err := c.open(ctx, out)
	if err != nil {
		return err
	}
	defer d.store.Close()
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
