package cache

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Get returns what is kept under a name, or "" for nothing. It returns ErrUnavailable when Redis can't say, within CallTimeout.
func (r *Redis) Get(ctx context.Context, name string) (value string, err error) {
	err = r.call(ctx, func(ctx context.Context) error {
		value, err = r.client.Get(ctx, r.key("entry", name)).Result()
		if errors.Is(err, redis.Nil) {
			return nil
		}
		return err
	})
	return value, err
}

// Set keeps a value under a name for ttl, for all processes. An error, always ErrUnavailable, may be ignored: the copy is a
// convenience.
func (r *Redis) Set(ctx context.Context, name, value string, ttl time.Duration) error {
	return r.call(ctx, func(ctx context.Context) error {
		return r.client.Set(ctx, r.key("entry", name), value, ttl).Err()
	})
}
