package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"agentlore/index"
	"agentlore/index/accounts"
	"agentlore/lore"
)

// store is the connected storage.
type store struct {
	client      *index.Client
	writer      *index.Writer
	accounts    *accounts.Accounts
	submissions *index.SubmissionStore
	records     index.Records
}

// connect waits for Elasticsearch, creates what is missing and returns the store. A cluster that
// has just started answers before it can keep up: what it can't do at the moment is tried again, for as long as a start may take.
func connect(ctx context.Context, cfg index.Config) (*store, error) {
	client, err := openReady(ctx, cfg)
	if err != nil {
		return nil, err
	}
	older, err := createIndices(ctx, client, cfg)
	if err != nil {
		return nil, err
	}
	if len(older) > 0 {
		return nil, fmt.Errorf("the store is of an older version (%s): stop the services of that version and run agentlore migrate",
			strings.Join(older, ", "))
	}
	accounts, err := lore.Retry(ctx, startTimeout, startPause, func() (*accounts.Accounts, error) { return accounts.Open(ctx, client) })
	if err != nil {
		return nil, fmt.Errorf("open accounts: %w", err)
	}
	writer := client.NewWriter()
	return &store{
		client: client, writer: writer, accounts: accounts, submissions: index.OpenSubmissions(client, writer),
		records: index.Records{Client: client},
	}, nil
}

// ProvideStore gives a command the store of its flags.
func (c storeConfig) ProvideStore(ctx context.Context, out output) (*store, error) {
	return c.open(ctx, out, 0)
}

// open returns the store of the flags, of which each call may take leastTimeout in any case. It is closed when the command ends.
func (c storeConfig) open(ctx context.Context, out output, leastTimeout time.Duration) (*store, error) {
	settings, err := c.settings(out)
	if err != nil {
		return nil, err
	}
	settings.Timeout = max(settings.Timeout, leastTimeout)
	store, err := connect(ctx, settings)
	if err == nil {
		*out.opened = append(*out.opened, store)
	}
	return store, err
}

// openReady returns a client of Elasticsearch when that is up.
func openReady(ctx context.Context, cfg index.Config) (*index.Client, error) {
	client, err := index.Open(cfg)
	if err != nil {
		return nil, err
	}
	waiting, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	return client, client.WaitReady(waiting)
}

const (
	// startTimeout is how long a command waits for Elasticsearch to come up before it gives up.
	startTimeout = 5 * time.Minute
	// startPause is the pause before a busy cluster is asked again.
	startPause = time.Second
)

// createIndices creates the indices that are missing and returns those that are of an older version than this binary.
func createIndices(ctx context.Context, client *index.Client, cfg index.Config) (older []string, err error) {
	outdated, err := lore.Retry(ctx, startTimeout, startPause, func() (outdated []string, err error) {
		outdated, older, err = client.Migrate(ctx)
		var problem *lore.Problem
		if errors.As(err, &problem) {
			cfg.Log.Info("elasticsearch can't keep up yet", "cause", problem.Cause)
		}
		return outdated, err
	})
	for _, alias := range outdated {
		cfg.Log.Warn("an index was created by another version; it works as it is", "alias", alias)
	}
	if err != nil {
		return nil, fmt.Errorf("create indices: %w", err)
	}
	return older, nil
}

// Close writes out what is waiting.
func (s *store) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return s.writer.Close(ctx)
}
