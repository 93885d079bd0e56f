package main

import (
	"context"
	"fmt"
	"time"

	"agentlore/handlers"
	"agentlore/index"
	"agentlore/index/search"
	"agentlore/lore"
)

// questionsAtOnce is how many open questions are judged after a pass: about a second's work of a store with 60,000 reports.
const questionsAtOnce = 50

// answerer looks whether open questions are known by now. It is for the one process that curates.
type answerer struct {
	questions *index.QuestionStore
	searcher  *search.Searcher
	client    *index.Client
	known     string         // what was known when this round through all open questions began
	after     *lore.Position // the question that was judged last; nil: a round is to begin
	done      bool           // the round has come to the end
}

func newAnswerer(client *index.Client) *answerer {
	return &answerer{questions: index.NewQuestions(client), searcher: search.New(client), client: client}
}

// look judges the next open questions, oldest first. Once all are judged it waits until something else is known.
func (a *answerer) look(ctx context.Context) error {
	if a.done || a.after == nil {
		known, err := a.whatIsKnown(ctx)
		if err != nil || known == a.known {
			return err
		}
		a.known, a.after, a.done = known, nil, false
	}
	filter := lore.Filter{Status: string(lore.QuestionOpen)}
	open, err := a.questions.List(ctx, lore.ListQuery{Filter: filter, Sort: lore.SortStored, Limit: questionsAtOnce, After: a.after})
	if err != nil {
		return err
	}
	for _, question := range open.Results {
		by, err := handlers.KnownBy(ctx, a.searcher, lore.Question{Text: question.Text, Ecosystem: question.Ecosystem})
		if err == nil && by != nil {
			err = a.questions.Answer(ctx, question.ID, *by, time.Now())
		}
		if err != nil {
			return fmt.Errorf("answer question: %w", err)
		}
		a.after = &lore.Position{CreatedAt: question.CreatedAt, ID: question.ID}
	}
	a.done = len(open.Results) < questionsAtOnce
	return nil
}

// whatIsKnown returns a text that changes with what is known: the latest event, and how many items there are.
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
	return known, err
}
