package accounts

import (
	"context"
	"errors"

	"agentlore/index"
	"agentlore/lore"
)

// Hook returns a bearer's webhook; nil: it has none. Errors: store_unavailable.
func (a *Accounts) Hook(ctx context.Context, bearer lore.Identity) (*lore.Hook, error) {
	held, err := a.get(ctx, bearer.Account)
	if errors.Is(err, index.ErrNotFound) {
		err = nil
	}
	return held.Source.Webhook, index.Wrapped("look up webhook", err)
}

// SetHook gives a bearer this webhook in place of the one that it has, or, with nil, none. Errors: invalid_token, store_unavailable.
func (a *Accounts) SetHook(ctx context.Context, bearer lore.Identity, hook *lore.Hook) error {
	_, err := a.change(ctx, bearer.Account, func(held *account) error { held.Webhook = hook; return nil })
	if errors.Is(err, index.ErrNotFound) {
		return lore.InvalidToken()
	}
	return index.Wrapped("set webhook", err)
}

// Subscribers returns the sources with an active webhook whose tokens are accepted. Errors: store_unavailable.
func (a *Accounts) Subscribers(ctx context.Context) (all []lore.Subscriber, err error) {
	found, err := a.findNow(ctx, index.Term("kind", KindAccount), index.Term("webhook.active", true))
	for _, one := range found {
		if held := one.Source; held.BannedAt.IsZero() && held.EndedAt.IsZero() && len(held.Tokens) > 0 {
			all = append(all, lore.Subscriber{Account: one.ID, SourceID: held.SourceID, Principal: held.Principal, Hook: *held.Webhook})
		}
	}
	return all, index.Wrapped("read webhooks", err)
}

// NoteDelivery changes how far deliveries of a webhook are, unless it was set anew since it was read. Errors: store_unavailable.
func (a *Accounts) NoteDelivery(ctx context.Context, to lore.Subscriber, change func(*lore.Hook)) error {
	_, err := a.change(ctx, to.Account, func(held *account) error {
		if held.Webhook == nil || !held.Webhook.CreatedAt.Equal(to.CreatedAt) {
			return index.ErrUnchanged
		}
		change(held.Webhook)
		return nil
	})
	if errors.Is(err, index.ErrNotFound) {
		err = nil
	}
	return index.Wrapped("note delivery", err)
}
