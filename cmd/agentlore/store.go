package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"agentlore/index"
	"agentlore/lore"
)

// store is the connected storage.
type store struct {
	client      *index.Client
	writer      *index.Writer
	accounts    *index.Accounts
	submissions *index.SubmissionStore
	assets      *index.AssetStore
	records     *index.Records
}

// connect waits for Elasticsearch, creates what is missing and returns the store. Groups of writes gather for
// flushEvery.
func connect(ctx context.Context, cfg index.Config, flushEvery time.Duration) (*store, error) {
	client, err := index.Open(cfg)
	if err != nil {
		return nil, err
	}
	accounts, err := prepare(ctx, client, cfg)
	if err != nil {
		return nil, err
	}
	writer := client.NewWriter(flushEvery)
	return &store{
		client: client, writer: writer, accounts: accounts, submissions: index.OpenSubmissions(client, writer),
		assets: index.OpenAssets(client, writer), records: index.NewRecords(client),
	}, nil
}

// prepareAgainAfter is the pause before a busy cluster is asked again.
const prepareAgainAfter = time.Second

// prepare waits for Elasticsearch, creates the indices that are missing and opens the accounts. A cluster that has just
// started answers before it can keep up: what it can't do at the moment is tried again, for as long as a start may take.
func prepare(ctx context.Context, client *index.Client, cfg index.Config) (*index.Accounts, error) {
	waiting, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := client.WaitReady(waiting); err != nil {
		return nil, err
	}
	older, err := createIndices(waiting, client, cfg)
	if err != nil {
		return nil, err
	}
	if len(older) > 0 {
		return nil, fmt.Errorf("the store is of an older version (%s): stop the services of that version and run agentlore migrate", strings.Join(older, ", "))
	}
	return untilAvailable(waiting, cfg, "open accounts", func(ctx context.Context) (*index.Accounts, error) {
		return index.OpenAccounts(ctx, client)
	})
}

// createIndices creates the indices that are missing and returns those that are of an older version than this binary.
func createIndices(ctx context.Context, client *index.Client, cfg index.Config) (older []string, err error) {
	type found struct{ outdated, older []string }
	there, err := untilAvailable(ctx, cfg, "create indices", func(ctx context.Context) (f found, err error) {
		f.outdated, f.older, err = client.Migrate(ctx)
		return f, err
	})
	for _, alias := range there.outdated {
		cfg.Log.Warn("an index was created by another version; it works as it is", "alias", alias)
	}
	return there.older, err
}

// untilAvailable does a step of a start, again and again while the store can't answer.
func untilAvailable[T any](ctx context.Context, cfg index.Config, step string, do func(context.Context) (T, error)) (T, error) {
	for {
		done, err := do(ctx)
		if err == nil {
			return done, nil
		}
		var problem *lore.Problem
		if !errors.As(err, &problem) || problem.Code != lore.CodeStoreUnavailable {
			return done, fmt.Errorf("%s: %w", step, err)
		}
		cfg.Log.Info("elasticsearch can't keep up yet", "step", step, "cause", problem.Cause)
		select {
		case <-ctx.Done():
			return done, fmt.Errorf("%s: %w", step, err)
		case <-time.After(prepareAgainAfter):
		}
	}
}

// Close writes out what is waiting.
func (s *store) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return s.writer.Close(ctx)
}
