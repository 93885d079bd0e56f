package main

import (
	"context"
	"errors"
	"fmt"
	"os/user"
	"slices"
	"time"

	"agentlore/curator"
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
	Approve  reviewApprove  `cmd:"" help:"A submission or pattern may become knowledge, without a worked of a qualified owner."`
	Withdraw reviewWithdraw `cmd:"" help:"Advise against an item: it leaves searches and stays readable by id."`
	Restore  reviewRestore  `cmd:"" help:"Take a withdrawal or an approval back: the rules decide again."`
	Split    reviewSplit    `cmd:"" help:"Submissions are not of the pattern that they are in; sticks whatever a similarity says."`
	Merge    reviewMerge    `cmd:"" help:"A submission or pattern is of another pattern."`
	Vouch    reviewVouch    `cmd:"" help:"Count a source's owner as qualified."`
	Unvouch  reviewUnvouch  `cmd:"" help:"Take a vouch back."`
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

// decisionOn is a decision on one item of certain collections that needs nothing else.
func decisionOn(ctx context.Context, out output, flags decisionFlags, id string, verdict lore.Verdict, of ...lore.Collection) error {
	d, err := flags.open(ctx, out)
	if err != nil {
		return err
	}
	defer d.store.Close()
	item, err := d.find(ctx, id, of...)
	if err != nil {
		return err
	}
	return d.decide(ctx, item, verdict, nil, nil)
}

type reviewReject struct {
	decisionFlags
	ID string `arg:"" help:"Id of the suggestion."`
}

// Run rejects a suggestion.
func (c *reviewReject) Run(ctx context.Context, out output) error {
	return decisionOn(ctx, out, c.decisionFlags, c.ID, lore.VerdictReject, lore.Suggestions)
}

type reviewConfirm struct {
	decisionFlags
	ID string `arg:"" help:"Id of the safety flag."`
}

// Run confirms a flag. A leak's item is scrubbed again, too.
func (c *reviewConfirm) Run(ctx context.Context, out output) error {
	return c.judgeFlag(ctx, out, c.ID, lore.VerdictConfirm)
}

type reviewDismiss struct {
	decisionFlags
	ID string `arg:"" help:"Id of the safety flag."`
}

// Run dismisses a flag.
func (c *reviewDismiss) Run(ctx context.Context, out output) error {
	return c.judgeFlag(ctx, out, c.ID, lore.VerdictDismiss)
}

func (c decisionFlags) judgeFlag(ctx context.Context, out output, id string, verdict lore.Verdict) error {
	d, err := c.open(ctx, out)
	if err != nil {
		return err
	}
	defer d.store.Close()
	flag, err := index.NewCollection[lore.SafetyFlag](d.store.client, lore.SafetyFlags, "safety flag").Get(ctx, id)
	if err != nil {
		return err
	}
	if flag.Reason == lore.FlagLeak && verdict == lore.VerdictConfirm {
		if _, err := d.store.client.Rescrub(ctx, d.clean, flag.Target); err != nil {
			return err
		}
	}
	return d.decide(ctx, lore.Target{Collection: lore.SafetyFlags, ID: id}, verdict, &flag.Target, nil)
}

type reviewRestore struct {
	decisionFlags
	ID string `arg:"" help:"Id of the item."`
}

// Run restores an item.
func (c *reviewRestore) Run(ctx context.Context, out output) error {
	return decisionOn(ctx, out, c.decisionFlags, c.ID, lore.VerdictRestore, lore.Submissions, lore.KnowledgeUnits, lore.Assets)
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

type reviewApprove struct {
	decisionFlags
	ID string `arg:"" help:"Id of the submission, pattern or knowledge unit."`
}

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

type reviewVouch struct {
	decisionFlags
	ID string `arg:"" help:"Id of one of the owner's sources."`
}

// Run vouches for an owner.
func (c *reviewVouch) Run(ctx context.Context, out output) error {
	return decisionOn(ctx, out, c.decisionFlags, c.ID, lore.VerdictVouch, lore.Sources)
}

type reviewUnvouch struct {
	decisionFlags
	ID string `arg:"" help:"Id of the source that was vouched for."`
}

// Run takes a vouch back.
func (c *reviewUnvouch) Run(ctx context.Context, out output) error {
	return decisionOn(ctx, out, c.decisionFlags, c.ID, lore.VerdictUnvouch, lore.Sources)
}

type reviewSplit struct {
	decisionFlags
	IDs []string `arg:"" name:"id" help:"Ids of submissions of one pattern that belong somewhere else; those that are named together may stay together."`
}

// Run splits submissions from their pattern.
func (c *reviewSplit) Run(ctx context.Context, out output) error {
	d, err := c.open(ctx, out)
	if err != nil {
		return err
	}
	defer d.store.Close()
	submissions := index.NewCollection[lore.Submission](d.store.client, lore.Submissions, "submission")
	pattern := ""
	for _, id := range c.IDs {
		submission, err := submissions.Get(ctx, id)
		switch {
		case err != nil:
			return err
		case submission.PatternID == "":
			return fmt.Errorf("%s is in no pattern", id)
		case pattern != "" && pattern != submission.PatternID:
			return errors.New("these submissions are of several patterns: split them one by one")
		}
		pattern = submission.PatternID
	}
	members, err := d.review.Members(ctx, pattern)
	if err != nil {
		return err
	}
	staying := slices.DeleteFunc(members, func(id string) bool { return slices.Contains(c.IDs, id) })
	if len(staying) == 0 {
		return errors.New("that would leave nothing: name those that belong somewhere else")
	}
	for _, id := range c.IDs {
		if err := d.decide(ctx, lore.Target{Collection: lore.Submissions, ID: id}, lore.VerdictSplit, &lore.Target{Collection: lore.Patterns, ID: pattern}, staying); err != nil {
			return err
		}
	}
	return nil
}

type reviewMerge struct {
	decisionFlags
	ID   string `arg:"" help:"Id of the submission or pattern."`
	Into string `required:"" help:"Id of the submission or pattern that it is one with." placeholder:"ID"`
}

// Run merges an item into a pattern.
func (c *reviewMerge) Run(ctx context.Context, out output) error {
	d, err := c.open(ctx, out)
	if err != nil {
		return err
	}
	defer d.store.Close()
	return d.merge(ctx, c.ID, c.Into)
}

// merge ties every submission of one item to those of another.
func (d *desk) merge(ctx context.Context, id, into string) error {
	joining, _, err := d.submissionsOf(ctx, id)
	if err != nil {
		return err
	}
	others, object, err := d.submissionsOf(ctx, into)
	if err != nil {
		return err
	}
	joining = slices.DeleteFunc(joining, func(id string) bool { return slices.Contains(others, id) })
	if len(joining) == 0 || len(others) == 0 {
		return errors.New("there is nothing to merge: they are one already, or one of them has no submissions")
	}
	for _, id := range joining {
		if err := d.decide(ctx, lore.Target{Collection: lore.Submissions, ID: id}, lore.VerdictMerge, &object, others); err != nil {
			return err
		}
	}
	return nil
}

// submissionsOf returns a submission as a list of one, or a pattern's submissions.
func (d *desk) submissionsOf(ctx context.Context, id string) ([]string, lore.Target, error) {
	item, err := d.find(ctx, id, lore.Submissions, lore.Patterns)
	if err != nil || item.Collection == lore.Submissions {
		return []string{id}, item, err
	}
	members, err := d.review.Members(ctx, id)
	return members, item, err
}

type reviewAccept struct {
	decisionFlags
	ID          string        `arg:"" help:"Id of the suggestion."`
	Name        string        `help:"Asset: its name, where the suggestion doesn't say."`
	Type        string        `help:"Asset: its type, a slug such as bridge."`
	Ecosystem   []string      `help:"Asset: its ecosystems."`
	URL         string        `help:"Asset: its official address."`
	Address     []string      `help:"Asset: its addresses."`
	Description string        `help:"Asset: what it is."`
	Category    lore.Category `help:"Category: the one to set on the suggestion's target."`
	Into        string        `help:"Merge: the submission or pattern that the suggestion's target is one with." placeholder:"ID"`
}

// Run accepts a suggestion and does what it asks for.
func (c *reviewAccept) Run(ctx context.Context, out output) error {
	d, err := c.open(ctx, out)
	if err != nil {
		return err
	}
	defer d.store.Close()
	suggestion, err := index.NewCollection[lore.Suggestion](d.store.client, lore.Suggestions, "suggestion").Get(ctx, c.ID)
	if err != nil {
		return err
	}
	object := suggestion.Target
	switch suggestion.Kind {
	case lore.SuggestAsset:
		if object, err = c.addAsset(ctx, d, suggestion); err != nil {
			return err
		}
	case lore.SuggestCategory:
		if object != nil && c.Category == "" {
			return errors.New("which category? give --category")
		}
		if object != nil {
			if !slices.ContainsFunc(lore.Categories(), func(use lore.CategoryUse) bool { return use.Value == c.Category }) {
				return errors.New("--category names none of the ten categories")
			}
			if err := d.review.Recategorise(ctx, *object, c.Category); err != nil {
				return err
			}
		}
	case lore.SuggestMerge:
		if c.Into == "" {
			return errors.New("one with what? give --into")
		}
		if err := d.merge(ctx, object.ID, c.Into); err != nil {
			return err
		}
	}
	return d.decide(ctx, lore.Target{Collection: lore.Suggestions, ID: c.ID}, lore.VerdictAccept, object, nil)
}

// addAsset puts a suggested asset into the catalog: what the operator says, else what the suggestion says.
func (c *reviewAccept) addAsset(ctx context.Context, d *desk, suggestion lore.Suggestion) (*lore.Target, error) {
	entry, _, _ := curator.ReadAsset(suggestion.Content)
	for _, field := range []struct{ value, given *string }{
		{&entry.Name, &c.Name}, {&entry.Type, &c.Type}, {&entry.URL, &c.URL}, {&entry.Description, &c.Description},
	} {
		if *field.given != "" {
			*field.value = *field.given
		}
	}
	if len(c.Ecosystem) > 0 {
		entry.Ecosystem = c.Ecosystem
	}
	if len(c.Address) > 0 {
		entry.Addresses = c.Address
	}
	entry.Origin = "suggestion " + suggestion.ID
	if entry.Name == "" || entry.Type == "" {
		return nil, errors.New("the suggestion doesn't say the asset's name and type: give --name and --type")
	}
	if invalid := lore.InvalidFields(entry.Check()); invalid != nil {
		return nil, errors.New(refusalText(invalid))
	}
	clean, err := scrubber.Scrub(ctx, d.clean, entry)
	if err != nil {
		return nil, fmt.Errorf("scrub: %w", err)
	}
	if _, err := d.store.assets.Create(ctx, clean, time.Now()); err != nil {
		return nil, err
	}
	return &lore.Target{Collection: lore.Assets, ID: clean.Value().AssetID()}, nil
}
