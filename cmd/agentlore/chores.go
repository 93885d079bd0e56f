package main

import (
	"context"
	"time"

	"agentlore/index"
	"agentlore/index/migrate"
	"agentlore/lore"
)

// chore removes what crashes and time leave over, again and again. Each runs by itself, so that one that fails or takes long holds up no
// other.
type chore struct {
	what  string
	first time.Duration // until it is done for the first time
	every time.Duration
	do    func(context.Context) error
}

// chores are those of a service.
func (c *serveCommand) chores(out output, store *store) []chore {
	// alone keeps replicas from deleting the same documents at a time: each would meet the other's conflicts.
	alone := func(what string, do func(context.Context) error) func(context.Context) error {
		return func(ctx context.Context) error { return store.client.Alone(ctx, "chore:"+what, do) }
	}
	prune := func(name string, days int) func(context.Context) error {
		return func(ctx context.Context) error { return store.client.Prune(ctx, name, days) }
	}
	const records, questions, searches, events = "old idempotency keys", "old questions", "old searches", "old events"
	return []chore{
		{records, time.Minute, time.Minute, alone(records, func(ctx context.Context) error {
			_, err := store.records.Sweep(ctx, clock())
			return err
		})},
		{questions, time.Minute, time.Hour, alone(questions, func(ctx context.Context) error {
			return index.NewQuestions(store.client).Sweep(ctx, clock())
		})},
		{searches, 0, time.Hour, alone(searches, prune(index.SearchLogIndex, c.SearchLogDays))},
		{events, 0, time.Hour, alone(events, prune(string(lore.Events), c.EventDays))},
		{"write blocks", time.Minute, time.Minute, func(ctx context.Context) error { // under the migration's lease
			lifted, err := migrate.New(store.client).ReleaseWrites(ctx)
			if lifted {
				out.log.Warn("lifted the write block of a migration that died")
			}
			return err
		}},
	}
}

// repeat does the chore until ctx ends. A failure is the next round's work.
func (c chore) repeat(ctx context.Context, out output) {
	pause(ctx, c.first)
	for ; ctx.Err() == nil; pause(ctx, c.every) {
		if err := c.do(ctx); err != nil && ctx.Err() == nil {
			out.log.Warn("could not be removed; it is tried again", "what", c.what, "in", c.every.String(), "cause", index.RootCause(err))
		}
	}
}
