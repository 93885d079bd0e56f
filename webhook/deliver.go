package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"agentlore/lore"
)

const (
	// batch is how many items a message has at most.
	batch = 10
	// atOnce is how many receivers are told at the same time. Those that were slow or failed have places of their own, so that they
	// take none of the others': slowAtOnce.
	atOnce, slowAtOnce = 64, 16
	// slowAnswer is from when on a receiver counts as slow.
	slowAnswer = time.Second
	// queriesAtOnce is how many subscribers' items are looked for at the same time: searches go first.
	queriesAtOnce = 2
	// messageType is the type of all messages, as Standard Webhooks wants one.
	messageType = "feed.items"
)

// retries are the pauses after failures in a row, as Standard Webhooks proposes; after one more failure the webhook is disabled.
var retries = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// Item is an item of the feed.
type Item struct {
	lore.Position
	JSON json.RawMessage
}

// Feed reads what subscribers are told of.
type Feed interface {
	// Newest returns where the newest item made before a time stands; the zero value: there is none.
	Newest(ctx context.Context, until time.Time) (lore.Position, error)
	// After returns the items for a webhook behind a position and made before a time, oldest first.
	After(ctx context.Context, hook lore.Webhook, after lore.Position, until time.Time, limit int) ([]Item, error)
}

// Subscribers keeps who is told.
type Subscribers interface {
	// Subscribers returns all with an active webhook whose tokens work.
	Subscribers(ctx context.Context) ([]lore.Subscriber, error)
	// NoteDelivery changes how far deliveries of a webhook are, unless it was set anew since.
	NoteDelivery(ctx context.Context, subscriber lore.Subscriber, change func(*lore.Hook)) error
	// Standing returns the principals that have standing.
	Standing(ctx context.Context) (map[string]bool, error)
}

// Deliverer tells subscribers of new items. Of several processes one does. A message may come twice, with the same id.
type Deliverer struct {
	feed        Feed
	subscribers Subscribers
	sender      sender
	log         *slog.Logger
	now         func() time.Time

	fast, slow, queries chan struct{} // hold one for each at work
	working             sync.WaitGroup

	busy   sync.Map // accounts that are being told
	slowly sync.Map // accounts whose receiver was slow the last time

	mu      sync.Mutex
	newest  lore.Position // when all were told last
	looked  bool
	retryAt time.Time // when the next retry is due; zero: none is
}

// New returns a deliverer.
func New(feed Feed, subscribers Subscribers, log *slog.Logger, options Options) *Deliverer {
	return &Deliverer{
		feed: feed, subscribers: subscribers, sender: newSender(options), log: log, now: time.Now,
		fast: make(chan struct{}, atOnce), slow: make(chan struct{}, slowAtOnce), queries: make(chan struct{}, queriesAtOnce),
	}
}

// Round begins to tell all who are to be told of what was made before a time, which must all be findable, and doesn't wait for it: who
// is still being told is left to the next round. Where nothing is new it asks for the newest item alone.
func (d *Deliverer) Round(ctx context.Context, until time.Time) error {
	newest, err := d.feed.Newest(ctx, until)
	if err != nil {
		return err
	}
	now := d.now()
	d.mu.Lock()
	due := !d.looked || newest != d.newest || !d.retryAt.IsZero() && !now.Before(d.retryAt)
	if due {
		d.newest, d.looked, d.retryAt = newest, true, time.Time{}
	}
	d.mu.Unlock()
	if !due {
		return nil
	}
	all, err := d.subscribers.Subscribers(ctx)
	var standing map[string]bool
	if err == nil && len(all) > 0 {
		standing, err = d.subscribers.Standing(ctx)
	}
	if err != nil {
		d.again(now)
		return err
	}
	slices.SortStableFunc(all, func(a, b lore.Subscriber) int { return a.Failures - b.Failures })
	for _, one := range all {
		switch {
		case !standing[one.Principal] || one.Sent == newest:
		case now.Before(one.NextAt):
			d.again(one.NextAt)
		default:
			if _, busy := d.busy.LoadOrStore(one.Account, true); busy {
				d.again(now)
				continue
			}
			d.working.Go(func() {
				defer d.busy.Delete(one.Account)
				d.tell(ctx, one, until)
			})
		}
	}
	return nil
}

// Wait waits until nobody is being told any more.
func (d *Deliverer) Wait() { d.working.Wait() }

// again has a round look at a time at the latest.
func (d *Deliverer) again(at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.retryAt.IsZero() || at.Before(d.retryAt) {
		d.retryAt = at
	}
}

// enter takes a place, and reports whether it got one before ctx ended.
func enter(ctx context.Context, places chan struct{}) bool {
	select {
	case places <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// tell sends a subscriber one message, if there is something for it, and notes what came of it.
func (d *Deliverer) tell(ctx context.Context, to lore.Subscriber, until time.Time) {
	places := d.fast
	if _, slow := d.slowly.Load(to.Account); slow || to.Failures > 0 {
		places = d.slow
	}
	if !enter(ctx, places) {
		return
	}
	defer func() { <-places }()
	items, err := d.items(ctx, to, until)
	if err != nil || len(items) == 0 {
		if err != nil && ctx.Err() == nil {
			d.log.Warn("items for a webhook could not be read; they are read again", "source", to.SourceID, "cause", err)
			d.again(d.now())
		}
		return
	}
	began := d.now()
	id, body, err := message(to, items, began)
	if err == nil {
		err = d.sender.send(ctx, to.URL, to.Secret, id, body, began)
	}
	if ctx.Err() != nil {
		return
	}
	if d.now().Sub(began) > slowAnswer {
		d.slowly.Store(to.Account, true)
	} else {
		d.slowly.Delete(to.Account)
	}
	fault := err
	if err = d.subscribers.NoteDelivery(ctx, to, func(hook *lore.Hook) { note(hook, items, fault, d.now()) }); err != nil && ctx.Err() == nil {
		d.log.Warn("a webhook's delivery could not be noted; it is sent again", "source", to.SourceID, "cause", err)
		d.again(d.now())
	}
	switch {
	case fault != nil && (errors.Is(fault, errGone) || to.Failures >= len(retries)):
		d.log.Info("a webhook is disabled", "source", to.SourceID, "cause", fault)
	case fault != nil:
		d.again(d.now().Add(retries[to.Failures]))
	case len(items) == batch: // there may be more
		d.again(d.now())
	}
}

// items returns what a subscriber is to be told of next: after a failure, as many as then.
func (d *Deliverer) items(ctx context.Context, to lore.Subscriber, until time.Time) ([]Item, error) {
	if !enter(ctx, d.queries) {
		return nil, ctx.Err()
	}
	defer func() { <-d.queries }()
	limit := batch
	if to.Pending > 0 {
		limit = to.Pending
	}
	return d.feed.After(ctx, to.Webhook, to.Sent, until, limit)
}

// message returns a message of items and its id, which is the same for the same items to the same source.
func message(to lore.Subscriber, items []Item, at time.Time) (id string, body []byte, err error) {
	parts, texts := []string{"webhook", to.SourceID}, []json.RawMessage{}
	for _, item := range items {
		parts, texts = append(parts, item.ID), append(texts, item.JSON)
	}
	body, err = json.Marshal(map[string]any{"type": messageType, "timestamp": at.UTC().Format(time.RFC3339), "data": map[string]any{"items": texts}})
	return "msg_" + lore.DerivedID(parts...), body, err
}

// note writes down what came of a message.
func note(hook *lore.Hook, items []Item, fault error, now time.Time) {
	now = now.UTC()
	if fault == nil {
		hook.Sent, hook.SentAt = items[len(items)-1].Position, now
		hook.Failures, hook.Pending, hook.LastError, hook.NextAt = 0, 0, "", time.Time{}
		return
	}
	hook.LastError, hook.Pending = classOf(fault), len(items)
	if errors.Is(fault, errGone) || hook.Failures >= len(retries) {
		hook.Active = false
		return
	}
	hook.NextAt = now.Add(retries[hook.Failures])
	hook.Failures++
}
