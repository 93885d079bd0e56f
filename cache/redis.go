package cache

import (
	"context"
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
	"github.com/ulule/limiter/v3"
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
	// DefaultCallTimeout: a Redis on the same network answers in less than 1 ms, and what it saves is a read from
	// Elasticsearch of a few ms. 50 ms is far above any healthy answer, also during a garbage collection or a fork of Redis,
	// and small enough that the requests which meet a hanging Redis first are not noticed as failures.
	DefaultCallTimeout = 50 * time.Millisecond
	// DefaultProbeTimeout is for probes, which nobody waits for. It leaves room for a new connection with TLS and authentication
	// over a slow network.
	DefaultProbeTimeout = 500 * time.Millisecond
	// DefaultCooldown is how long calls fail at once before Redis is tried again.
	DefaultCooldown = time.Second
	// DefaultMaxConns serves some 100,000 calls a second on a local network; each costs 8 KiB here.
	DefaultMaxConns = 32
	// DefaultPrefix is the design's default for everything stored.
	DefaultPrefix = "agentlore"
)

// Config says which Redis to use and how patient to be with it. Zero values mean the defaults.
type Config struct {
	URL          string               // redis://, rediss:// (TLS) or unix://; empty: none, the process keeps everything itself
	Password     string               // replaces the one in the URL, so that it can come from a file
	CACert       []byte               // PEM; for a rediss:// server whose certificate no public authority signed
	Prefix       string               // stands before every key, so that tests and tenants share a Redis
	CallTimeout  time.Duration        // the most that one call may cost a request
	ProbeTimeout time.Duration        // the most that a probe may take
	Cooldown     time.Duration        // how long calls fail at once after a failure; also the pace of the probes
	MaxConns     int                  // connections at most; pool_size in the URL has precedence
	Traces       trace.TracerProvider // makes a span of each command; nil: none are made
	Log          *slog.Logger         // hears of every change between up and down, once; nil: nobody does
}

// Redis is a connection pool behind a breaker. It is safe for concurrent use. Create it with Open.
type Redis struct {
	client *redis.Client // nil when none is configured
	config Config
	local  func() limiter.Store

	down     atomic.Bool // the breaker is open
	mu       sync.Mutex  // guards changes of down
	tripped  chan struct{}
	failures atomic.Uint64

	stop   context.CancelFunc
	closed atomic.Bool
	done   sync.WaitGroup

	counts counts
}

// Open returns the Redis at config.URL and starts to watch it; Close ends that. A URL that can't be read is an error; it is
// not repeated in the error, since it may hold a password. A Redis that doesn't answer is none: Open waits for it at most
// ProbeTimeout, so that State is right from the start, and the watch goes on from there.
func Open(config Config) (*Redis, error) {
	setDefault(&config.Prefix, DefaultPrefix)
	setDefault(&config.CallTimeout, DefaultCallTimeout)
	setDefault(&config.ProbeTimeout, DefaultProbeTimeout)
	setDefault(&config.Cooldown, DefaultCooldown)
	setDefault(&config.MaxConns, DefaultMaxConns)
	setDefault(&config.Log, slog.New(slog.DiscardHandler))

	r := &Redis{config: config, tripped: make(chan struct{}, 1), stop: func() {}}
	r.local = sync.OnceValue(newLocalLimiterStore)
	if config.URL == "" {
		return r, nil
	}
	options, err := redis.ParseURL(strings.TrimSpace(config.URL))
	if err != nil {
		return nil, errors.New("cache: the Redis URL can't be read: it must be redis://[user:password@]host[:port][/number], " +
			"rediss:// for TLS, or unix:///path; characters such as # and / in a password are percent-encoded")
	}
	if err := config.complete(options); err != nil {
		return nil, err
	}
	quietDriver()
	r.client = redis.NewClient(r.tune(options))
	if config.Traces != nil {
		// Without the commands' arguments: they hold the hashes of tokens.
		if err := redisotel.InstrumentTracing(r.client, redisotel.WithTracerProvider(config.Traces), redisotel.WithDBStatement(false), redisotel.WithCallerEnabled(false)); err != nil {
			return nil, fmt.Errorf("cache: traces: %w", err)
		}
	}

	ctx, cancel := context.WithCancel(context.Background())
	r.stop = cancel
	if err := r.probe(ctx); err != nil {
		r.trip(err)
	}
	r.done.Go(func() { r.watch(ctx) })
	return r, nil
}

// tune sets what the breaker rests upon. What an operator wrote into the URL stays where it can do no harm.
func (r *Redis) tune(options *redis.Options) *redis.Options {
	options.ContextTimeoutEnabled = true // else the driver ignores deadlines on reads and a hanging Redis costs 5 s
	options.ReadTimeout = r.config.ProbeTimeout
	options.WriteTimeout = r.config.ProbeTimeout
	setDefault(&options.DialTimeout, r.config.ProbeTimeout)
	options.DialerRetries = 1 // a refused connection is news, not a reason to wait
	options.MaxRetries = 1    // a connection that went stale while idle is replaced without a failure
	options.MinRetryBackoff = time.Millisecond
	options.MaxRetryBackoff = 4 * time.Millisecond
	setDefault(&options.PoolSize, r.config.MaxConns)
	options.PipelinePoolSize = -1 // one pool: pipelines are rare here
	options.ReadBufferSize = 4 << 10
	options.WriteBufferSize = 4 << 10
	options.DisableIdentity = true
	options.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return options
}

// Close ends the watch and the connections. Calls return ErrUnavailable from then on. It may be called more than once.
func (r *Redis) Close() error {
	if r.client == nil || r.closed.Swap(true) {
		return nil
	}
	r.stop()
	r.done.Wait()
	return r.client.Close()
}

// State returns how Redis is doing, from what the last calls and probes met. It costs nothing.
func (r *Redis) State() State {
	switch {
	case r.client == nil:
		return StateAbsent
	case r.down.Load() || r.closed.Load():
		return StateDown
	}
	return StateOK
}

// key returns the key under which Redis holds a thing of this kind. Kinds are ours; the prefix has no colon.
func (r *Redis) key(kind, name string) string {
	return r.config.Prefix + ":" + kind + ":" + name
}

func setDefault[T comparable](value *T, fallback T) {
	var zero T
	if *value == zero {
		*value = fallback
	}
}

// quietDriver silences go-redis's own log, a process-wide one on stderr that writes a line for every failed dial. The
// breaker logs each change once.
var quietDriver = sync.OnceFunc(func() { redis.SetLogger(driverLog{}) })

type driverLog struct{}

// Printf says nothing.
func (driverLog) Printf(context.Context, string, ...any) {}
