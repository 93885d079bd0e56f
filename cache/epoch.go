package cache

import (
	"context"
	"crypto/rand"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// epochTTL lets the last key of an abandoned prefix expire as everything does here. A service that runs gets a new epoch
// once a day, at the price of one read of the original for each entry in use.
const epochTTL = 24 * time.Hour

func (r *Redis) epochKey() string { return r.config.Prefix + ":epoch" }

// newEpoch returns a value that has never been an epoch: 26 characters of base 32, 130 random bits.
func newEpoch() string { return rand.Text() }

// epochLength is the length of what newEpoch returns; entries begin with it.
const epochLength = 26

// renewEpoch makes all entries untrusted, everywhere. See the package comment for when.
func (r *Redis) renewEpoch(ctx context.Context, conn redis.Cmdable) error {
	if err := conn.Set(ctx, r.epochKey(), newEpoch(), epochTTL).Err(); err != nil {
		return err
	}
	r.counts.epochs.Add(1)
	return nil
}

// createEpoch sets an epoch where there is none, after a flush. It returns the epoch, or "" when another process was
// faster: the caller then has none to fill under and the next look-up reads it.
func (r *Redis) createEpoch(ctx context.Context) (string, error) {
	epoch := newEpoch()
	created, err := r.client.SetNX(ctx, r.epochKey(), epoch, epochTTL).Result()
	if err != nil || !created {
		return "", err
	}
	r.counts.epochs.Add(1)
	return epoch, nil
}

// greet runs on every new connection before anything else does, and renews the epoch when the Redis process behind it is
// not the one that was known. The lock is held meanwhile, so that no other connection to the new process is used before.
func (r *Redis) greet(ctx context.Context, conn *redis.Conn) error {
	id := runID(ctx, conn)
	r.instanceMu.Lock()
	defer r.instanceMu.Unlock()
	if id != "" && id == r.instance {
		return nil
	}
	if err := r.renewEpoch(ctx, conn); err != nil {
		return err
	}
	r.instance = id
	return nil
}

// runID returns what tells one Redis process from another, or "" when Redis doesn't say.
func runID(ctx context.Context, conn *redis.Conn) string {
	info, err := conn.Info(ctx, "server").Result()
	if err != nil {
		return ""
	}
	for line := range strings.Lines(info) {
		if id, found := strings.CutPrefix(line, "run_id:"); found {
			return strings.TrimSpace(id)
		}
	}
	return ""
}
