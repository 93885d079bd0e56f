package tokens

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"agentlore/cache"
	"agentlore/lore"
)

// How long what is known of a token may be used.
const (
	// ProcessTTL is the design's bound for a revocation to hold everywhere.
	ProcessTTL = time.Second
	// EntryTTL is for entries in Redis. It bounds what a lost revocation can do; a token in use costs the accounts index one
	// read a minute.
	EntryTTL = time.Minute
	// lookUpTimeout bounds a look-up, and with it how long after its beginning an entry may be written. The accounts index has
	// shorter deadlines of its own.
	lookUpTimeout = 10 * time.Second
	// tombstoneTTL outlives every entry that was begun before the revocation (lookUpTimeout + EntryTTL), with room for clocks
	// and pauses.
	tombstoneTTL = 5 * time.Minute
	// processLimit bounds both process caches, known and unknown tokens, each: about 2 MB.
	processLimit = 10_000
)

// Accounts is the accounts index: what alone decides whose a token is.
type Accounts interface {
	// IdentityByToken returns whose token has this hash (see Hash). It returns a *lore.Problem: invalid_token when the
	// token is unknown or revoked, store_unavailable when the store can't answer. One whose ExpiresAt is over may still be
	// known.
	IdentityByToken(ctx context.Context, tokenHash string) (lore.Identity, error)
	// Rotate stores a token with the hash freshHash for the bearer of the one with tokenHash, which stops at until, or at the
	// first use of the new one. Errors: invalid_token, store_unavailable.
	Rotate(ctx context.Context, tokenHash, freshHash string, now, until time.Time) error
	// EndRotation ends the token that the one with this hash was made to replace and returns that one's hash, or "" where it
	// ended before. Errors: invalid_token when the new one is not valid any more, store_unavailable.
	EndRotation(ctx context.Context, freshHash string) (oldHash string, err error)
}

// Verifier says whose a token is. It is safe for concurrent use. Create it with New.
type Verifier struct {
	accounts Accounts
	redis    *cache.Redis
	log      *slog.Logger
	now      func() time.Time

	known   *recent[lore.Identity]
	unknown *recent[struct{}] // apart from known, so that a flood of wrong tokens pushes no right one out
	flights flights
	counts  counts
}

// New returns a Verifier over accounts. redis may be one without a server (see cache.Open), but not nil; a nil log is silent.
func New(accounts Accounts, redis *cache.Redis, log *slog.Logger) *Verifier {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Verifier{
		accounts: accounts,
		redis:    redis,
		log:      log,
		now:      time.Now,
		known:    newRecent[lore.Identity](ProcessTTL, processLimit),
		unknown:  newRecent[struct{}](ProcessTTL, processLimit),
		flights:  flights{running: map[sum]*flight{}},
	}
}

// UseClock makes the Verifier tell the time by now instead of time.Now. It is called before the first verification.
func (v *Verifier) UseClock(now func() time.Time) { v.now = now }

// Verify returns whose token this is. It returns a *lore.Problem: invalid_token when it is no token, unknown or revoked;
// store_unavailable when neither Redis nor the accounts index can say, or ctx ends first. A failure of Redis alone is never
// an error.
func (v *Verifier) Verify(ctx context.Context, token string) (lore.Identity, error) {
	if !WellFormed(token) {
		v.counts.malformed.Add(1)
		return lore.Identity{}, malformedToken()
	}
	key, now := sha256.Sum256([]byte(token)), v.now()
	if _, found := v.unknown.get(key, now); found { // first: a revocation in this process is here
		v.counts.process.hits.Add(1)
		return lore.Identity{}, lore.InvalidToken()
	}
	if identity, found := v.known.get(key, now); found {
		v.counts.process.hits.Add(1)
		return v.unlessExpired(identity)
	}
	v.counts.process.misses.Add(1)

	shared, lead := v.flights.join(key, now, ProcessTTL)
	if lead {
		// In a goroutine and without the caller's cancellation: others may be waiting for it too.
		go v.fly(context.WithoutCancel(ctx), key, shared)
	} else {
		v.counts.shared.Add(1)
	}
	select {
	case <-shared.done:
		if shared.err != nil {
			return lore.Identity{}, shared.err
		}
		return v.unlessExpired(shared.identity)
	case <-ctx.Done():
		return lore.Identity{}, lore.StoreUnavailable(ctx.Err())
	}
}

// fly carries out a shared look-up, remembers its answer and then fills Redis, for which nobody has to wait.
func (v *Verifier) fly(ctx context.Context, key sum, f *flight) {
	ctx, cancel := context.WithTimeout(ctx, lookUpTimeout)
	defer cancel()
	fill := func() {}
	func() {
		defer v.flights.land(key, f)
		defer func() {
			if p := recover(); p != nil { // outside a request's goroutine it would end the process
				f.identity, f.err = lore.Identity{}, &lore.Problem{Code: lore.CodeInternal, Detail: "the token could not be looked up"}
				v.log.Error("panic in a token look-up", "kind", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
			}
		}()
		f.identity, f.err = v.lookUp(ctx, key, f.started, &fill)
		switch {
		case f.err == nil:
			v.known.put(key, f.identity, f.started)
		case isInvalidToken(f.err):
			v.unknown.put(key, struct{}{}, f.started)
		}
	}()
	fill()
}

// lookUp asks Redis, then the accounts index. When the index's answer is worth keeping in Redis, fill is set to what does so.
func (v *Verifier) lookUp(ctx context.Context, key sum, started time.Time, fill *func()) (lore.Identity, error) {
	hash := hex.EncodeToString(key[:])
	entry, redisErr := v.redis.Lookup(ctx, entryName(hash))
	switch {
	case redisErr != nil:
		v.counts.redis.failures.Add(1)
	case entry.Status == cache.Buried:
		v.counts.redis.hits.Add(1)
		return lore.Identity{}, lore.InvalidToken()
	case entry.Status == cache.Hit:
		var identity lore.Identity
		if err := json.Unmarshal([]byte(entry.Value), &identity); err == nil && identity.SourceID != "" {
			v.counts.redis.hits.Add(1)
			return identity, nil
		}
		v.counts.redis.failures.Add(1) // written by something else, or by another version; the fill replaces it
	default:
		v.counts.redis.misses.Add(1)
	}

	identity, err := v.accounts.IdentityByToken(ctx, hash)
	switch {
	case err == nil && identity.Unused:
		v.counts.accounts.hits.Add(1)
		return v.firstUse(ctx, hash, identity) // and not kept: the next look-up will find it used
	case err == nil:
		v.counts.accounts.hits.Add(1)
		if redisErr == nil {
			*fill = func() { v.fill(ctx, hash, identity, entry.Epoch, started) }
		}
		return identity, nil
	case isInvalidToken(err):
		// Not kept in Redis: anybody can make up tokens, and they would fill it.
		v.counts.accounts.misses.Add(1)
		return lore.Identity{}, lore.InvalidToken()
	}
	v.counts.accounts.failures.Add(1)
	if problem := (*lore.Problem)(nil); errors.As(err, &problem) {
		return lore.Identity{}, err
	}
	return lore.Identity{}, lore.StoreUnavailable(err)
}

func (v *Verifier) fill(ctx context.Context, hash string, identity lore.Identity, epoch string, started time.Time) {
	if v.now().Sub(started) >= lookUpTimeout {
		return // too old to be sure that a tombstone outlives it
	}
	value, err := json.Marshal(identity)
	if err != nil {
		return // two strings can always be encoded
	}
	if err := v.redis.Fill(ctx, entryName(hash), string(value), epoch, EntryTTL); err != nil {
		v.counts.redis.failures.Add(1)
	}
}

// unlessExpired returns the identity, or invalid_token where its token's time is over. Entries of the caches may be
// older than the end of a token, but it is given far more time than they live.
func (v *Verifier) unlessExpired(identity lore.Identity) (lore.Identity, error) {
	if !identity.ExpiresAt.IsZero() && !v.now().Before(identity.ExpiresAt) {
		return lore.Identity{}, lore.InvalidToken()
	}
	return identity, nil
}

// entryName returns the name under which Redis knows the token with this hash.
func entryName(hash string) string { return "token:" + hash }

func isInvalidToken(err error) bool {
	var problem *lore.Problem
	return errors.As(err, &problem) && problem.Code == lore.CodeInvalidToken
}

func malformedToken() *lore.Problem {
	return &lore.Problem{
		Code:   lore.CodeInvalidToken,
		Detail: fmt.Sprintf("this is not a token of this service: one is %s- and 40 lowercase letters and digits, the last 6 a checksum; look for a missing or mistyped character", Prefix),
	}
}
