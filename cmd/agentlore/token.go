package main

import (
	"context"
	"fmt"
	"time"

	"agentlore/index"
	"agentlore/tokens"
)

// tokenCommand is what an operator does with tokens.
type tokenCommand struct {
	Issue  issueCommand  `cmd:"" help:"Print a new token for a source; those it had are refused from now on."`
	Revoke revokeCommand `cmd:"" help:"Refuse a source's token from now on; its name stays taken."`
}

// accountFlags say whose token it is. A change holds everywhere within a second: services ask the store that often.
type accountFlags struct {
	storeConfig
	Name string `arg:"" help:"Name of the source."`
}

// open connects to the store.
func (c accountFlags) open(ctx context.Context, out output) (*store, error) {
	settings, err := c.settings(out)
	if err != nil {
		return nil, err
	}
	return connect(ctx, settings, index.FlushEvery)
}

type issueCommand struct{ accountFlags }

// Run prints the new token, this once.
func (c *issueCommand) Run(ctx context.Context, out output) error {
	store, err := c.open(ctx, out)
	if err != nil {
		return err
	}
	defer store.Close()
	var token string
	if _, err = store.accounts.IssueToken(ctx, c.Name, func(key string) (hash string, err error) {
		token, hash, err = mint(key)
		return hash, err
	}); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out.stdout, token)
	return err
}

type revokeCommand struct{ accountFlags }

// Run revokes the token.
func (c *revokeCommand) Run(ctx context.Context, out output) error {
	store, err := c.open(ctx, out)
	if err != nil {
		return err
	}
	defer store.Close()
	if _, err := store.accounts.RevokeToken(ctx, c.Name, time.Now()); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out.stdout, "revoked: it is refused everywhere within", (2 * tokens.EntryTTL).String())
	return err
}
