package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"agentlore/curator/worker"
	"agentlore/handlers"
	"agentlore/index"
	"agentlore/index/accounts"
	"agentlore/index/curation"
	"agentlore/index/search"
	"agentlore/knowledge"
	"agentlore/lore"
	"agentlore/webhook"
)

// questionsAtOnce is how many questions are judged after a pass: about a second's work of a store with 60,000 reports.
const questionsAtOnce = 50

// answerer looks whether questions are known by now, and opens those again whose answer no longer is. It is for the one process that curates.
type answerer struct {
	questions *index.QuestionStore
	searcher  *search.Searcher
	names     *knowledge.Knowledge
	client    *index.Client
	known     string         // what was known when this round through all questions began
	after     *lore.Position // the question that was judged last; nil: no round is under way
}

func newAnswerer(client *index.Client, names *knowledge.Knowledge) *answerer {
	return &answerer{questions: index.NewQuestions(client), searcher: search.New(client), names: names, client: client}
}

// look judges the next questions, oldest first. Once all are judged it waits until something else is known.
func (a *answerer) look(ctx context.Context) error {
	if a.after == nil {
		known, err := a.whatIsKnown(ctx)
		if err != nil || known == a.known {
			return err
		}
		a.known = known
	}
	kept, err := a.questions.List(ctx, lore.ListQuery{Sort: lore.SortStored, Limit: questionsAtOnce, After: a.after})
	if err != nil {
		return err
	}
	for _, question := range kept.Results {
		by, err := handlers.KnownBy(ctx, a.searcher, a.names, lore.Question{Text: question.Text, Ecosystem: question.Ecosystem})
		if err == nil {
			err = a.questions.Answer(ctx, question.ID, by, time.Now())
		}
		if err != nil {
			return fmt.Errorf("answer question: %w", err)
		}
		a.after = &lore.Position{CreatedAt: question.CreatedAt, ID: question.ID}
	}
	if len(kept.Results) < questionsAtOnce {
		a.after = nil
	}
	return nil
}

// whatIsKnown returns a text that changes with what is known: the latest event, how many items there are, and how many units hold undisputed.
func (a *answerer) whatIsKnown(ctx context.Context) (string, error) {
	events, err := index.NewCollection[lore.Event](a.client, lore.Events, "event").List(ctx, lore.ListQuery{Limit: 1})
	if err != nil {
		return "", err
	}
	counts, err := a.client.Counts(ctx, lore.KnowledgeUnits, lore.Patterns)
	known := fmt.Sprint(counts)
	if len(events.Results) > 0 {
		known += events.Results[0].ID
	}
	if err != nil {
		return known, err
	}
	holding, err := a.client.Count(ctx, a.client.AliasOf(lore.KnowledgeUnits), map[string]any{"bool": map[string]any{
		"filter": []any{index.Term("status", lore.UnitActive)}, "must_not": []any{index.Term("disputed", true)},
	}})
	return fmt.Sprint(known, " ", holding), err
}

// hooks are the webhooks of sources, and who has the standing that one needs.
type hooks struct {
	*accounts.Accounts
	states worker.States
}

func newHooks(client *index.Client, accounts *accounts.Accounts) hooks {
	return hooks{accounts, curation.New(client, nil)}
}

// Standing returns the principals that have standing.
func (h hooks) Standing(ctx context.Context) (map[string]bool, error) {
	held, err := worker.Standing(ctx, h.states)
	with := map[string]bool{}
	for principal := range held {
		with[principal] = true
	}
	return with, err
}

// unitFeed is the feed that webhooks are sent: that of /feed.json, from its other end.
type unitFeed struct {
	units index.Collection[lore.KnowledgeUnit]
	base  string // of the service in the items' addresses
}

func newUnitFeed(client *index.Client, base string) unitFeed {
	return unitFeed{index.NewCollection[lore.KnowledgeUnit](client, lore.KnowledgeUnits, "knowledge unit"), base}
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

// After returns the units behind a position as items of a feed. Their addresses have no host where none is configured: no request says it.
func (f unitFeed) After(
	ctx context.Context, hook lore.Webhook, after lore.Position, until time.Time, limit int,
) (items []webhook.Item, err error) {
	filter := handlers.FeedFilter(string(hook.Category), hook.Ecosystem, hook.Tag)
	filter.Until = until
	found, err := f.units.List(ctx, lore.ListQuery{Filter: filter, Sort: lore.SortStored, Limit: limit, After: &after})
	for _, unit := range found.Results {
		item := webhook.Item{Position: lore.Position{CreatedAt: unit.CreatedAt, ID: unit.ID}}
		if item.JSON, err = json.Marshal(handlers.UnitItem(f.base, unit)); err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, err
}
