package main

import (
	"context"
	"time"

	"agentlore/curator/worker"
	"agentlore/index"
	"agentlore/index/accounts"
	"agentlore/index/curation"
	"agentlore/lore"
)

// standings tells handlers whose word counts, as the curator judged last.
type standings struct {
	client   *index.Client
	accounts *accounts.Accounts
	store    *curation.Store
}

func newStandings(client *index.Client, accounts *accounts.Accounts) standings {
	return standings{client, accounts, curation.New(client, nil)}
}

// StandingOf returns the standing of a principal; the zero value: it has none.
func (s standings) StandingOf(ctx context.Context, principal string) (lore.HeldStanding, error) {
	held, err := worker.Standing(ctx, s.store)
	return held[principal], err
}

// AnyStanding reports whether one of some sources is of a principal with standing.
func (s standings) AnyStanding(ctx context.Context, sources []string) (bool, error) {
	held, err := worker.Standing(ctx, s.store)
	if err != nil || len(held) == 0 {
		return false, err
	}
	accounts, err := s.store.AccountsOf(ctx, sources)
	for _, account := range accounts {
		if held[account.Principal].Source != "" {
			return true, nil
		}
	}
	return false, err
}

// ActsOfWeek returns how many outcomes and flags the bearer's principal gave in the week that began at a time.
func (s standings) ActsOfWeek(ctx context.Context, bearer lore.Identity, week time.Time) (int, error) {
	sources, err := s.accounts.SourcesOf(ctx, bearer)
	if err != nil {
		return 0, err
	}
	return s.client.ActsOfWeek(ctx, sources, week)
}
