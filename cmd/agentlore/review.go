package main

import (
	"context"
	"errors"
	"fmt"
	"os/user"
	"slices"
	"time"

	"agentlore/index"
	"agentlore/lore"
	"agentlore/scrubber"
)

// reviewCommand is what an operator decides.
type reviewCommand struct {
	List     reviewList     `cmd:"" help:"What waits: suggestions, safety flags, and reports that lack only an approval to become knowledge."`
	Accept   reviewAccept   `cmd:"" help:"Follow a suggestion: an asset goes into the catalog, a category is set, two items become one."`
	Reject   reviewReject   `cmd:"" help:"Don't follow a suggestion."`
	Confirm  reviewConfirm  `cmd:"" help:"A safety flag is right: its item is hidden from searches."`
	Dismiss  reviewDismiss  `cmd:"" help:"A safety flag is wrong: its item is shown again, and may become knowledge."`
	Approve  reviewApprove  `cmd:"" help:"A submission or pattern may become knowledge, without a worked of an owner with standing."`
	Withdraw reviewWithdraw `cmd:"" help:"Advise against an item: it leaves searches and stays readable by id."`
	Restore  reviewRestore  `cmd:"" help:"Take a withdrawal or an approval back: the rules decide again."`
	Split    reviewSplit    `cmd:"" help:"Submissions are not of the pattern that they are in; sticks whatever a similarity says."`
	Merge    reviewMerge    `cmd:"" help:"A submission or pattern is of another pattern."`
}

// decisionFlags are what every decision has.
type decisionFlags struct {
	storeConfig
	scrubConfig
	Who string `env:"AGENTLORE_OPERATOR" help:"Who decides; by default the user of this machine."`
	Why string `required:"" help:"Why; kept for ever with the decision."`
}

// desk is where decisions are made: an open store and what goes into each decision.
type desk struct {
	out      output
	store    *store
	clean    *scrubber.Scrubber
	review   *index.Review
	who, why string
}

// open connects to the store.
func (c decisionFlags) open(ctx context.Context, out output) (*desk, error) {
	if c.Who == "" {
		if known, err := user.Current(); err == nil {
			c.Who = known.Username
		}
	}
	if invalid := lore.InvalidFields(lore.Decision{Who: c.Who, Why: c.Why}.Check()); invalid != nil {
		return nil, errors.New(refusalText(invalid))
	}
	settings, err := c.settings(out)
	if err != nil {
		return nil, err
	}
	clean, err := c.scrubber()
	if err != nil {
		return nil, err
	}
	store, err := connect(ctx, settings, index.FlushEvery)
	if err != nil {
		return nil, err
	}
	return &desk{out, store, clean, index.NewReview(store.client), c.Who, c.Why}, nil
}

// decide records one decision and says so.
func (d *desk) decide(ctx context.Context, subject lore.Target, verdict lore.Verdict, object *lore.Target, others []string) error {
	decision, err := scrubber.Scrub(ctx, d.clean, lore.Decision{
		ID: lore.NewID(), Subject: subject, Verdict: verdict, Object: object, Others: others, Who: d.who, Why: d.why,
		At: time.Now().UTC().Truncate(time.Millisecond),
	})
	if err != nil {
		return fmt.Errorf("scrub: %w", err)
	}
	if err := d.review.Decide(ctx, decision); err != nil {
		return err
	}
	_, err = fmt.Fprintf(d.out.stdout, "%s: %s %s\n", verdict, subject.Collection, subject.ID)
	return err
}

// find returns the item with an id, which must be of one of the collections.
func (d *desk) find(ctx context.Context, id string, of ...lore.Collection) (lore.Target, error) {
	item, err := d.review.Find(ctx, id)
	if err != nil {
		return item, err
	}
	if !slices.Contains(of, item.Collection) {
		return item, fmt.Errorf("%s is in %s; this is for %v", id, item.Collection, of)
	}
	return item, nil
}

// oneItem is a decision on one item.
type oneItem struct {
	decisionFlags
	ID string `arg:"" help:"Id of what is decided on."`
}

// decide records a verdict on the item, which must be of one of the collections, where nothing else is needed.
func (c oneItem) decide(ctx context.Context, out output, verdict lore.Verdict, of ...lore.Collection) error {
	d, err := c.open(ctx, out)
	if err != nil {
		return err
	}
	defer d.store.Close()
	item, err := d.find(ctx, c.ID, of...)
	if err != nil {
		return err
	}
	return d.decide(ctx, item, verdict, nil, nil)
}
