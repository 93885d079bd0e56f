// Package cache keeps in Redis what all replicas share: copies of token look-ups and the counts of rate limits. Redis holds no
// record: it may be slow, down, emptied or absent, and requests go on without it.
package cache

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/extra/redisotel/v9"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
	"github.com/sony/gobreaker/v2"
	"github.com/ulule/limiter/v3"
	"github.com/ulule/limiter/v3/drivers/store/memory"
	redisstore "github.com/ulule/limiter/v3/drivers/store/redis"
	"go.opentelemetry.io/otel/trace"
)

// ErrUnavailable means that Redis didn't serve the call: it is down, too slow, refused it, or there is none. The caller goes
// on without it. It wraps the cause where there is one.
var ErrUnavailable = errors.New("cache: redis is unavailable")

// State says how Redis is doing, in the words of the health answer.
type State string

// The states of Redis.
const (
	StateOK     State = "ok"
	StateDown   State = "down"   // everything works without it, slower
	StateAbsent State = "absent" // none is configured: caches and counters are in process
)

// Defaults of Config.
const (
	// DefaultCallTimeout: a Redis on the same network answers in less than 1 ms, and what it saves is a read from Elasticsearch of a
	// few ms. 50 ms is far above any healthy answer, and small enough that a hanging Redis isn't noticed as a failure.
	DefaultCallTimeout = 50 * time.Millisecond
	// DefaultCooldown is how long calls fail at once before Redis is tried again.
	DefaultCooldown = time.Second
)

const (
	// connectTimeout leaves room for a new connection with TLS and authentication over a slow network.
	connectTimeout = 500 * time.Millisecond
	// maxConns serves some 100,000 calls a second on a local network; each costs 8 KiB here. pool_size in the URL has precedence.
	maxConns = 32
)

// Config says which Redis to use and how patient to be with it. Zero times mean the defaults.
type Config struct {
	URL         string               // redis://, rediss:// (TLS) or unix://; empty: none, the process keeps everything itself
	Password    string               // replaces the one in the URL, so that it can come from a file
	CACert      []byte               // PEM; for a rediss:// server whose certificate no public authority signed
	Prefix      string               // stands before every key, so that tests and tenants share a Redis
	CallTimeout time.Duration        // the most that one call may cost a request
	Cooldown    time.Duration        // how long calls fail at once after a failure
	Traces      trace.TracerProvider // makes a span of each command; nil: none are made
	Log         *slog.Logger         // gets a line for every change between up and down; nil: no log
}

// Stats counts since Open.
type Stats struct {
	Served         uint64 // calls that Redis answered
	Failures       uint64 // calls that failed or took too long
	Refused        uint64 // calls that were not tried, since the breaker was open or there is no Redis
	CountedLocally uint64 // rate limit decisions made in process
}

// Redis is a connection pool behind a circuit breaker: after a failure calls fail at once for the cooldown, then one is tried. It is
// safe for concurrent use. Create it with Open.
type Redis struct {
	client  *redis.Client // nil when none is configured
	breaker *gobreaker.CircuitBreaker[struct{}]
	config  Config
	local   limiter.Store
	making  sync.Mutex // of shared
	shared  limiter.Store

	served, failures, refused, countedLocally atomic.Uint64
}

// Open returns the Redis at config.URL. A URL that can't be read is an error; it is not repeated in the error, since it may hold a
// password. A Redis that doesn't answer is none: Open waits for it for half a second at most.
func Open(config Config) (*Redis, error) {
	config.CallTimeout = cmp.Or(config.CallTimeout, DefaultCallTimeout)
	config.Cooldown, config.Log = cmp.Or(config.Cooldown, DefaultCooldown), cmp.Or(config.Log, slog.New(slog.DiscardHandler))
	r := &Redis{config: config, local: memory.NewStoreWithOptions(limiter.StoreOptions{Prefix: "rate", CleanUpInterval: limiter.DefaultCleanUpInterval})}
	if config.URL == "" {
		return r, nil
	}
	options, err := options(config)
	if err != nil {
		return nil, err
	}
	redis.SetLogger(silent{}) // a line for every failed dial; the breaker logs each change once
	r.client = redis.NewClient(options)
	if config.Traces != nil { // without the commands' arguments: they hold the hashes of tokens
		if err := redisotel.InstrumentTracing(r.client, redisotel.WithTracerProvider(config.Traces), redisotel.WithDBStatement(false), redisotel.WithCallerEnabled(false)); err != nil {
			return nil, fmt.Errorf("cache: traces: %w", err)
		}
	}
	r.breaker = gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
		Timeout:     config.Cooldown,
		ReadyToTrip: func(gobreaker.Counts) bool { return true }, // ReadyToTrip is asked after a failure
		OnStateChange: func(_ string, from, to gobreaker.State) {
			switch {
			case to == gobreaker.StateClosed:
				config.Log.Info("redis is available again")
			case from == gobreaker.StateClosed:
				config.Log.Warn("redis is unavailable: look-ups and limits go on without it")
			}
		},
	})
	_ = r.callFor(context.Background(), connectTimeout, func(ctx context.Context) error { return r.client.Ping(ctx).Err() })
	return r, nil
}

// options returns the driver's options. What an operator wrote into the URL stays where it can do no harm.
func options(config Config) (*redis.Options, error) {
	options, err := redis.ParseURL(strings.TrimSpace(config.URL))
	if err != nil {
		return nil, errors.New("cache: the Redis URL can't be read: it must be redis://[user:password@]host[:port][/number], " +
			"rediss:// for TLS, or unix:///path; characters such as # and / in a password are percent-encoded")
	}
	options.PoolSize, options.DialTimeout = cmp.Or(options.PoolSize, maxConns), cmp.Or(options.DialTimeout, connectTimeout)
	if config.Password != "" {
		options.Password = config.Password
	}
	if len(config.CACert) > 0 {
		pool := x509.NewCertPool()
		switch {
		case options.TLSConfig == nil:
			return nil, errors.New("cache: a CA certificate for Redis is given, and the URL asks for no TLS: it must begin with rediss://")
		case !pool.AppendCertsFromPEM(config.CACert):
			return nil, errors.New("cache: the CA certificate for Redis holds no PEM certificate")
		}
		options.TLSConfig.RootCAs, options.TLSConfig.MinVersion = pool, tls.VersionTLS12
	}
	options.ContextTimeoutEnabled = true // else the driver ignores deadlines on reads and a hanging Redis costs 5 s
	options.ReadTimeout, options.WriteTimeout = connectTimeout, connectTimeout
	options.DialerRetries = 1 // a refused connection is news, not a reason to wait
	options.MaxRetries = 1    // a connection that went stale while idle is replaced without a failure
	options.MinRetryBackoff, options.MaxRetryBackoff = time.Millisecond, 4*time.Millisecond
	options.PipelinePoolSize = -1 // one pool: pipelines are rare here
	options.ReadBufferSize, options.WriteBufferSize = 4<<10, 4<<10
	options.DisableIdentity = true
	options.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return options, nil
}

// Close ends the connections. Calls return ErrUnavailable from then on.
func (r *Redis) Close() error {
	if r.client == nil {
		return nil
	}
	return r.client.Close()
}

// State asks Redis how it is, which takes the call timeout at most.
func (r *Redis) State(ctx context.Context) State {
	if r.client == nil {
		return StateAbsent
	}
	if r.call(ctx, func(ctx context.Context) error { return r.client.Ping(ctx).Err() }) != nil {
		return StateDown
	}
	return StateOK
}

// Stats returns the counts, each exact, together only nearly of one moment.
func (r *Redis) Stats() Stats {
	return Stats{Served: r.served.Load(), Failures: r.failures.Load(), Refused: r.refused.Load(), CountedLocally: r.countedLocally.Load()}
}

// Get returns what is kept under a name, or "" for nothing. It returns ErrUnavailable when Redis can't say, within CallTimeout.
func (r *Redis) Get(ctx context.Context, name string) (value string, err error) {
	err = r.call(ctx, func(ctx context.Context) (err error) {
		if value, err = r.client.Get(ctx, r.key("entry", name)).Result(); errors.Is(err, redis.Nil) {
			return nil
		}
		return err
	})
	return value, err
}

// Set keeps a value under a name for ttl, for all processes. An error, always ErrUnavailable, may be ignored: the copy is a
// convenience.
func (r *Redis) Set(ctx context.Context, name, value string, ttl time.Duration) error {
	return r.call(ctx, func(ctx context.Context) error { return r.client.Set(ctx, r.key("entry", name), value, ttl).Err() })
}

// Check tries, for an operator, what the service needs of Redis: to connect, to log in, to write and to read back. It returns
// the first fault, without a password in it.
func (r *Redis) Check(ctx context.Context) error {
	if r.client == nil {
		return nil
	}
	name, written := r.key("entry", "check"), rand.Text()
	if err := r.client.Set(ctx, name, written, time.Minute).Err(); err != nil {
		return fmt.Errorf("it can't be reached or written: %w", err)
	}
	read, err := r.client.GetDel(ctx, name).Result()
	if err == nil && read != written {
		err = errors.New("another value came back")
	}
	if err != nil {
		return fmt.Errorf("it can't be read: %w", err)
	}
	return nil
}

// call runs do against Redis for a request, within CallTimeout.
func (r *Redis) call(ctx context.Context, do func(context.Context) error) error {
	return r.callFor(ctx, r.config.CallTimeout, do)
}

// callFor runs do with a deadline of its own. The caller's deadline and cancellation are left out on purpose: with them a client that
// hangs up would look like a failing Redis, and a write would have an unknown outcome that isn't Redis's fault. The wait is
// short anyway. Every error is a failure of Redis, also a refusal such as OOM or NOAUTH: what it can't do now, the process does
// by itself.
func (r *Redis) callFor(ctx context.Context, timeout time.Duration, do func(context.Context) error) error {
	if r.client == nil {
		r.refused.Add(1)
		return ErrUnavailable
	}
	_, err := r.breaker.Execute(func() (none struct{}, err error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
		defer cancel()
		return none, do(ctx)
	})
	switch {
	case err == nil:
		r.served.Add(1)
		return nil
	case errors.Is(err, gobreaker.ErrOpenState), errors.Is(err, gobreaker.ErrTooManyRequests):
		r.refused.Add(1)
	default:
		r.failures.Add(1)
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// key returns the key under which Redis holds a thing of this kind. Kinds are ours; the prefix has no colon.
func (r *Redis) key(kind, name string) string { return r.config.Prefix + ":" + kind + ":" + name }

// silent discards the driver's log.
type silent struct{}

// Printf discards the line.
func (silent) Printf(context.Context, string, ...any) {}

// Count counts n of something, such as one request or some bytes, against a rate under a key, and returns where the key stands; with n
// below 0 it takes back what was counted. It counts in Redis, so that all replicas share one count. While Redis is away it counts in this process, from zero: a client may get its allowance once more, and
// once for each replica, which is better than refusing all requests or none. When Redis is back its counts hold again. It
// never returns an error.
func (r *Redis) Count(ctx context.Context, key string, n int64, rate limiter.Rate) (standing limiter.Context, err error) {
	err = r.call(ctx, func(ctx context.Context) error {
		store, err := r.rates()
		if err == nil {
			standing, err = store.Increment(ctx, key, n, rate)
		}
		return err
	})
	if err == nil {
		return standing, nil
	}
	r.countedLocally.Add(1)
	return r.local.Increment(ctx, key, n, rate)
}

// rates returns limiter's own store, made at its first use: to make it, Redis must take its scripts.
func (r *Redis) rates() (store limiter.Store, err error) {
	r.making.Lock()
	defer r.making.Unlock()
	if r.shared == nil {
		if store, err = redisstore.NewStoreWithOptions(r.client, limiter.StoreOptions{Prefix: r.config.Prefix + ":rate"}); err == nil {
			r.shared = store
		}
	}
	return r.shared, err
}
