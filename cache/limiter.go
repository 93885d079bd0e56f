package cache

import (
	"context"
	"sync"

	"github.com/ulule/limiter/v3"
	redisstore "github.com/ulule/limiter/v3/drivers/store/redis"
)

// Count counts one request against a rate under a key, and returns where the key stands. It counts in Redis, so that all replicas
// share one count. While Redis is away it counts in this process, from zero: a client may get its allowance once more, and
// once for each replica, which is better than refusing all requests or none. When Redis is back its counts hold again. It
// never returns an error.
func (r *Redis) Count(ctx context.Context, key string, rate limiter.Rate) (standing limiter.Context, err error) {
	err = r.call(ctx, func(ctx context.Context) error {
		store, err := r.shared.open(r)
		if err == nil {
			standing, err = store.Get(ctx, key, rate)
		}
		return err
	})
	if err == nil {
		return standing, nil
	}
	r.countedLocally.Add(1)
	return r.local.Get(ctx, key, rate)
}

// sharedStore is limiter's own store, made at its first use: to make it, Redis must take its scripts.
type sharedStore struct {
	mu    sync.Mutex
	store limiter.Store
}

func (s *sharedStore) open(r *Redis) (limiter.Store, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store != nil {
		return s.store, nil
	}
	store, err := redisstore.NewStoreWithOptions(r.client, limiter.StoreOptions{Prefix: r.config.Prefix + ":rate"})
	if err == nil {
		s.store = store
	}
	return store, err
}
