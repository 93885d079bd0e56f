package accounts

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/index"
	"agentlore/lore"
)

// Identify returns who bears the token with this SHA-256 (hex), also of one whose time is over: the caller looks at ExpiresAt. Key is
// the account's, which the token carries; empty for a token of before they did. The first use of a token that replaces another
// ends that one: it must succeed, else the bearer would take the old one for dead. Errors: invalid_token, banned, store_unavailable.
func (a *Accounts) Identify(ctx context.Context, key, tokenHash string) (lore.Identity, error) {
	tokenHash = strings.ToLower(tokenHash)
	key, err := a.keyOf(ctx, key, tokenHash)
	if err != nil {
		return lore.Identity{}, err
	}
	var identity lore.Identity
	_, err = a.change(ctx, key, func(held *account) error {
		borne := held.token(tokenHash)
		switch {
		case held.Kind != KindAccount || borne == nil:
			return lore.InvalidToken()
		case !held.BannedAt.IsZero():
			return banned()
		}
		identity = identityOf(Stored{ID: key, Source: *held})
		identity.ExpiresAt, identity.TokenHash = borne.ExpiresAt, tokenHash
		if !borne.Unused {
			return index.ErrUnchanged
		}
		held.Tokens = []token{{Hash: tokenHash}}
		return nil
	})
	if errors.Is(err, index.ErrNotFound) {
		err = lore.InvalidToken()
	}
	if err != nil {
		return lore.Identity{}, index.Wrapped("look up token", err)
	}
	return identity, nil
}

// keyOf returns the key of the account that a token belongs to. One that carries none is of before, so searches see it.
func (a *Accounts) keyOf(ctx context.Context, key, tokenHash string) (string, error) {
	if key != "" {
		return key, nil
	}
	found, err := a.find(ctx, index.Term("tokens.hash", tokenHash))
	if err != nil {
		return "", index.Wrapped("look up token", err)
	}
	if len(found) == 0 {
		return "", lore.InvalidToken()
	}
	return found[0].ID, nil
}

// Rotate stores a token with the hash freshHash for the bearer of the one with tokenHash, which stops at until or at the
// first use of the new one. Another rotation by the same old token takes the place of the first: what that one gave out
// and nobody used is refused. Errors: invalid_token, store_unavailable.
func (a *Accounts) Rotate(ctx context.Context, key, tokenHash, freshHash string, until time.Time) error {
	key, err := a.keyOf(ctx, key, tokenHash)
	if err != nil {
		return err
	}
	_, err = a.change(ctx, key, func(held *account) error {
		if held.token(tokenHash) == nil || !held.BannedAt.IsZero() {
			return lore.InvalidToken()
		}
		held.Tokens = []token{{Hash: tokenHash, ExpiresAt: until.UTC()}, {Hash: freshHash, Unused: true}}
		return nil
	})
	if errors.Is(err, index.ErrNotFound) {
		return lore.InvalidToken()
	}
	return index.Wrapped("rotate token", err)
}

// IssueToken gives the source of a name a new token in place of those it had, if any: mint is given the key that the token must
// carry, and returns the new one's hash. Errors: not_found, store_unavailable, mint's.
func (a *Accounts) IssueToken(ctx context.Context, name string, mint func(key string) (tokenHash string, err error)) (sourceID string, err error) {
	held, err := a.byName(ctx, name)
	if err != nil {
		return "", err
	}
	hash, err := mint(held.ID)
	if err != nil {
		return "", err
	}
	held, err = a.change(ctx, held.ID, func(held *account) error {
		held.Tokens, held.Imported = []token{{Hash: hash}}, false
		if !held.EndedAt.IsZero() { // from now on it is there by the operator alone
			held.EndedAt, held.EndedBy, held.RegisteredBy, held.Ancestors = time.Time{}, "", "", nil
		}
		return nil
	})
	if err != nil {
		return "", index.Wrapped("change account", err)
	}
	return held.Source.SourceID, a.markRevoked(ctx, held.Source.SourceID, nil)
}

// RevokeToken refuses a source's tokens from now on. There are two while one replaces the other. The name stays taken. Errors:
// not_found, store_unavailable.
func (a *Accounts) RevokeToken(ctx context.Context, name string, now time.Time) (sourceID string, err error) {
	held, err := a.byName(ctx, name)
	if err != nil {
		return "", err
	}
	held, err = a.change(ctx, held.ID, func(held *account) error { held.Tokens = nil; return nil })
	if err != nil {
		return "", index.Wrapped("change account", err)
	}
	return held.Source.SourceID, a.markRevoked(ctx, held.Source.SourceID, &now)
}

// markRevoked shows on the public source since when its token is refused, or that it has one again.
func (a *Accounts) markRevoked(ctx context.Context, sourceID string, at *time.Time) error {
	var since any
	if at != nil {
		since = at.UTC().Truncate(time.Millisecond)
	}
	err := a.client.Do(ctx, esapi.UpdateRequest{
		Index: a.client.AliasOf(lore.Sources), DocumentID: sourceID, RetryOnConflict: new(3), // against another change of it
		Body: index.JSONBody(map[string]any{"doc": map[string]any{"revoked_at": since}}),
	}, nil)
	if errors.Is(err, index.ErrNotFound) {
		return nil // it was erased
	}
	return index.Wrapped("mark source", err)
}

// SourceByName returns the source that has a name, and whether a token was ever issued to it. Errors: not_found, store_unavailable.
func (a *Accounts) SourceByName(ctx context.Context, name string) (identity lore.Identity, live bool, err error) {
	held, err := a.byName(ctx, name)
	if err != nil {
		return lore.Identity{}, false, err
	}
	return identityOf(held), !held.Source.Imported, nil
}

// Erase removes what an account says of who is behind it: its tokens, its name and its owner. The name stays taken, and its source and
// principal stay known by their ids. Errors: store_unavailable.
func (a *Accounts) Erase(ctx context.Context, sourceID string) error {
	found, err := a.find(ctx, index.Term("source_id", sourceID))
	if err != nil {
		return err
	}
	for _, one := range found {
		if _, err := a.change(ctx, one.ID, func(held *account) error {
			held.Tokens, held.Owner, held.Name, held.Webhook = nil, "", "", nil
			return nil
		}); err != nil {
			return fmt.Errorf("erase account: %w", err)
		}
	}
	return nil
}
