package index

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
)

// IssueToken gives the source of a name a new token in place of those it had, if any. It returns the hashes of these, which
// are refused from now on, for the caches to hear of. Errors: not_found, store_unavailable.
func (a *Accounts) IssueToken(ctx context.Context, name, tokenHash string, now time.Time) (oldHashes []string, err error) {
	var sourceID string
	err = a.untilSettled(func() error {
		held, err := a.byName(ctx, name)
		if err != nil {
			return err
		}
		claim := held.Source
		sourceID, oldHashes = claim.SourceID, append(oldHashes, claim.tokens()...)
		claim.TokenHash, claim.PreviousTokenHash = tokenHash, ""
		token := account{Kind: kindToken, SourceID: claim.SourceID, OwnerKey: claim.OwnerKey, CreatedAt: now.UTC()}
		if err := a.client.writeDocument(ctx, a.client.alias(accounts), tokenDocument(tokenHash), token, nil); err != nil {
			return fmt.Errorf("store token: %w", err)
		}
		if err := a.client.writeDocument(ctx, a.client.alias(accounts), held.ID, claim, &held.revision); err != nil {
			// The token that nobody has seen yet goes away again.
			return errors.Join(fmt.Errorf("change account: %w", err), a.dropToken(ctx, tokenHash))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	// Without our own: where the answer to a change was lost, the account was found changed.
	oldHashes = slices.DeleteFunc(oldHashes, func(hash string) bool { return hash == tokenHash })
	if err := a.dropTokens(ctx, oldHashes); err != nil {
		return oldHashes, err
	}
	return oldHashes, a.markRevoked(ctx, sourceID, nil)
}

// RevokeToken refuses a source's tokens from now on and returns their hashes, for the caches to hear of. There are two while
// one replaces the other. The name stays taken. Errors: not_found, store_unavailable.
func (a *Accounts) RevokeToken(ctx context.Context, name string, now time.Time) (oldHashes []string, err error) {
	var sourceID string
	err = a.untilSettled(func() error {
		held, err := a.byName(ctx, name)
		if err != nil {
			return err
		}
		claim := held.Source
		sourceID, oldHashes = claim.SourceID, append(oldHashes, claim.tokens()...)
		if err := a.dropTokens(ctx, oldHashes); err != nil {
			return err
		}
		// Written last, over what was read: a rotation at the same moment meets this change, or is seen here.
		claim.PreviousTokenHash = ""
		if err := a.client.writeDocument(ctx, a.client.alias(accounts), held.ID, claim, &held.revision); err != nil {
			return fmt.Errorf("change account: %w", err)
		}
		return nil
	})
	if err != nil {
		return oldHashes, err
	}
	return oldHashes, a.markRevoked(ctx, sourceID, &now)
}

// tokens returns the hashes of a name's tokens: none, one, or two while one replaces the other.
func (a account) tokens() []string {
	return slices.DeleteFunc([]string{a.TokenHash, a.PreviousTokenHash}, func(hash string) bool { return hash == "" })
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

// dropTokens removes several tokens' documents.
func (a *Accounts) dropTokens(ctx context.Context, tokenHashes []string) error {
	for _, hash := range tokenHashes {
		if err := a.dropToken(ctx, hash); err != nil {
			return err
		}
	}
	return nil
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
