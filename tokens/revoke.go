package tokens

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
)

// RevocationError says that a token is revoked, but that the other processes could not be told: the accounts index refuses
// it, this process too, and the others may honour it for at most Window. It is less when this process reaches Redis
// again, or when all of them lost it: then nobody trusts an entry from before (see package cache).
type RevocationError struct {
	Window time.Duration
	Cause  error
}

// Error is for logs and operators; it names neither token nor hash.
func (e *RevocationError) Error() string {
	return fmt.Sprintf("the token is revoked, but redis could not be told: other replicas may honour it for at most %s: %v", e.Window, e.Cause)
}

// Unwrap returns what Redis said.
func (e *RevocationError) Unwrap() error { return e.Cause }

// Revoke spreads the news that the token with this hash is not valid any more. Call it after the accounts index says so, not
// before, else a look-up in between would bring the token back. It returns a *RevocationError when Redis can't be reached,
// after half a second at most, and another error for what is no hash. Calling it again does no harm, and is the way to
// try again. Without a Redis (see cache.Open) nobody has copies that are older than a second, and there is nobody to tell.
func (v *Verifier) Revoke(ctx context.Context, tokenHash string) error {
	raw, err := hex.DecodeString(tokenHash)
	if err != nil || len(raw) != len(sum{}) || hex.EncodeToString(raw) != tokenHash {
		// The text isn't repeated: it may be a token that was passed by mistake.
		return errors.New("tokens: Revoke wants the lowercase hex SHA-256 of a token")
	}
	key := sum(raw)
	v.counts.revoked.Add(1)

	// A look-up from before may still be under way. Its answer counts as old as its beginning, so it is gone when this is.
	v.unknown.put(key, struct{}{}, v.now())
	v.known.drop(key)
	v.flights.forget(key)

	if err := v.redis.Bury(ctx, entryName(tokenHash), tombstoneTTL); err != nil {
		v.counts.unspread.Add(1)
		return &RevocationError{Window: EntryTTL, Cause: err}
	}
	return nil
}
