package accounts

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"agentlore/index"
	"agentlore/lore"
)

// A source descends from the sources whose tokens it was registered by: from the one whose token it came with, from the one that had
// registered that, and so on. Its account names them all, so that one search finds what came of a token, and a registration sees by one
// read whether any of them was ended. Who ends some marks them first and then looks for what descends from them; a registration is stored
// first and then looks at the marks (checkOrigin): one of both sees the other, however fast a thief registers.

// checkDescent refuses a registration by the account that it came by, if its token is refused by now, or if one that it descends from was
// ended. It returns the account.
func (a *Accounts) checkDescent(ctx context.Context, bearer lore.Identity) (Stored, error) {
	held, err := a.get(ctx, bearer.Account)
	switch {
	case errors.Is(err, index.ErrNotFound) || err == nil && held.Source.token(bearer.TokenHash) == nil:
		return held, lore.InvalidToken()
	case err != nil:
		return held, err
	case !held.Source.BannedAt.IsZero():
		return held, banned()
	}
	ancestors, err := index.ReadByID[account](ctx, a.client, a.alias, held.Source.Ancestors)
	for _, one := range ancestors {
		if !one.EndedAt.IsZero() {
			return held, lore.InvalidToken()
		}
	}
	return held, err
}

// End refuses the tokens of a source that descends from the bearer's, with all that descends from it. It returns those that are refused by
// this; none: they were already. Errors: not_found, not_yours, store_unavailable.
func (a *Accounts) End(ctx context.Context, bearer lore.Identity, sourceID string, now time.Time) (ended []string, err error) {
	found, err := a.findNow(ctx, index.Term("kind", KindAccount), index.Term("source_id", sourceID))
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, lore.NotFound("source")
	case !slices.Contains(found[0].Source.Ancestors, bearer.Account):
		return nil, &lore.Problem{Code: lore.CodeNotYours, Detail: "your source did not register this one: the source that did can end it, or the operator"}
	}
	end := func(one Stored) error {
		news, err := a.end(ctx, one, bearer.SourceID, now)
		if news {
			ended = append(ended, one.Source.SourceID)
		}
		return err
	}
	return ended, a.eachDescendant(ctx, found[:1], end)
}

// EndRegistered refuses the tokens of the sources that a source's token registered since a time, with all that descends from them, by the
// operator. Each is handed to visit before; with dryRun that is all. Errors: visit's, store_unavailable.
func (a *Accounts) EndRegistered(
	ctx context.Context, source lore.Identity, since, now time.Time, dryRun bool, visit func(lore.OwnSource) error,
) error {
	registered := []any{index.Term("kind", KindAccount), index.Term("registered_by", source.SourceID)}
	found, err := a.findNow(ctx, append(registered, fromOn("created_at", since)...)...)
	if err != nil {
		return err
	}
	return a.eachDescendant(ctx, found, func(one Stored) error {
		err := visit(ownSource(one))
		if err == nil && !dryRun {
			_, err = a.end(ctx, one, "", now)
		}
		return err
	})
}

// eachDescendant hands accounts to visit, and then those that descend from them, each once.
func (a *Accounts) eachDescendant(ctx context.Context, first []Stored, visit func(Stored) error) error {
	seen := map[string]bool{}
	each := func(some []Stored) error {
		for _, one := range some {
			if !seen[one.ID] {
				seen[one.ID] = true
				if err := visit(one); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if err := each(first); err != nil {
		return err
	}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(seen)), index.ChangePage) {
		found, err := a.findNow(ctx, index.Term("kind", KindAccount), index.TermsQuery("ancestors", some))
		if err != nil {
			return err
		}
		if err := each(found); err != nil {
			return err
		}
	}
	return nil
}

// fromOn finds what has a time that is another one or later.
func fromOn(field string, at time.Time) []any {
	return []any{map[string]any{"range": map[string]any{field: map[string]any{"gte": at.UTC().Truncate(time.Millisecond).Format(time.RFC3339Nano)}}}}
}

// end refuses the tokens of one source, and reports whether they were accepted before.
func (a *Accounts) end(ctx context.Context, one Stored, by string, now time.Time) (news bool, err error) {
	held, err := a.change(ctx, one.ID, func(held *account) error {
		news = held.EndedAt.IsZero() && len(held.Tokens) > 0
		if !held.EndedAt.IsZero() {
			return index.ErrUnchanged
		}
		held.EndedAt, held.EndedBy = now.UTC().Truncate(time.Millisecond), by
		return nil
	})
	if errors.Is(err, index.ErrNotFound) { // its registration was refused meanwhile, and taken back
		return false, nil
	}
	if err != nil {
		return false, index.Wrapped("end source", err)
	}
	return news, a.markRevoked(ctx, held.Source.SourceID, &held.Source.EndedAt)
}

// UndoSince takes back what a source's token did to accounts since a time, beside those that it registered (EndRegistered): the sources
// that it ended are accepted again, but for some; a webhook that it set is dropped. It returns those sources; with dryRun it only looks.
// Errors: store_unavailable.
func (a *Accounts) UndoSince(ctx context.Context, source lore.Identity, since time.Time, but []string, dryRun bool) (back []lore.OwnSource, err error) {
	filter := append([]any{index.Term("kind", KindAccount), index.Term("ended_by", source.SourceID)}, fromOn("ended_at", since)...)
	found, err := a.findNow(ctx, filter...)
	if err != nil {
		return nil, err
	}
	for _, one := range found {
		if slices.Contains(but, one.Source.SourceID) {
			continue
		}
		if back = append(back, ownSource(one)); dryRun {
			continue
		}
		if _, err = a.change(ctx, one.ID, func(held *account) error {
			held.EndedAt, held.EndedBy = time.Time{}, ""
			return nil
		}); err == nil {
			err = a.markRevoked(ctx, one.Source.SourceID, nil)
		}
		if err != nil {
			return back, index.Wrapped("accept source", err)
		}
	}
	if dryRun {
		return back, nil
	}
	_, err = a.change(ctx, source.Account, func(held *account) error {
		if held.Webhook == nil || held.Webhook.CreatedAt.Before(since) {
			return index.ErrUnchanged
		}
		held.Webhook = nil
		return nil
	})
	return back, index.Wrapped("drop webhook", err)
}

// PrincipalSources returns the sources of a principal, the newest first. What was written within the last second may be missing. Errors:
// store_unavailable.
func (a *Accounts) PrincipalSources(ctx context.Context, principal string) ([]lore.OwnSource, error) {
	found, err := a.find(ctx, index.Term("principal", principal))
	if err != nil {
		return nil, err
	}
	shown, err := index.ReadByID[lore.Source](ctx, a.client, a.client.AliasOf(lore.Sources), sourcesOf(found))
	own := make([]lore.OwnSource, len(found))
	for i, one := range found {
		own[i] = ownSource(one)
		if source, there := shown[own[i].ID]; there {
			own[i].Type, own[i].RevokedAt = source.Type, source.RevokedAt
		}
	}
	slices.SortFunc(own, func(a, b lore.OwnSource) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
	return slices.CompactFunc(own, func(a, b lore.OwnSource) bool { return a.ID == b.ID }), err // one that changed meanwhile is found twice
}

// ownSource returns what an account says of its source.
func ownSource(s Stored) lore.OwnSource {
	held := s.Source
	own := lore.OwnSource{ID: held.SourceID, Name: held.Name, CreatedAt: held.CreatedAt, RegisteredBy: held.RegisteredBy, EndedBy: held.EndedBy}
	if !held.EndedAt.IsZero() {
		own.RevokedAt = &held.EndedAt
	}
	if !held.BannedAt.IsZero() {
		own.BannedAt = &held.BannedAt
	}
	return own
}
