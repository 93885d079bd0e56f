package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"agentlore/lore"
	"agentlore/tokens"
)

// tokenCommand is what an operator does with tokens.
type tokenCommand struct {
	Issue  issueCommand  `cmd:"" help:"Print a new token for a source; those it had are refused from now on."`
	Revoke revokeCommand `cmd:"" help:"Refuse a source's token from now on; its name stays taken."`
}

// accountFlags say whose token it is. A change holds everywhere within a second: services ask the store that often.
type accountFlags struct {
	decisionFlags
	Name  string    `arg:"" help:"Name of the source."`
	Since time.Time `help:"The token was stolen then: what it said, registered, ended and withdrew from that time on is taken back (RFC 3339)." placeholder:"TIME"`
}

type issueCommand struct{ accountFlags }

// Run prints the new token, this once.
func (c *issueCommand) Run(ctx context.Context, d *desk) error {
	return c.change(ctx, d, func() (token string, err error) {
		_, err = d.store.accounts.IssueToken(ctx, c.Name, func(key string) (hash string, err error) {
			token, hash, err = mint(key)
			return hash, err
		})
		return token, err
	})
}

type revokeCommand struct{ accountFlags }

// Run revokes the token.
func (c *revokeCommand) Run(ctx context.Context, d *desk) error {
	return c.change(ctx, d, func() (string, error) {
		_, err := d.store.accounts.RevokeToken(ctx, c.Name, time.Now())
		return fmt.Sprintf("revoked: it is refused everywhere within %s", tokens.EntryTTL), err
	})
}

// change records what is done to an account, does it and prints what comes of it.
func (c *accountFlags) change(ctx context.Context, d *desk, work func() (string, error)) error {
	source, _, err := d.store.accounts.SourceByName(ctx, c.Name)
	if err != nil {
		return err
	}
	subject := lore.Target{Collection: lore.Sources, ID: source.SourceID}
	theft := stolenToken{desk: d, source: source, since: c.Since.UTC()}
	if d.dry {
		if err := d.decide(ctx, subject, nil, nil); err != nil || c.Since.IsZero() {
			return err
		}
		return theft.undo(ctx)
	}
	if !c.Since.IsZero() {
		if err := theft.takeBack(ctx, source.SourceID); err != nil {
			return err
		}
	}
	if d.verdict != lore.VerdictRevoke || c.Since.IsZero() {
		if err := d.record(ctx, lore.Decision{Verdict: d.verdict, Subject: subject}); err != nil {
			return err
		}
	}
	text, err := work()
	if err != nil {
		return err
	}
	if _, err = fmt.Fprintln(d.out.stdout, text); err != nil || c.Since.IsZero() {
		return err
	}
	if err := theft.undo(ctx); err != nil {
		return errors.Join(err, errors.New("run it again to go on where it stopped"))
	}
	return nil
}

// stolenToken is a source whose token somebody else had since a time.
type stolenToken struct {
	*desk
	source lore.Identity
	since  time.Time
}

// takeBack records that what a source said since the theft counts for nothing.
func (s stolenToken) takeBack(ctx context.Context, sourceID string) error {
	subject := lore.Target{Collection: lore.Sources, ID: sourceID}
	return s.record(ctx, lore.Decision{Verdict: lore.VerdictRevoke, Subject: subject, Since: &s.since})
}

// undo ends what the thief registered and takes back what the thief did, or says what it would. The token must be refused by now. It can be
// done again.
func (s stolenToken) undo(ctx context.Context) error {
	if !s.dry {
		pause(ctx, tokens.EntryTTL) // till then a service may believe what it knew of the token
	}
	var registered []string
	err := s.store.accounts.EndRegistered(ctx, s.source, s.since, time.Now(), s.dry, func(one lore.OwnSource) error {
		registered = append(registered, one.ID)
		if !s.dry {
			if err := s.takeBack(ctx, one.ID); err != nil {
				return err
			}
		}
		return s.say("revoke", lore.Sources, one.ID, one.Name)
	})
	if err != nil {
		return err
	}
	back, err := s.store.accounts.UndoSince(ctx, s.source, s.since, registered, s.dry)
	for _, one := range back {
		err = errors.Join(err, s.say("accept again", lore.Sources, one.ID, one.Name))
	}
	if err != nil {
		return err
	}
	withdrawn, err := s.review.WithdrawnBy(ctx, s.source.SourceID, s.since)
	for _, id := range withdrawn {
		if err == nil && !s.dry {
			err = s.record(ctx, lore.Decision{Verdict: lore.VerdictRestore, Subject: lore.Target{Collection: lore.Submissions, ID: id}})
		}
		if err == nil {
			err = s.say("restore", lore.Submissions, id, "")
		}
	}
	return err
}

// say prints what is done, or of a dry run what would be.
func (s stolenToken) say(what string, collection lore.Collection, id, name string) error {
	if s.dry {
		what = "would " + what
	}
	_, err := fmt.Fprintf(s.out.stdout, "%s: %s %s  %s\n", what, collection, id, plain(name))
	return err
}
