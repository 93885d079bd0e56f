package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/user"
	"slices"
	"time"

	"github.com/alecthomas/kong"

	"agentlore/index"
	"agentlore/index/curation"
	"agentlore/lore"
	"agentlore/scrubber"
)

// reviewCommand is what an operator decides. The name of a command is the verdict that it records.
type reviewCommand struct {
	List      reviewList      `cmd:"" help:"What waits: suggestions, safety flags, and reports that lack only an approval to become knowledge."`
	Principal reviewPrincipal `cmd:"" help:"Who stands behind a source: who vouched for it, what it said, its sources, and what rests on it."`
	Accept    reviewAccept    `cmd:"" help:"Follow a suggestion: an asset goes into the catalog, a category is set, two items become one."`
	Reject    oneItem         `cmd:"" help:"Don't follow a suggestion."`
	Confirm   oneItem         `cmd:"" help:"A safety flag is right: its item is hidden from searches."`
	Dismiss   oneItem         `cmd:"" help:"A safety flag is wrong: its item is shown again, and may become knowledge."`
	Approve   oneItem         `cmd:"" help:"A submission or pattern may become knowledge, without a worked of an owner with standing."`
	Withdraw  reviewWithdraw  `cmd:"" help:"Advise against an item: it leaves searches and stays readable by id."`
	Restore   oneItem         `cmd:"" help:"Take a withdrawal or an approval back: the rules decide again."`
	Retry     reviewRetry     `cmd:"" help:"Have curation try items again that it set aside."`
	Split     reviewSplit     `cmd:"" help:"Submissions are not of the pattern that they are in; sticks whatever a similarity says."`
	Merge     reviewMerge     `cmd:"" help:"A submission or pattern is of another pattern."`
}

// reasonFlags are what every lever of an operator has.
type reasonFlags struct {
	Who    string `env:"AGENTLORE_OPERATOR" help:"Who decides; by default the user of this machine."`
	Why    string `required:"" help:"Why; kept for ever with the decision."`
	DryRun bool   `help:"Only say what would be done: changes nothing and records nothing."`
}

// reason returns who decides and why.
func (r reasonFlags) reason() (who, why string, err error) {
	if r.Who == "" {
		if known, err := user.Current(); err == nil {
			r.Who = known.Username
		}
	}
	if invalid := lore.InvalidFields(lore.Decision{Who: r.Who, Why: r.Why}.Check()); invalid != nil {
		return "", "", errors.New(refusalText(invalid))
	}
	return r.Who, r.Why, nil
}

// decisionFlags are what every decision has.
type decisionFlags struct {
	storeConfig
	scrubConfig
	reasonFlags
}

// desk is where decisions are made: an open store and what goes into each decision.
type desk struct {
	out      output
	store    *store
	clean    *scrubber.Scrubber
	review   *curation.Review
	verdict  lore.Verdict // what decide records
	who, why string
	dry      bool // nothing is changed or recorded
	told     time.Time
}

// progress says how far a long command is, every two seconds.
func (d *desk) progress(format string, values ...any) {
	if time.Since(d.told) >= 2*time.Second {
		d.told = time.Now()
		fmt.Fprintf(d.out.stderr, format+"\n", values...)
	}
}

// ProvideDesk gives a command the desk that it decides at.
func (c decisionFlags) ProvideDesk(ctx context.Context, out output, command *kong.Context) (*desk, error) {
	who, why, err := c.reason()
	if err != nil {
		return nil, err
	}
	store, err := c.ProvideStore(ctx, out)
	if err != nil {
		return nil, err
	}
	verdict := lore.Verdict(command.Selected().Name)
	return &desk{out, store, c.scrubber(), curation.NewReview(store.client), verdict, who, why, c.DryRun, time.Now()}, nil
}

// decide records one decision and says so; of a dry run it says what it would be.
func (d *desk) decide(ctx context.Context, subject lore.Target, object *lore.Target, others []string) error {
	if d.dry {
		_, err := fmt.Fprintf(d.out.stdout, "would %s: %s %s\n", d.verdict, subject.Collection, subject.ID)
		return err
	}
	if err := d.record(ctx, lore.Decision{Subject: subject, Verdict: d.verdict, Object: object, Others: others}); err != nil {
		return err
	}
	_, err := fmt.Fprintf(d.out.stdout, "%s: %s %s\n", d.verdict, subject.Collection, subject.ID)
	return err
}

// record adds who, why and when to a decision, stores it and carries out what it means for its subject.
func (d *desk) record(ctx context.Context, decision lore.Decision) error {
	decision.ID, decision.Who, decision.At = lore.NewID(), d.who, time.Now().UTC().Truncate(time.Millisecond)
	if decision.Why == "" {
		decision.Why = d.why
	}
	clean, err := scrubber.Scrub(ctx, d.clean, decision)
	if err != nil {
		return fmt.Errorf("scrub: %w", err)
	}
	return d.review.Decide(ctx, clean)
}

// vouchedAtOnce is how many principals one decision names.
const vouchedAtOnce = 1000

// vouch gives principals standing.
func (d *desk) vouch(ctx context.Context, principals []string) error {
	for some := range slices.Chunk(principals, vouchedAtOnce) {
		subject := lore.Target{Collection: lore.Principals, ID: some[0]}
		if err := d.record(ctx, lore.Decision{Subject: subject, Verdict: lore.VerdictVouch, Others: some[1:]}); err != nil {
			return fmt.Errorf("vouch for the sources: %w", err)
		}
	}
	return nil
}

// find returns the item with an id, which must be of one of the collections.
func (d *desk) find(ctx context.Context, id string, of ...lore.Collection) (lore.Target, error) {
	item, err := d.store.client.Find(ctx, id)
	if err != nil {
		return item, err
	}
	if !slices.Contains(of, item.Collection) {
		return item, fmt.Errorf("%s is in %s; this is for %v", id, item.Collection, of)
	}
	return item, nil
}

// decideEach records a decision on each of some submissions.
func (d *desk) decideEach(ctx context.Context, submissions []string, object *lore.Target, others []string) error {
	for _, id := range submissions {
		if err := d.decide(ctx, lore.Target{Collection: lore.Submissions, ID: id}, object, others); err != nil {
			return err
		}
	}
	return nil
}

// oneItem is a decision on one item that needs nothing else.
type oneItem struct {
	decisionFlags
	ID string `arg:"" help:"Id of what is decided on."`
}

// subjects are the collections on whose items each verdict is.
var subjects = map[lore.Verdict][]lore.Collection{
	lore.VerdictReject: {lore.Suggestions}, lore.VerdictConfirm: {lore.SafetyFlags}, lore.VerdictDismiss: {lore.SafetyFlags},
	lore.VerdictApprove:  {lore.Submissions, lore.Patterns, lore.KnowledgeUnits},
	lore.VerdictWithdraw: {lore.Submissions, lore.Patterns, lore.KnowledgeUnits, lore.Assets},
	lore.VerdictRestore:  {lore.Submissions, lore.Patterns, lore.KnowledgeUnits, lore.Assets},
}

// Run decides on the item. Where a flag of a leak is confirmed, its item is scrubbed again. An approval is of the words that the item has now; a
// pattern is approved by the submission whose fix it shows.
func (c *oneItem) Run(ctx context.Context, d *desk) error {
	item, err := d.find(ctx, c.ID, subjects[d.verdict]...)
	if err != nil {
		return err
	}
	switch item.Collection {
	case lore.SafetyFlags:
		flag, err := index.NewCollection[lore.SafetyFlag](d.store.client, lore.SafetyFlags, "safety flag").Get(ctx, c.ID)
		if err != nil {
			return err
		}
		if flag.Reason == lore.FlagLeak && d.verdict == lore.VerdictConfirm && !d.dry {
			if _, err := d.review.Rescrub(ctx, d.clean, flag.Target); err != nil {
				return err
			}
		}
		return d.decide(ctx, item, &flag.Target, nil)
	}
	if d.verdict == lore.VerdictApprove {
		return d.approve(ctx, item)
	}
	return d.decide(ctx, item, nil, nil)
}

// approve records the approval of an item's present words.
func (d *desk) approve(ctx context.Context, item lore.Target) error {
	var object *lore.Target
	if item.Collection == lore.Patterns {
		pattern, err := index.NewCollection[lore.Pattern](d.store.client, lore.Patterns, "pattern").Get(ctx, item.ID)
		if err != nil {
			return err
		}
		from, err := approvedOf(pattern)
		if err != nil {
			return err
		}
		object, item = &item, lore.Target{Collection: lore.Submissions, ID: from.ID}
	}
	words, err := d.store.client.WordsOf(ctx, item)
	if err != nil || d.dry {
		return cmp.Or(err, d.decide(ctx, item, object, nil))
	}
	if err := d.record(ctx, lore.Decision{Subject: item, Verdict: d.verdict, Object: object, Words: words}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(d.out.stdout, "%s: %s %s, revision %s\n", d.verdict, item.Collection, item.ID, words.Revision)
	return err
}

// approvedOf returns the fix that an approval of a pattern means: the one that it shows, or its only one.
func approvedOf(pattern lore.Pattern) (lore.FixFrom, error) {
	switch {
	case pattern.FixFrom != nil:
		return *pattern.FixFrom, nil
	case len(pattern.Alternatives) == 1:
		return pattern.Alternatives[0].From, nil
	case len(pattern.Alternatives) == 0:
		return lore.FixFrom{}, errors.New("no report of the pattern says what to do: nothing can be approved")
	}
	text := "the pattern has several fixes, none of them confirmed: approve the submission whose fix you mean:"
	for _, fix := range pattern.Alternatives {
		text += " " + fix.From.ID
	}
	return lore.FixFrom{}, errors.New(text)
}

type reviewWithdraw struct {
	decisionFlags
	ID           string `arg:"" help:"Id of the item."`
	SupersededBy string `help:"Id of the knowledge unit that replaces this one." placeholder:"ID"`
}

// Run withdraws an item.
func (c *reviewWithdraw) Run(ctx context.Context, d *desk) error {
	item, err := d.find(ctx, c.ID, subjects[d.verdict]...)
	if err != nil {
		return err
	}
	if c.SupersededBy == "" {
		return d.decide(ctx, item, nil, nil)
	}
	successor, err := d.find(ctx, c.SupersededBy, lore.KnowledgeUnits)
	if err != nil {
		return err
	}
	if item.Collection != lore.KnowledgeUnits || successor == item {
		return errors.New("--superseded-by is for a knowledge unit that another one replaces")
	}
	return d.decide(ctx, item, &successor, nil)
}
