package index

import (
	"context"
	"errors"
	"fmt"
	"time"

	"agentlore/lore"
	"agentlore/scrubber"
)

// EnsureSources tells who holds each of the names, and registers, without a token, those that are free. It is for imports: a look-up
// and two writes serve all names, where Register takes as many for each. The names must differ. A name that looks like one that
// is held gets an account beside it: the operator says what is imported. The answers are in the names' order. Errors:
// store_unavailable.
func (a *Accounts) EnsureSources(ctx context.Context, wanted []scrubber.Scrubbed[lore.Registration], now time.Time) []lore.NameHolder {
	sources := make([]lore.Source, len(wanted))
	for i, scrubbed := range wanted {
		registration := scrubbed.Value()
		mine := account{SourceID: lore.NewID(), CreatedAt: now.UTC().Truncate(time.Millisecond)}
		sources[i] = newSource(registration, mine)
	}
	return a.ensure(ctx, sources)
}

// ensure is EnsureSources for public entries: one is stored where its name is free.
func (a *Accounts) ensure(ctx context.Context, sources []lore.Source) []lore.NameHolder {
	holders := make([]lore.NameHolder, len(sources))
	waiting := make([]int, len(sources))
	for i := range waiting {
		waiting[i] = i
	}
	var err error
	for try := 0; try < claimTries && err == nil && len(waiting) > 0; try++ {
		waiting, err = a.ensureOnce(ctx, sources, waiting, holders, try == 0)
	}
	if err == nil {
		err = lore.StoreUnavailable(ErrConflict) // other registrations of these names come and go all the time
	}
	for _, i := range waiting {
		holders[i] = lore.NameHolder{Err: err}
	}
	return holders
}

// ensureOnce fills in the holders of those that wait, and returns those for which others were quicker, or with an error all that
// aren't done. The source comes before the account: an import that dies in between leaves an entry without reports, and no name
// taken for nothing.
func (a *Accounts) ensureOnce(ctx context.Context, sources []lore.Source, waiting []int, holders []lore.NameHolder, first bool) (again []int, err error) {
	var keys []string
	for _, i := range waiting {
		keys = append(keys, accountKeys(sources[i].Name)...)
	}
	known, err := getAccounts(ctx, a.client, keys)
	if err != nil {
		return waiting, fmt.Errorf("look up names: %w", err)
	}
	var free []int
	var orphans []string
	var entries, claims []Operation
	for _, i := range waiting {
		held, key, _ := holderOf(known, sources[i].Name)
		if key == "" {
			holders[i] = lore.NameHolder{Identity: held.identity(), Live: !held.Source.Imported}
			if !first && held.Source.SourceID != sources[i].ID {
				orphans = append(orphans, sources[i].ID)
			}
			continue
		}
		mine := a.imported(sources[i])
		claim := Operation{Action: "create", Index: a.client.Alias(AccountsIndex), ID: key, Document: mine}
		if held.ID != "" { // an earlier version's registration that isn't complete
			claim.Action, claim.Over = "index", &held.Revision
		}
		free, claims = append(free, i), append(claims, claim)
		entries = append(entries, Operation{Action: "index", Index: a.client.AliasOf(lore.Sources), ID: mine.SourceID, Document: sources[i]})
		holders[i] = lore.NameHolder{Identity: StoredAccount{ID: key, Source: mine}.identity()}
	}
	if err := a.client.DeleteDocuments(ctx, a.client.AliasOf(lore.Sources), orphans); err != nil {
		return waiting, err
	}
	if err := a.client.BulkAll(ctx, entries); err != nil {
		return free, fmt.Errorf("store sources: %w", err)
	}
	results, err := a.client.Bulk(ctx, claims)
	if err != nil {
		return free, fmt.Errorf("store accounts: %w", err)
	}
	for n, i := range free {
		if errors.Is(results[n].Err, ErrConflict) { // another import was quicker, or our own first answer was lost
			again = append(again, i)
		} else {
			holders[i].Err = results[n].Err
		}
	}
	return again, nil
}

// imported returns the account of an imported source, complete and without a token. Its owner is its name: tokens and owners are in
// no export. Its principal is its own, and no registration joins it.
func (a *Accounts) imported(source lore.Source) account {
	return account{
		Kind: KindAccount, Name: source.Name, SourceID: source.ID, Owner: source.Name, Imported: true, CreatedAt: source.CreatedAt,
		principal: principal{Principal: lore.NewID(), OwnerKey: a.ownerKey(source.Name), Since: source.CreatedAt},
	}
}
