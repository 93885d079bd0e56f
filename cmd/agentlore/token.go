package main

import (
	"context"
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
	Name string `arg:"" help:"Name of the source."`
}

type issueCommand struct{ accountFlags }

// Run prints the new token, this once.
func (c *issueCommand) Run(ctx context.Context, d *desk) error {
	return c.change(ctx, d, nil, func() (token string, err error) {
		_, err = d.store.accounts.IssueToken(ctx, c.Name, func(key string) (hash string, err error) {
			token, hash, err = mint(key)
			return hash, err
		})
		return token, err
	})
}

type revokeCommand struct {
	accountFlags
	Since time.Time `help:"The token was stolen then: what its source said from that time on is taken back (RFC 3339)." placeholder:"TIME"`
}

// Run revokes the token.
func (c *revokeCommand) Run(ctx context.Context, d *desk) error {
	var since *time.Time
	if !c.Since.IsZero() {
		since = new(c.Since.UTC())
	}
	return c.change(ctx, d, since, func() (string, error) {
		_, err := d.store.accounts.RevokeToken(ctx, c.Name, time.Now())
		return fmt.Sprintf("revoked: it is refused everywhere within %s", tokens.EntryTTL), err
	})
}

// change records what is done to an account, does it and prints what comes of it.
func (c *accountFlags) change(ctx context.Context, d *desk, since *time.Time, work func() (string, error)) error {
	identity, _, err := d.store.accounts.SourceByName(ctx, c.Name)
	if err != nil {
		return err
	}
	subject := lore.Target{Collection: lore.Sources, ID: identity.SourceID}
	if d.dry {
		return d.decide(ctx, subject, nil, nil)
	}
	if err := d.record(ctx, lore.Decision{Verdict: d.verdict, Subject: subject, Since: since}); err != nil {
		return err
	}
	text, err := work()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(d.out.stdout, text)
	return err
}
