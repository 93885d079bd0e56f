package cache

import (
	"context"
	"sync"

	"github.com/redis/go-redis/v9"
	"github.com/ulule/limiter/v3"
	"github.com/ulule/limiter/v3/drivers/store/memory"
	redisstore "github.com/ulule/limiter/v3/drivers/store/redis"
)

// LimiterStore returns a store for rate limits. It counts in Redis, so that all replicas share one count. While Redis is
// away it counts in this process, from zero: a client may get its allowance once more, and once for each replica, which
// is better than refusing everybody or nobody. When Redis is back its counts hold again. The store never returns an error.
// All stores of one Redis share their counts.
func (r *Redis) LimiterStore() limiter.Store {
	if r.client == nil {
		return r.local()
	}
	shared, err := redisstore.NewStoreWithOptions(&scriptClient{Client: r.client}, limiter.StoreOptions{Prefix: r.config.Prefix + ":rate"})
	if err != nil {
		// Can't happen: all that the constructor does is to load its scripts, and scriptClient does that without Redis.
		r.config.Log.Error("rate limits count in process only", "error", err)
		return r.local()
	}
	return &limiterStore{redis: r, shared: shared, local: r.local()}
}

func newLocalLimiterStore() limiter.Store {
	return memory.NewStoreWithOptions(limiter.StoreOptions{Prefix: "rate", CleanUpInterval: limiter.DefaultCleanUpInterval})
}

type limiterStore struct {
	redis  *Redis
	shared limiter.Store
	local  limiter.Store
}

// Get counts one and returns where the key stands.
func (s *limiterStore) Get(ctx context.Context, key string, rate limiter.Rate) (limiter.Context, error) {
	return s.either(ctx, func(ctx context.Context, store limiter.Store) (limiter.Context, error) {
		return store.Get(ctx, key, rate)
	})
}

// Peek returns where the key stands.
func (s *limiterStore) Peek(ctx context.Context, key string, rate limiter.Rate) (limiter.Context, error) {
	return s.either(ctx, func(ctx context.Context, store limiter.Store) (limiter.Context, error) {
		return store.Peek(ctx, key, rate)
	})
}

// Reset sets the key's count to zero.
func (s *limiterStore) Reset(ctx context.Context, key string, rate limiter.Rate) (limiter.Context, error) {
	return s.either(ctx, func(ctx context.Context, store limiter.Store) (limiter.Context, error) {
		return store.Reset(ctx, key, rate)
	})
}

// Increment counts several and returns where the key stands.
func (s *limiterStore) Increment(ctx context.Context, key string, count int64, rate limiter.Rate) (limiter.Context, error) {
	return s.either(ctx, func(ctx context.Context, store limiter.Store) (limiter.Context, error) {
		return store.Increment(ctx, key, count, rate)
	})
}

// either asks Redis, and this process when Redis fails.
func (s *limiterStore) either(ctx context.Context, ask func(context.Context, limiter.Store) (limiter.Context, error)) (limiter.Context, error) {
	var standing limiter.Context
	err := s.redis.call(ctx, func(ctx context.Context) (err error) {
		standing, err = ask(ctx, s.shared)
		return err
	})
	if err == nil {
		return standing, nil
	}
	s.redis.counts.countedLocally.Add(1)
	return ask(ctx, s.local)
}

// scriptClient is the client that limiter's Redis store works with. That store loads its scripts into Redis when it is
// made, which fails while Redis is down, and again after a flush or restart, which costs the request three more round
// trips. Here loading only remembers the script; the first use after Redis lost it sends it along.
type scriptClient struct {
	*redis.Client
	scripts sync.Map // hash -> *redis.Script
}

// ScriptLoad remembers a script and answers what Redis would: its hash.
func (c *scriptClient) ScriptLoad(ctx context.Context, source string) *redis.StringCmd {
	script := redis.NewScript(source)
	c.scripts.Store(script.Hash(), script)
	answer := redis.NewStringCmd(ctx)
	answer.SetVal(script.Hash())
	return answer
}

// EvalSha runs a remembered script, by its hash where Redis still has it.
func (c *scriptClient) EvalSha(ctx context.Context, hash string, keys []string, args ...any) *redis.Cmd {
	if script, found := c.scripts.Load(hash); found {
		return script.(*redis.Script).Run(ctx, c.Client, keys, args...)
	}
	return c.Client.EvalSha(ctx, hash, keys, args...)
}
