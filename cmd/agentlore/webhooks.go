package main

import (
	"context"
	"encoding/json"
	"time"

	"agentlore/curator/worker"
	"agentlore/handlers"
	"agentlore/index"
	"agentlore/index/accounts"
	"agentlore/index/curation"
	"agentlore/lore"
	"agentlore/webhook"
)

// hooks are the webhooks of sources, with who may have one.
type hooks struct {
	*accounts.Accounts
	states worker.States
}

func newHooks(client *index.Client, accounts *accounts.Accounts) hooks {
	return hooks{accounts, curation.New(client, nil)}
}

// Standing returns the principals that have standing.
func (h hooks) Standing(ctx context.Context) (map[string]bool, error) {
	return worker.Standing(ctx, h.states)
}

// HasStanding reports whether a principal has standing.
func (h hooks) HasStanding(ctx context.Context, principal string) (bool, error) {
	with, err := h.Standing(ctx)
	return with[principal], err
}

// unitFeed is the feed that webhooks are sent: that of /feed.json, from its other end.
type unitFeed struct {
	units index.Collection[lore.KnowledgeUnit]
}

func newUnitFeed(client *index.Client) unitFeed {
	return unitFeed{index.NewCollection[lore.KnowledgeUnit](client, lore.KnowledgeUnits, "knowledge unit")}
}

// Newest returns where the newest unit made before a time stands.
func (f unitFeed) Newest(ctx context.Context, until time.Time) (newest lore.Position, err error) {
	filter := handlers.FeedFilter("", "", "")
	filter.Until = until
	found, err := f.units.List(ctx, lore.ListQuery{Filter: filter, Sort: lore.SortMade, Limit: 1})
	for _, unit := range found.Results {
		newest = lore.Position{CreatedAt: unit.CreatedAt, ID: unit.ID}
	}
	return newest, err
}

// After returns the units behind a position as items of a feed. Their addresses have no host: no request says which one.
func (f unitFeed) After(
	ctx context.Context, hook lore.Webhook, after lore.Position, until time.Time, limit int,
) (items []webhook.Item, err error) {
	filter := handlers.FeedFilter(string(hook.Category), hook.Ecosystem, hook.Tag)
	filter.Until = until
	found, err := f.units.List(ctx, lore.ListQuery{Filter: filter, Sort: lore.SortStored, Limit: limit, After: &after})
	for _, unit := range found.Results {
		item := webhook.Item{Position: lore.Position{CreatedAt: unit.CreatedAt, ID: unit.ID}}
		if item.JSON, err = json.Marshal(handlers.UnitItem("", unit)); err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, err
}
