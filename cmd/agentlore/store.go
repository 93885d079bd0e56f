package main

import (
	"context"
	"errors"
	"fmt"
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
	if err := prepare(ctx, client, cfg); err != nil {
		return nil, err
	}
	accounts, err := index.OpenAccounts(ctx, client)
	if err != nil {
		return nil, err
	}
	writer, err := client.NewWriter(flushEvery)
	if err != nil {
		return nil, err
	}
	return &store{
		client: client, writer: writer, accounts: accounts, submissions: index.OpenSubmissions(client, writer),
		assets: index.OpenAssets(client, writer), records: index.NewRecords(client),
	}, nil
}

// migrateAgainAfter is the pause before indices are created again that a busy cluster couldn't create in time.
const migrateAgainAfter = time.Second

// prepare waits for Elasticsearch and creates the indices that are missing. A cluster that has just started answers
// before it can keep up: what it can't do at the moment is tried again, for as long as a start may take.
func prepare(ctx context.Context, client *index.Client, cfg index.Config) error {
	waiting, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := client.WaitReady(waiting); err != nil {
		return err
	}
	outdated, err := client.Migrate(waiting)
	for err != nil {
		var problem *lore.Problem
		if !errors.As(err, &problem) || problem.Code != lore.CodeStoreUnavailable {
			return fmt.Errorf("create indices: %w", err)
		}
		cfg.Log.Info("elasticsearch can't create the indices yet", "cause", problem.Cause)
		select {
		case <-waiting.Done():
			return fmt.Errorf("create indices: %w", err)
		case <-time.After(migrateAgainAfter):
		}
		outdated, err = client.Migrate(waiting)
	}
	for _, alias := range outdated {
		cfg.Log.Warn("an index was created by another version; it works as it is", "alias", alias)
	}
	return nil
}

// Close writes out what is waiting.
func (s *store) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return s.writer.Close(ctx)
}
