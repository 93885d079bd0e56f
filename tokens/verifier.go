// Package tokens mints tokens and says whose they are: from Redis, else from the accounts index, which alone decides.
//
// What is known of a token is believed for a second. So a token that is revoked, replaced or banned is refused everywhere within a
// second, whatever state Redis is in. A token in use costs the store one read by id a second, and one a request where Redis is away.
// Ages are counted from the moment before a look-up began, so that a slow look-up can't stretch them. Redis is trusted: a client
// that can write to it can make tokens valid. It holds hashes of tokens, never tokens.
package tokens

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"agentlore/lore"
)

const (
	// EntryTTL is how long what was looked up is believed in Redis: the second within which the design wants a revocation to hold
	// everywhere.
	EntryTTL = time.Second
	// RotationGrace is how long a token goes on beside the one that replaces it, unless that one is used first: the design's
	// bound. An agent that doesn't get the answer with its new token has as long to ask again with the old one.
	RotationGrace = 5 * time.Minute
)

// Accounts is the accounts index: what alone decides whose a token is.
type Accounts interface {
	// Identify returns whose token has this hash (see Hash); account is what Read found in the token. The first use of a token that
	// replaces another ends that one. It returns a *lore.Problem: invalid_token when the token is unknown or revoked, banned when
	// the operator banned its bearer, store_unavailable when the store can't answer. One whose ExpiresAt is over may still be known.
	Identify(ctx context.Context, account, tokenHash string) (lore.Identity, error)
	// Rotate stores a token with the hash freshHash for the bearer of the one with tokenHash, which stops at until, or at the
	// first use of the new one. Errors: invalid_token, store_unavailable.
	Rotate(ctx context.Context, account, tokenHash, freshHash string, until time.Time) error
}

// Cache keeps copies of what was looked up, for all replicas: Redis.
type Cache interface {
	// Get returns what is kept under a name, or "". An error means that the cache can't say.
	Get(ctx context.Context, name string) (string, error)
	// Set keeps a value under a name for a time.
	Set(ctx context.Context, name, value string, ttl time.Duration) error
}

// entry is what Redis holds of a token. Its age is checked by the replicas' clocks too: a Redis that was halted begins to count the
// time to live of a write that waited for it only when it goes on.
type entry struct {
	lore.Identity
	Read time.Time `json:"read"` // from the accounts
}

// Stats counts verifications since New by what decided them.
type Stats struct {
	Redis    uint64
	Accounts uint64 // the accounts index, also for tokens that it doesn't know
	Failed   uint64 // nothing: the accounts index could not say
}

// Verifier says whose a token is. It is safe for concurrent use. Create it with New.
type Verifier struct {
	accounts Accounts
	redis    Cache
	now      func() time.Time

	shared, asked, failed atomic.Uint64
}

// New returns a Verifier over accounts. redis may be one without a server (see cache.Open), but not nil. The clock tells when a
// replaced token's time is over; nil: time.Now.
func New(accounts Accounts, redis Cache, clock func() time.Time) *Verifier {
	if clock == nil {
		clock = time.Now
	}
	return &Verifier{accounts: accounts, redis: redis, now: clock}
}

// Verify returns whose token this is. It returns a *lore.Problem: invalid_token when it is no token, unknown, revoked or its time is
// over; banned; store_unavailable when neither Redis nor the accounts index can say, or ctx ends first. A failure of Redis alone is
// never an error.
func (v *Verifier) Verify(ctx context.Context, token string) (lore.Identity, error) {
	account, ok := Read(token)
	if !ok {
		return lore.Identity{}, malformedToken()
	}
	identity, err := v.lookUp(ctx, account, Hash(token))
	if err == nil && !identity.ExpiresAt.IsZero() && !v.now().Before(identity.ExpiresAt) {
		return lore.Identity{}, lore.InvalidToken()
	}
	return identity, err
}

// lookUp asks Redis, then the accounts index, and leaves the answer in Redis for the rest of its time. Tokens that are refused aren't
// kept: a flood of them would fill it.
func (v *Verifier) lookUp(ctx context.Context, account, hash string) (lore.Identity, error) {
	began := time.Now()
	name := "token:" + hash // in Redis
	value, redisErr := v.redis.Get(ctx, name)
	var kept entry
	if redisErr == nil && json.Unmarshal([]byte(value), &kept) == nil && kept.SourceID != "" && began.Sub(kept.Read).Abs() < EntryTTL {
		v.shared.Add(1)
		return kept.Identity, nil
	}

	identity, err := v.accounts.Identify(ctx, account, hash)
	problem, is := errors.AsType[*lore.Problem](err)
	switch {
	case err == nil:
		v.asked.Add(1)
		left := EntryTTL - time.Since(began)
		if value, err := json.Marshal(entry{identity, began}); err == nil && redisErr == nil && left >= time.Millisecond {
			_ = v.redis.Set(ctx, name, string(value), left) // a copy is a convenience
		}
	case is && (problem.Code == lore.CodeInvalidToken || problem.Code == lore.CodeBanned):
		v.asked.Add(1)
	default:
		v.failed.Add(1)
		if !is {
			err = lore.StoreUnavailable(err)
		}
	}
	return identity, err
}

// Rotate makes a new token for the bearer of this one, which must be verified. The old one stops at the new one's first
// use, within a second in every replica, and at until at the latest. Rotating by the same old token again revokes the
// earlier new one, if it was not used yet. Errors: invalid_token when the token was replaced or revoked meanwhile,
// store_unavailable; then the token that was given still works.
func (v *Verifier) Rotate(ctx context.Context, token string, identity lore.Identity) (fresh string, until time.Time, err error) {
	account, _ := Read(token)
	fresh, err = Mint(identity.Account)
	if err != nil {
		return "", time.Time{}, err
	}
	until = v.now().UTC().Truncate(time.Millisecond).Add(RotationGrace)
	if err := v.accounts.Rotate(ctx, account, Hash(token), Hash(fresh), until); err != nil {
		return "", time.Time{}, err
	}
	return fresh, until, nil
}

// Stats returns the counts, each exact, together only nearly of one moment.
func (v *Verifier) Stats() Stats {
	return Stats{Redis: v.shared.Load(), Accounts: v.asked.Load(), Failed: v.failed.Load()}
}

func malformedToken() *lore.Problem {
	return &lore.Problem{
		Code:   lore.CodeInvalidToken,
		Detail: fmt.Sprintf("this is not a token of this service: one is %s- and 40 lowercase letters and digits, the last 6 a checksum; look for a missing or mistyped character", Prefix),
	}
}
