package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"agentlore/cache"
	"agentlore/index"
	"agentlore/lore"
	"agentlore/tokens"
)

// tokenCommand is what an operator does with tokens.
type tokenCommand struct {
	Issue  issueCommand  `cmd:"" help:"Print a new token for a source; those it had are refused from now on."`
	Revoke revokeCommand `cmd:"" help:"Refuse a source's token from now on; its name stays taken."`
}

// accountFlags say whose token it is, and which service's.
type accountFlags struct {
	decisionFlags
	redisSecrets
	RedisURL string `name:"redis-url" env:"REDIS_URL" help:"The service's Redis: replicas hear of a revoked token through it. Without it they may honour the token for up to a minute."`
	Name     string `arg:"" help:"Name of the source."`
}

type issueCommand struct{ accountFlags }

// Run prints the new token, this once.
func (c *issueCommand) Run(ctx context.Context, out output) error {
	token, hash, err := mint()
	if err != nil {
		return err
	}
	err = c.change(ctx, out, lore.VerdictIssue, func(accounts *index.Accounts) ([]string, error) {
		return accounts.IssueToken(ctx, c.Name, hash, time.Now())
	})
	if err != nil || c.DryRun {
		return err
	}
	_, err = fmt.Fprintln(out.stdout, token)
	return err
}

type revokeCommand struct{ accountFlags }

// Run revokes the token.
func (c *revokeCommand) Run(ctx context.Context, out output) error {
	err := c.change(ctx, out, lore.VerdictRevoke, func(accounts *index.Accounts) ([]string, error) {
		return accounts.RevokeToken(ctx, c.Name, time.Now())
	})
	if err != nil || c.DryRun {
		return err
	}
	_, err = fmt.Fprintln(out.stdout, "revoked")
	return err
}

// change records what is done to an account and does it, and then tells the caches which token is refused from now on: in that order, since a look-up
// in between would bring it back.
func (c *accountFlags) change(ctx context.Context, out output, verdict lore.Verdict, work func(*index.Accounts) (oldHashes []string, err error)) error {
	reach, err := c.redisSecrets.config(c.RedisURL, c.IndexPrefix, out)
	if err != nil {
		return err
	}
	redis, err := cache.Open(reach)
	if err != nil {
		return fmt.Errorf("REDIS_URL: %w", err)
	}
	defer redis.Close()
	d, err := c.open(ctx, out)
	if err != nil {
		return err
	}
	defer d.store.Close()
	identity, _, err := d.store.accounts.SourceByName(ctx, c.Name)
	if err != nil {
		return err
	}
	source := lore.Target{Collection: lore.Sources, ID: identity.SourceID}
	if d.dry {
		return d.decide(ctx, source, verdict, nil, nil)
	}
	if err := d.record(ctx, lore.Decision{Subject: source, Verdict: verdict}); err != nil {
		return err
	}
	oldHashes, err := work(d.store.accounts)
	if err != nil {
		return err
	}
	verifier := tokens.New(d.store.accounts, redis, out.log)
	for _, hash := range oldHashes {
		var late *tokens.RevocationError
		err := verifier.Revoke(ctx, hash)
		if errors.As(err, &late) {
			out.log.Warn("replicas may honour the old token a little longer", "at_most", late.Window.String())
		} else if err != nil {
			return err
		}
	}
	return nil
}
