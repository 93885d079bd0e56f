package cache

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// Status says what Redis knows under a name.
type Status int

// What a look-up can find.
const (
	Miss   Status = iota // nothing, or nothing that may be trusted
	Hit                  // a trusted entry
	Buried               // a tombstone: the original was revoked
)

// Entry is the answer to a look-up.
type Entry struct {
	Status Status
	Value  string // of a Hit
	// Epoch is what a Fill after a Miss needs. It must be read before the original is, which is why it comes from here.
	Epoch string
}

// Lookup reads what is known under name, in one round trip. It returns ErrUnavailable when Redis can't say, within
// CallTimeout.
func (r *Redis) Lookup(ctx context.Context, name string) (Entry, error) {
	var entry Entry
	err := r.call(ctx, func(ctx context.Context) error {
		held, err := r.client.MGet(ctx, r.epochKey(), r.key("tombstone", name), r.key("entry", name)).Result()
		if err != nil {
			return err
		}
		entry.Epoch, _ = held[0].(string)
		if held[1] != nil {
			// Trusted under any epoch: what was revoked stays revoked.
			entry.Status = Buried
			return nil
		}
		if entry.Epoch == "" {
			entry.Epoch, err = r.createEpoch(ctx)
			return err
		}
		if stored, _ := held[2].(string); len(stored) > epochLength && stored[:epochLength] == entry.Epoch {
			entry.Status, entry.Value = Hit, stored[epochLength:]
		}
		return nil
	})
	if err != nil {
		return Entry{}, err
	}
	return entry, nil
}

// Fill keeps a copy of the original under name for ttl, for all processes. Epoch is that of the Lookup which missed, before
// the original was read; an empty one keeps nothing. Fill never undoes a Bury. An error, always ErrUnavailable, may be
// ignored: the copy is a convenience.
func (r *Redis) Fill(ctx context.Context, name, value, epoch string, ttl time.Duration) error {
	if len(epoch) != epochLength {
		return nil
	}
	return r.call(ctx, func(ctx context.Context) error {
		return r.client.Set(ctx, r.key("entry", name), epoch+value, ttl).Err()
	})
}

// Bury makes every Lookup of name answer Buried for ttl, in all processes. Call it after the original was revoked. ttl must
// be longer than the longest time between a Lookup and its Fill and the Fill's own ttl together.
//
// It tries Redis even while the breaker is open, for up to ProbeTimeout: a revocation is rare and worth the wait. On
// ErrUnavailable other processes may trust a copy until this process reaches Redis again or the copy expires. When no Redis
// is configured there are no copies to bury, and Bury returns nil.
func (r *Redis) Bury(ctx context.Context, name string, ttl time.Duration) error {
	if r.client == nil {
		return nil
	}
	return r.attempt(ctx, r.config.ProbeTimeout, func(ctx context.Context) error {
		_, err := r.client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
			pipe.Set(ctx, r.key("tombstone", name), "", ttl)
			// Not needed beside a tombstone. But a full Redis refuses the SET and still carries out the DEL.
			pipe.Del(ctx, r.key("entry", name))
			return nil
		})
		return err
	})
}
