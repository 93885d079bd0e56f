package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"agentlore/curator"
	"agentlore/curator/worker"
	"agentlore/index"
	"agentlore/index/curation"
	"agentlore/knowledge"
	"agentlore/lore"
	"agentlore/webhook"
)

// backgroundCurator holds the lease while it lives, and passes over what is new.
type backgroundCurator struct {
	client   *index.Client
	known    *knowledge.Knowledge
	config   worker.Config
	progress func(worker.Progress) // hears how far a pass is
	answers  *answerer
	webhooks *webhook.Deliverer
	out      output
	told     time.Time // when the log last heard of the pass under way, or that began
	current  atomic.Pointer[worker.Worker]
	failures atomic.Int64 // errors since the start: a worker lives no longer than its lease
}

const (
	curateEvery = 10 * time.Second // between two passes; a report waits no longer for its pattern
	retryAfter  = 5 * time.Second  // after a lease that was lost, and a first pass that the store was too busy for
	retryMost   = time.Minute      // the longest wait for a store that stays busy
	tellEvery   = 30 * time.Second // how often a pass says how far it is
	importTime  = time.Minute      // in which an import of the reference library is written: webhooks are sent what is older
)

// newBackgroundCurator returns a curator that has not begun.
func newBackgroundCurator(
	out output, store *store, known *knowledge.Knowledge, rules curator.Rules, malicious curator.AddressList, hooks webhookConfig, links linkConfig,
) (*backgroundCurator, error) {
	similarity, err := curator.LearnedSimilarity()
	if err != nil {
		return nil, err
	}
	base, err := links.public()
	if err != nil {
		return nil, err
	}
	c := &backgroundCurator{client: store.client, known: known, answers: newAnswerer(store.client, known), out: out, config: worker.Config{
		Similarity: similarity, Library: kindLibraries(known), Rules: rules, Malicious: malicious, Log: out.log, Now: time.Now,
		Version: version + " " + commit(),
	}}
	c.webhooks = webhook.New(newUnitFeed(store.client, base), newHooks(store.client, store.accounts), out.log, webhook.Options{Ports: hooks.Ports})
	c.progress = c.logProgress
	return c, nil
}

// logProgress logs how far a pass is that takes long.
func (c *backgroundCurator) logProgress(p worker.Progress) {
	if now := time.Now(); now.Sub(c.told) >= tellEvery {
		c.told = now
		c.out.log.Info("a pass is under way", "phase", p.Phase, "done", p.Done, "of", p.Of)
	}
}

// Curating reports whether this process holds the curator's lease.
func (c *backgroundCurator) Curating() bool { return c.current.Load() != nil }

// Stats returns what the curator of this process has done since it has the lease; zero while another process holds it.
func (c *backgroundCurator) Stats() worker.Stats {
	if current := c.current.Load(); current != nil {
		return current.Stats()
	}
	return worker.Stats{}
}

// hold calls work with a worker while this process holds the lease, for which it waits until waiting ends.
func (c *backgroundCurator) hold(ctx, waiting context.Context, work func(*worker.Worker) error) error {
	lease, err := c.client.AcquireLease(waiting, "curator", func() { c.out.log.Info("another process curates; waiting for its lease") })
	if err != nil {
		return err
	}
	defer func() {
		if err := lease.Release(ctx); err != nil {
			c.out.log.Warn("the curator's lease could not be given back; it lapses by itself", "cause", err)
		}
	}()
	c.out.log.Info("curating", "epoch", lease.Epoch())
	config := c.config
	config.Store, config.Progress = curation.New(c.client, lease), c.progress
	w := worker.New(config)
	c.current.Store(w)
	return work(w)
}

var errOtherCurates = errors.New("another process curates: stop it, or start it with AGENTLORE_CURATE=false, then run this again")

// once does one pass. It waits for the lease of a process that has died, not for one that goes on curating.
func (c *backgroundCurator) once(ctx context.Context, rebuild bool) (written int64, err error) {
	c.told = time.Now()
	waiting, stop := context.WithTimeout(ctx, index.LeaseTime+2*index.LeaseLook)
	defer stop()
	err = c.hold(ctx, waiting, func(w *worker.Worker) error {
		written, err = w.Pass(ctx, rebuild)
		return err
	})
	if waiting.Err() != nil && ctx.Err() == nil && c.current.Load() == nil {
		return 0, errOtherCurates
	}
	return written, err
}

// loop curates until ctx ends: whoever loses the lease waits for it again.
func (c *backgroundCurator) loop(ctx context.Context) {
	for ctx.Err() == nil {
		err := c.hold(ctx, ctx, func(w *worker.Worker) error { return c.passes(ctx, w) })
		c.current.Store(nil)
		if err != nil && ctx.Err() == nil {
			c.failures.Add(1)
			c.out.log.Warn("curating stopped; it begins again", "cause", err)
			pause(ctx, retryAfter)
		}
	}
}

// passes does one pass after the other until ctx ends or the lease is lost.
func (c *backgroundCurator) passes(ctx context.Context, w *worker.Worker) error {
	defer c.webhooks.Wait()
	busy := time.Duration(0) // how long the last wait for a busy store was
	for ctx.Err() == nil {
		c.told = time.Now()
		before := w.Stats()
		written := int64(0)
		idle, err := w.Idle(ctx)
		if err == nil && !idle {
			written, err = w.Pass(ctx, false)
		}
		var problem *lore.Problem
		switch {
		case err == nil:
			busy = 0
			if written > 0 {
				after := w.Stats()
				c.out.log.Info("curated", "reports", after.Reports-before.Reports, "changed", written, "took", after.LastPass.Round(time.Millisecond).String())
			}
			c.follow(ctx, "open questions are not looked at", c.answers.look(ctx))
			c.follow(ctx, "webhooks are not sent", c.webhooks.Round(ctx, w.Stats().CaughtUpAt.Add(-importTime)))
			pause(ctx, curateEvery)
		case ctx.Err() != nil:
			return nil
		case errors.As(err, &problem) && problem.Code == lore.CodeStoreUnavailable:
			c.failures.Add(1)
			busy = min(max(2*busy, retryAfter), retryMost)
			c.out.log.Warn("a pass stopped; it goes on in a moment", "cause", problem.Cause, "wait", busy.String())
			pause(ctx, busy-rand.N(busy/4)) // several services would come back together
		default:
			return err
		}
	}
	return nil
}

// follow logs what failed after a pass: it keeps neither the next pass nor the rest of what follows from being done.
func (c *backgroundCurator) follow(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil {
		c.failures.Add(1)
		c.out.log.Warn(what+"; it is tried again after the next pass", "cause", err)
	}
}

// pause waits, but not beyond the end of ctx.
func pause(ctx context.Context, how time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(how):
	}
}
