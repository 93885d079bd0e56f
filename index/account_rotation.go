package index

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"agentlore/lore"
)

// A rotation gives a source a new token beside the one it has, since the answer that holds the new one may be lost. The old
// token stops at the new one's first use, or when its time is over. Until then the account's name knows both, so that a
// revocation ends both.
//
// Every step is bound to the account that was read, and a revocation changes it last. So a rotation that races with one
// either comes before it, and its token is revoked too, or fails.

// rotationTries is how often a change of an account is tried against others at the same moment.
const rotationTries = 5

// Rotate stores a token with the hash freshHash for the bearer of the one with tokenHash, which stops at until or at the
// first use of the new one. Another rotation by the same old token takes the place of the first: what that one gave out
// and nobody used is refused. Errors: invalid_token, store_unavailable.
func (a *Accounts) Rotate(ctx context.Context, tokenHash, freshHash string, now, until time.Time) error {
	return a.untilSettled(func() error { return a.rotate(ctx, tokenHash, freshHash, now, until) })
}

// rotate is one try of Rotate. Errors: errConflict, where the account changed meanwhile.
func (a *Accounts) rotate(ctx context.Context, tokenHash, freshHash string, now, until time.Time) error {
	old, err := a.byToken(ctx, tokenHash)
	if err != nil {
		return err
	}
	held, err := a.bySource(ctx, old.Source.SourceID)
	if err != nil {
		return err
	}
	// Once more, after the account: a revocation removes the tokens and then changes the account.
	if old, err = a.byToken(ctx, tokenHash); err != nil {
		return err
	}
	claim := held.Source
	unused := ""
	switch tokenHash {
	case claim.TokenHash:
	case claim.PreviousTokenHash: // the answer to an earlier rotation was lost, or is thrown away
		if claim.TokenHash != freshHash { // else it is our own, whose answer was lost
			unused = claim.TokenHash
		}
	default:
		return errTokenGone
	}
	fresh := account{Kind: kindToken, SourceID: claim.SourceID, OwnerKey: claim.OwnerKey, Replaces: tokenHash, CreatedAt: now.UTC()}
	if err := a.client.writeDocument(ctx, a.client.alias(accounts), tokenDocument(freshHash), fresh, nil); err != nil {
		return fmt.Errorf("store token: %w", err)
	}
	claim.TokenHash, claim.PreviousTokenHash = freshHash, tokenHash
	if err := a.client.writeDocument(ctx, a.client.alias(accounts), held.ID, claim, &held.revision); err != nil {
		return errors.Join(fmt.Errorf("change account: %w", err), a.dropToken(ctx, freshHash))
	}
	if err := a.dropToken(ctx, unused); err != nil {
		return err
	}
	ending := old.Source
	ending.ExpiresAt, ending.Replaces = until.UTC(), ""
	err = a.client.writeDocument(ctx, a.client.alias(accounts), old.ID, ending, &old.revision)
	if err != nil && !errors.Is(err, errConflict) { // a conflict: another rotation or a revocation has ended it
		return fmt.Errorf("end token: %w", err)
	}
	return nil
}

// EndRotation ends the token that the one with this hash replaces, and returns that one's hash, for the caches to hear of.
// It is for the new token's first use; calling it again does no harm. Errors: invalid_token where another rotation or a
// revocation has ended the new token meanwhile, store_unavailable.
func (a *Accounts) EndRotation(ctx context.Context, freshHash string) (oldHash string, err error) {
	err = a.untilSettled(func() error {
		ended, err := a.endRotation(ctx, freshHash)
		if ended != "" {
			oldHash = ended
		}
		return err
	})
	return oldHash, err
}

// endRotation is one try of EndRotation. Errors: errConflict.
func (a *Accounts) endRotation(ctx context.Context, freshHash string) (oldHash string, err error) {
	fresh, err := a.byToken(ctx, freshHash)
	if err != nil {
		return "", err
	}
	held, err := a.bySource(ctx, fresh.Source.SourceID)
	if err != nil {
		return "", err
	}
	claim := held.Source
	if claim.TokenHash != freshHash {
		return "", errors.Join(errTokenGone, a.dropToken(ctx, freshHash))
	}
	if claim.PreviousTokenHash != "" {
		claim.PreviousTokenHash = ""
		if err := a.client.writeDocument(ctx, a.client.alias(accounts), held.ID, claim, &held.revision); err != nil {
			return "", fmt.Errorf("change account: %w", err)
		}
	}
	oldHash = fresh.Source.Replaces
	if err := a.dropToken(ctx, oldHash); err != nil {
		return "", err
	}
	settled := fresh.Source
	settled.Replaces = ""
	err = a.client.writeDocument(ctx, a.client.alias(accounts), fresh.ID, settled, &fresh.revision)
	if err != nil && !errors.Is(err, errConflict) { // a conflict: another first use has done it
		return oldHash, fmt.Errorf("settle token: %w", err)
	}
	return oldHash, nil
}

// untilSettled tries again what met another change of the same account.
func (a *Accounts) untilSettled(try func() error) error {
	var err error
	for range rotationTries {
		if err = try(); !errors.Is(err, errConflict) {
			return err
		}
	}
	return lore.StoreUnavailable(err)
}

// bySource returns the account of a source.
func (a *Accounts) bySource(ctx context.Context, sourceID string) (storedAccount, error) {
	source, err := a.sources.Get(ctx, sourceID)
	if err != nil {
		return storedAccount{}, fmt.Errorf("look up source: %w", err)
	}
	return a.byName(ctx, source.Name)
}

// sweepRotations ends the rotations whose old token's time is over, and returns how many. They wait for longer than a
// token is given, so that no token ends early here.
func (a *Accounts) sweepRotations(ctx context.Context, now time.Time) (int, error) {
	body := map[string]any{
		"size": 100,
		"query": map[string]any{"bool": map[string]any{"filter": []any{
			map[string]any{"exists": map[string]any{"field": "replaces"}},
			map[string]any{"range": map[string]any{"created_at": map[string]any{"lt": now.Add(-2 * sweepAge).UTC().Format(time.RFC3339)}}},
		}}},
	}
	var answer struct {
		Hits struct {
			Hits []storedAccount `json:"hits"`
		} `json:"hits"`
	}
	if err := a.client.search(ctx, []string{a.client.alias(accounts)}, body, &answer); err != nil {
		return 0, fmt.Errorf("find rotations: %w", err)
	}
	done := 0
	for _, fresh := range answer.Hits.Hits {
		_, err := a.EndRotation(ctx, strings.TrimPrefix(fresh.ID, kindToken+":"))
		if problem := (*lore.Problem)(nil); err != nil && (!errors.As(err, &problem) || problem.Code == lore.CodeStoreUnavailable) {
			return done, err
		}
		done++
	}
	return done, nil
}
