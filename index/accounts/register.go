package accounts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"agentlore/index"
	"agentlore/lore"
	"agentlore/scrubber"
)

// Register stores the public source and claims its name by storing the account. In this order: a process that dies in between leaves
// an entry without reports, and no name taken for nothing. Errors: name_taken, invalid_invite, invalid_token, banned,
// store_unavailable.
func (a *Accounts) Register(ctx context.Context, scrubbed scrubber.Scrubbed[lore.Registration], enrolment lore.Enrolment) (lore.Source, error) {
	registration, now := scrubbed.Value(), enrolment.At.UTC().Truncate(time.Millisecond)
	if err := a.checkNetwork(ctx, enrolment.Client); err != nil {
		return lore.Source{}, err
	}
	network, err := a.networkKey(ctx, enrolment.Client, now)
	if err != nil {
		return lore.Source{}, err
	}
	mine := account{
		Kind: KindAccount, Name: registration.Name, SourceID: lore.NewID(), Owner: registration.Owner, CreatedAt: now,
		Tokens:    []token{{Hash: enrolment.TokenHash}},
		principal: principal{Principal: lore.NewID(), OwnerKey: a.ownerKey(enrolment.Owner), Network: network, Since: now},
	}
	if err := a.join(ctx, enrolment, &mine); err != nil {
		return lore.Source{}, err
	}
	source := newSource(registration, mine)
	err = a.client.WriteDocument(ctx, a.client.AliasOf(lore.Sources), source.ID, source, nil)
	if err == nil {
		err = a.claim(ctx, mine)
	}
	if err == nil {
		err = a.checkOrigin(ctx, enrolment)
	}
	if err != nil {
		a.undo(ctx, mine, enrolment)
		return lore.Source{}, fmt.Errorf("register: %w", err)
	}
	return source, nil
}

// newSource returns the public entry of an account.
func newSource(registration lore.Registration, mine account) lore.Source {
	return lore.Source{
		ID: mine.SourceID, Name: registration.Name, Type: registration.Type, Ecosystem: registration.Ecosystem,
		Description: registration.Description, Reputation: lore.NeutralReputation, CreatedAt: mine.CreatedAt,
	}
}

// claim stores the account under its name. An account of our own registration is success: its first answer was lost on the way. Errors:
// name_taken, store_unavailable.
func (a *Accounts) claim(ctx context.Context, mine account) error {
	_, err := index.Edit(ctx, a.client, a.alias, lore.AccountKey(mine.Name), func(held *account, there bool) error {
		switch {
		case there && sameRegistration(*held, mine):
			return index.ErrUnchanged
		case there:
			return lore.NameTaken()
		}
		*held = mine
		return nil
	})
	return index.Wrapped("claim name", err)
}

// EnsureSource returns who has a name, and whether a token was ever issued to it, and registers it, without a token, if it is free. It
// is for imports: a name that looks like one that is held gets an account beside it, since the operator says what is imported. Errors:
// store_unavailable.
func (a *Accounts) EnsureSource(ctx context.Context, wanted scrubber.Scrubbed[lore.Registration], now time.Time) (lore.Identity, bool, error) {
	return a.Restore(ctx, newSource(wanted.Value(), account{SourceID: lore.NewID(), CreatedAt: now.UTC().Truncate(time.Millisecond)}))
}

// Restore is EnsureSource for a public entry. The entry comes before the account: an import that dies in between leaves an entry
// without reports, and no name taken for nothing. An imported source's owner is its name, since tokens and owners are in no export,
// and its principal is its own, which no registration joins.
func (a *Accounts) Restore(ctx context.Context, source lore.Source) (holder lore.Identity, live bool, err error) {
	mine := account{
		Kind: KindAccount, Name: source.Name, SourceID: source.ID, Owner: source.Name, Imported: true, CreatedAt: source.CreatedAt,
		principal: principal{Principal: lore.NewID(), OwnerKey: a.ownerKey(source.Name), Since: source.CreatedAt},
	}
	tried := false
	err = index.RetryConflict(ctx, func() error {
		known, err := a.readNames(ctx, source.Name)
		if err != nil {
			return fmt.Errorf("look up name: %w", err)
		}
		held, key := holderOf(known, source.Name)
		switch {
		case held.ID != "":
			if tried && held.Source.SourceID != source.ID { // another import was quicker
				err = a.client.DeleteDocument(ctx, a.client.AliasOf(lore.Sources), source.ID, nil)
			}
			holder, live = identityOf(held), !held.Source.Imported
			return err
		case key == "":
			return lore.NameTaken()
		}
		tried = true
		if err = a.client.WriteDocument(ctx, a.client.AliasOf(lore.Sources), source.ID, source, nil); err == nil {
			err = a.client.CreateDocument(ctx, a.alias, key, mine)
		}
		holder, live = identityOf(Stored{ID: key, Source: mine}), false
		return index.Wrapped("register", err)
	})
	return holder, live, err
}

// sameRegistration reports whether two accounts are of one registration: each has a token of its own.
func sameRegistration(one, other account) bool {
	return len(one.Tokens) > 0 && len(other.Tokens) > 0 && one.Tokens[0].Hash == other.Tokens[0].Hash
}

const (
	// undoFor is how long a process tries to take a failed registration back. It matters only where the store carried out the last
	// write and its answer was lost.
	undoFor = 10 * time.Minute
	// undoPause is how long it waits between two tries.
	undoPause = time.Second
	// undosAtOnce bounds what an outage makes a process try again.
	undosAtOnce = 256
)

// undo takes back a registration that failed, so that its agent can try again at once. Where the store can't do it now, it is tried
// again in the background.
func (a *Accounts) undo(ctx context.Context, mine account, enrolment lore.Enrolment) {
	ctx = context.WithoutCancel(ctx)
	err := a.undoOnce(ctx, mine)
	if err == nil && enrolment.Invite != "" { // where the store can't do it, the operator makes another invite
		_, _ = a.change(ctx, inviteDocument(enrolment.Invite), func(invite *account) error { giveBack(invite, mine); return nil })
	}
	if err == nil || a.undos.Load() >= undosAtOnce {
		return
	}
	a.undos.Add(1)
	go func() {
		defer a.undos.Add(-1)
		if _, err := lore.Retry(ctx, undoFor, undoPause, func() (none struct{}, err error) { return none, a.undoOnce(ctx, mine) }); err != nil {
			a.client.Log.Warn("a failed registration could not be taken back", "source", mine.SourceID)
		}
	}()
}

// undoOnce removes the account if it is ours, and our source.
func (a *Accounts) undoOnce(ctx context.Context, mine account) error {
	key := lore.AccountKey(mine.Name)
	held, err := a.get(ctx, key)
	if err == nil && sameRegistration(held.Source, mine) {
		err = a.client.DeleteDocument(ctx, a.alias, key, &held.Revision)
	}
	if err != nil && !errors.Is(err, index.ErrNotFound) {
		return err
	}
	return a.client.DeleteDocument(ctx, a.client.AliasOf(lore.Sources), mine.SourceID, nil)
}
