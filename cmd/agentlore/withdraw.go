package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"agentlore/index/curation"
	"agentlore/lore"
)

// withdrawPreview is how many items a dry run shows, withdrawPage how many a run reads at once.
const (
	withdrawPreview = 20
	withdrawPage    = 200
)

// withdrawCommand withdraws what a query finds.
type withdrawCommand struct {
	decisionFlags
	Collection lore.Collection `default:"submissions" enum:"submissions,knowledge-units,assets" help:"What to withdraw of: submissions, knowledge-units or assets."`
	Source     string          `help:"Only what this source said: its id or name." placeholder:"ID|NAME"`
	Tag        string          `help:"Only what has this tag."`
	Ecosystem  string          `help:"Only what is of this ecosystem."`
	Category   lore.Category   `default:"" enum:",failure,insight,discovery,optimization,pattern,security,integration,operational,market,general" help:"Only what is of this category."`
	Since      time.Time       `help:"Only what was created from this time on, as in 2026-01-31T00:00:00Z."`
	Until      time.Time       `help:"Only what was created before this time."`
	Text       string          `help:"Only what has all of these words."`
	Expect     *int64          `help:"Withdraw if just so many items are found, as the dry run said." placeholder:"N"`
	Yes        bool            `help:"Withdraw however many are found."`
}

// Run withdraws the items, or shows which it would. It can be run again, and goes on where it was killed.
func (c *withdrawCommand) Run(ctx context.Context, d *desk) error {
	if c.Source+c.Tag+c.Ecosystem+string(c.Category)+c.Text == "" && c.Since.IsZero() && c.Until.IsZero() {
		return errors.New("which items? give at least one of --source, --tag, --ecosystem, --category, --since, --until, --text")
	}
	filter, err := c.filter(ctx, d)
	if err != nil {
		return err
	}
	count, err := d.review.CountToWithdraw(ctx, filter)
	if err != nil {
		return err
	}
	switch {
	case d.dry:
		return d.previewWithdrawal(ctx, filter, count)
	case c.Expect != nil && *c.Expect != count:
		return fmt.Errorf("%d items are found, not %d: nothing is withdrawn; look at them with --dry-run", count, *c.Expect)
	case c.Expect == nil && !c.Yes:
		return fmt.Errorf("%d items are found: look at them with --dry-run, then give --expect=%d or --yes", count, count)
	}
	done, err := d.withdrawAll(ctx, filter, count)
	fmt.Fprintf(d.out.stdout, "withdrawn: %s %d\n", filter.Collection, done)
	if err != nil {
		return errors.Join(err, errors.New("run it again with --yes to go on where it stopped"))
	}
	return nil
}

// filter returns what the flags ask for. What comes in from now on isn't among it.
func (c *withdrawCommand) filter(ctx context.Context, d *desk) (curation.WithdrawFilter, error) {
	filter := curation.WithdrawFilter{Collection: c.Collection, Words: c.Text, Filter: lore.Filter{
		SourceID: c.Source, Tag: lore.NormaliseWord(c.Tag), Ecosystem: lore.NormaliseEcosystem(c.Ecosystem), Category: string(c.Category), Since: c.Since, Until: c.Until,
	}}
	if now := time.Now(); c.Until.IsZero() || c.Until.After(now) {
		filter.Until = now
	}
	if c.Source == "" || lore.ValidID(c.Source) {
		return filter, nil
	}
	identity, _, err := d.store.accounts.SourceByName(ctx, c.Source)
	filter.SourceID = identity.SourceID
	return filter, err
}

// previewWithdrawal prints how many items there are and the first of them.
func (d *desk) previewWithdrawal(ctx context.Context, filter curation.WithdrawFilter, count int64) error {
	first, err := d.review.ToWithdraw(ctx, filter, "", withdrawPreview)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.out.stdout, "would withdraw: %s %d\n", filter.Collection, count)
	for _, item := range first {
		fmt.Fprintf(d.out.stdout, "  %s  %s\n", item.ID, plain(item.Summary))
	}
	return nil
}

// withdrawAll withdraws the items, each by a decision of its own, and returns how many.
func (d *desk) withdrawAll(ctx context.Context, filter curation.WithdrawFilter, of int64) (done int64, err error) {
	for after := ""; ; {
		page, err := d.review.ToWithdraw(ctx, filter, after, withdrawPage)
		if err != nil || len(page) == 0 {
			return done, err
		}
		for _, item := range page {
			subject := lore.Target{Collection: filter.Collection, ID: item.ID}
			if err := d.record(ctx, lore.Decision{Subject: subject, Verdict: d.verdict}); err != nil {
				return done, err
			}
			done++
			d.progress("%d of %d", done, of)
		}
		after = page[len(page)-1].ID
	}
}
