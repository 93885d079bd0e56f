package index

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
)

// IssueToken gives the source of a name a new token in place of the one it had, if any. It returns the hash of that old
// one, which is refused from now on, for the caches to hear of. Errors: not_found, store_unavailable.
func (a *Accounts) IssueToken(ctx context.Context, name, tokenHash string, now time.Time) (oldHash string, err error) {
	held, err := a.byName(ctx, name)
	if err != nil {
		return "", err
	}
	oldHash, claim := held.Source.TokenHash, held.Source
	claim.TokenHash = tokenHash
	token := account{Kind: kindToken, SourceID: claim.SourceID, OwnerKey: claim.OwnerKey, CreatedAt: now.UTC()}
	if err := a.client.writeDocument(ctx, a.client.alias(accounts), tokenDocument(tokenHash), token, nil); err != nil {
		return "", fmt.Errorf("store token: %w", err)
	}
	if err := a.client.writeDocument(ctx, a.client.alias(accounts), held.ID, claim, &held.revision); err != nil {
		// Somebody else changed the account meanwhile: the token that nobody has seen yet goes away again.
		return "", errors.Join(fmt.Errorf("change account: %w", err), a.dropToken(ctx, tokenHash))
	}
	if err := a.dropToken(ctx, oldHash); err != nil {
		return oldHash, err
	}
	return oldHash, a.markRevoked(ctx, claim.SourceID, nil)
}

// RevokeToken refuses a source's token from now on and returns its hash, for the caches to hear of. The name stays taken.
// Errors: not_found, store_unavailable.
func (a *Accounts) RevokeToken(ctx context.Context, name string, now time.Time) (oldHash string, err error) {
	held, err := a.byName(ctx, name)
	if err != nil {
		return "", err
	}
	if err := a.dropToken(ctx, held.Source.TokenHash); err != nil {
		return held.Source.TokenHash, err
	}
	return held.Source.TokenHash, a.markRevoked(ctx, held.Source.SourceID, &now)
}

// byName returns the account of a name.
func (a *Accounts) byName(ctx context.Context, name string) (storedAccount, error) {
	held, err := a.get(ctx, nameDocument(name))
	if errors.Is(err, errNotFound) {
		return held, &lore.Problem{Code: lore.CodeNotFound, Detail: "there is no source of this name"}
	}
	if err != nil {
		return held, fmt.Errorf("look up name: %w", err)
	}
	return held, nil
}

// dropToken removes a token's document; without it the token is refused.
func (a *Accounts) dropToken(ctx context.Context, tokenHash string) error {
	if tokenHash == "" {
		return nil
	}
	err := a.client.do(ctx, esapi.DeleteRequest{Index: a.client.alias(accounts), DocumentID: tokenDocument(tokenHash)}, nil)
	if err != nil && !errors.Is(err, errNotFound) {
		return fmt.Errorf("remove token: %w", err)
	}
	return nil
}

// markRevoked shows on the public source since when its token is refused, or that it has one again.
func (a *Accounts) markRevoked(ctx context.Context, sourceID string, at *time.Time) error {
	var since any
	if at != nil {
		since = at.UTC().Truncate(time.Millisecond)
	}
	body, err := json.Marshal(map[string]any{"doc": map[string]any{"revoked_at": since}})
	if err != nil {
		return err
	}
	tries := 3 // against a change of the source by somebody else at the same moment
	err = a.client.do(ctx, esapi.UpdateRequest{
		Index: a.client.aliasOf(lore.Sources), DocumentID: sourceID, Body: bytes.NewReader(body), RetryOnConflict: &tries,
	}, nil)
	if err != nil {
		return fmt.Errorf("mark source: %w", err)
	}
	return nil
}
