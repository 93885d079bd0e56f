package index

import (
	"context"
	"errors"
	"fmt"
	"time"

	"agentlore/lore"
	"agentlore/scrubber"
)

// EnsureSources tells who holds each of the names, and registers, without a token, those that nobody holds. It is for
// imports: one look-up and two writes serve all names, where Register takes as many for each. The names must differ.
// A name that looks like one that is held gets an account beside it: the operator says what is imported. The answers are in the
// names' order. Errors: store_unavailable.
func (a *Accounts) EnsureSources(ctx context.Context, wanted []scrubber.Scrubbed[lore.Registration], now time.Time) []lore.NameHolder {
	holders := make([]lore.NameHolder, len(wanted))
	fail := func(err error) []lore.NameHolder {
		for i := range holders {
			if holders[i].Identity.SourceID == "" && holders[i].Err == nil {
				holders[i].Err = err
			}
		}
		return holders
	}
	keys := make([]string, 0, 2*len(wanted))
	for _, registration := range wanted {
		name := registration.Value().Name
		keys = append(keys, lore.AccountKey(name), lore.OlderAccountKey(name))
	}
	known, err := getAccounts(ctx, a.client, keys)
	if err != nil {
		return fail(fmt.Errorf("look up names: %w", err))
	}
	var free []int
	var made []account
	var sources []Operation
	for i := range wanted {
		registration := wanted[i].Value()
		held, taken := holderOf(known, registration.Name)
		switch {
		case taken && held.Err != nil:
			holders[i] = a.beside(ctx, registration, now)
		case taken:
			holders[i] = held
		case known[keys[2*i]].Source.Pending:
			holders[i] = a.takeOver(ctx, registration, known[keys[2*i]], now)
		default:
			mine := a.imported(registration, now)
			free, made = append(free, i), append(made, mine)
			sources = append(sources, Operation{Action: "create", Index: a.client.aliasOf(lore.Sources), ID: mine.SourceID, Document: newSource(registration, mine)})
		}
	}
	if len(free) == 0 {
		return holders
	}
	// The source before the account: an import that dies in between leaves an entry without reports, and no name taken for nothing.
	if err := a.client.BulkAll(ctx, sources); err != nil && !errors.Is(err, ErrConflict) {
		return fail(fmt.Errorf("store sources: %w", err))
	}
	operations := make([]Operation, len(free))
	for n, i := range free {
		operations[n] = Operation{Action: "create", Index: a.client.alias(accounts), ID: keys[2*i], Document: made[n]}
	}
	results, err := a.client.Bulk(ctx, operations)
	if err != nil {
		return fail(fmt.Errorf("store accounts: %w", err))
	}
	for n, i := range free {
		holders[i] = lore.NameHolder{Identity: storedAccount{ID: keys[2*i], Source: made[n]}.identity(), Err: results[n].Err}
		if errors.Is(results[n].Err, ErrConflict) { // another import was quicker, or our own first answer was lost
			holders[i] = a.quicker(ctx, wanted[i].Value(), made[n], now)
		}
	}
	return holders
}

// imported returns the account of an imported source, complete and without a token. Its principal is its own, and no registration
// joins it.
func (a *Accounts) imported(registration lore.Registration, now time.Time) account {
	now = now.UTC().Truncate(time.Millisecond)
	return account{
		Kind: kindAccount, Name: registration.Name, SourceID: lore.NewID(), Owner: registration.Owner, Imported: true, CreatedAt: now,
		principal: principal{Principal: lore.NewID(), OwnerKey: a.ownerKey(registration.Owner), Since: now},
	}
}

// holderOf returns who holds a name, of the accounts that were read by its keys. A look-alike's name is taken, and isn't this one.
func holderOf(known map[string]storedAccount, name string) (holder lore.NameHolder, taken bool) {
	for _, key := range []string{lore.AccountKey(name), lore.OlderAccountKey(name)} {
		held, there := known[key]
		switch {
		case !there || held.Source.Pending:
		case lore.LegacyNameKey(held.Source.Name) == lore.LegacyNameKey(name):
			return lore.NameHolder{Identity: held.identity(), Live: !held.Source.Imported}, true
		default:
			holder, taken = lore.NameHolder{Err: nameTaken()}, true
		}
	}
	return holder, taken
}

// takeOver takes a name whose registration isn't complete, as claim does.
func (a *Accounts) takeOver(ctx context.Context, registration lore.Registration, pending storedAccount, now time.Time) lore.NameHolder {
	mine := a.imported(registration, now)
	mine.SourceID = pending.Source.SourceID
	err := a.writeSource(ctx, newSource(registration, mine))
	if err == nil {
		_, err = a.client.writeOver(ctx, a.client.alias(accounts), pending.ID, mine, pending.Revision)
	}
	if errors.Is(err, ErrConflict) {
		err = lore.StoreUnavailable(errors.New("a registration of this name is under way"))
	}
	return lore.NameHolder{Identity: storedAccount{ID: pending.ID, Source: mine}.identity(), Err: err}
}

// quicker returns who got a name before us, and removes the source that we made for it.
func (a *Accounts) quicker(ctx context.Context, registration lore.Registration, mine account, now time.Time) lore.NameHolder {
	known, err := getAccounts(ctx, a.client, []string{lore.AccountKey(registration.Name)})
	if err != nil {
		return lore.NameHolder{Err: err}
	}
	holder, taken := holderOf(known, registration.Name)
	switch {
	case !taken:
		return lore.NameHolder{Err: lore.StoreUnavailable(ErrConflict)}
	case holder.Err != nil:
		holder = a.beside(ctx, registration, now)
	}
	if holder.Identity.SourceID != mine.SourceID {
		if err := a.client.deleteDocument(ctx, a.client.aliasOf(lore.Sources), mine.SourceID); err != nil {
			return lore.NameHolder{Err: err}
		}
	}
	return holder
}

// beside returns who holds a name that looks like another one's, registering an import's source where nobody does.
func (a *Accounts) beside(ctx context.Context, registration lore.Registration, now time.Time) lore.NameHolder {
	key, mine := lore.OlderAccountKey(registration.Name), a.imported(registration, now)
	err := a.writeSource(ctx, newSource(registration, mine))
	if err == nil {
		_, err = a.create(ctx, key, mine)
	}
	held := storedAccount{ID: key, Source: mine}
	if errors.Is(err, ErrConflict) {
		if held, err = a.get(ctx, key); err == nil && held.Source.SourceID != mine.SourceID {
			err = a.client.deleteDocument(ctx, a.client.aliasOf(lore.Sources), mine.SourceID)
		}
	}
	return lore.NameHolder{Identity: held.identity(), Live: !held.Source.Imported, Err: err}
}

// restoreSource claims the name of an exported source, with its id, as that of a source without a token: tokens and owners are in no
// export. Until its operator says otherwise, it is its own owner. Errors: name_taken, store_unavailable.
func (a *Accounts) restoreSource(ctx context.Context, source lore.Source) error {
	mine := a.imported(lore.Registration{Name: source.Name, Owner: source.Name}, source.CreatedAt)
	mine.SourceID = source.ID
	key := lore.AccountKey(source.Name)
	for range claimTries {
		_, err := a.create(ctx, key, mine)
		if !errors.Is(err, ErrConflict) {
			return wrapped("claim name", err)
		}
		held, err := a.get(ctx, key)
		switch {
		case errors.Is(err, ErrNotFound):
		case err != nil:
			return err
		case held.Source.Pending:
			if _, err = a.client.writeOver(ctx, a.client.alias(accounts), key, mine, held.Revision); !errors.Is(err, ErrConflict) {
				return wrapped("claim name", err)
			}
		case held.Source.SourceID == source.ID:
			return nil
		default:
			return nameTaken()
		}
	}
	return lore.StoreUnavailable(ErrConflict)
}
