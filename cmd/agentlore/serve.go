package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"agentlore/cache"
	"agentlore/handlers"
	"agentlore/index"
	"agentlore/lore"
	"agentlore/scrubber"
	"agentlore/tokens"
)

// serveCommand serves the HTTP interface.
type serveCommand struct {
	storeConfig
	scrubConfig
	curationConfig
	telemetryConfig
	capacityConfig
	redisSecrets
	Listen         string        `env:"AGENTLORE_LISTEN" default:"127.0.0.1:8080" help:"Address to listen on."`
	RedisURL       string        `name:"redis-url" env:"REDIS_URL" help:"Redis, like redis://127.0.0.1:6379/0; without it look-ups and limits are kept in process, which is right for one replica."`
	TrustedProxies []string      `env:"AGENTLORE_TRUSTED_PROXIES" help:"Addresses or networks whose X-Forwarded-For is believed, comma-separated; none by default."`
	Registration   string        `env:"AGENTLORE_REGISTRATION" default:"open" enum:"open,invite" help:"Who may register: open, anybody; invite, who has an invite of the operator's or a token of a source."`
	RateRegister   string        `env:"AGENTLORE_RATE_REGISTER" default:"20-H" help:"Registrations per client address: a number and S, M, H or D, or off."`
	RateWrite      string        `env:"AGENTLORE_RATE_WRITE" default:"120-M" help:"Writes per client address."`
	RateRead       string        `env:"AGENTLORE_RATE_READ" default:"1200-M" help:"Reads per client address."`
	RateExport     string        `env:"AGENTLORE_RATE_EXPORT" default:"10-M" help:"Exports per client address."`
	Curate         bool          `env:"AGENTLORE_CURATE" default:"true" negatable:"" help:"Curate in the background; of several services, one does."`
	SimilarWait    time.Duration `env:"AGENTLORE_SIMILAR_WAIT" default:"3ms" help:"How long a submit's answer waits, once the submission is stored, for reports that say the same; 0: it never looks."`
	SearchLogDays  int           `name:"search-log-days" env:"AGENTLORE_SEARCH_LOG_DAYS" default:"30" help:"Days for which searches are kept for analysts, scrubbed and without who asked; 0: none is."`
	Demo           string        `help:"Folder of demo files to load into an empty store." placeholder:"DIR"`
}

// Times of the HTTP server.
const (
	headerTimeout = 5 * time.Second // a client that sends its headers byte by byte
	idleTimeout   = time.Minute
	readTimeout   = 40 * time.Second // for a whole request; bodies have a shorter one of their own
	writeTimeout  = 60 * time.Second
	maxHeader     = 32 << 10
	sweepEvery    = time.Minute
)

// clock tells the time that is stored and compared with what other replicas have stored. Tests of clocks that differ move it.
var clock = time.Now

// Run serves until ctx ends, then lets requests under way finish.
func (c *serveCommand) Run(ctx context.Context, out output) error {
	watch, watchErr := c.telemetryConfig.open(ctx, out)
	defer watch.Close()
	settings, redis, clean, listener, err := c.open(out, watch)
	if redis != nil {
		defer redis.Close()
	}
	if listener != nil {
		defer listener.Close()
	}
	if err := errors.Join(err, watchErr); err != nil {
		return err
	}
	if c.RedisURL == "" {
		out.log.Info("no REDIS_URL: token look-ups and limits are kept in process, right for one replica")
	}
	store, err := connect(ctx, settings, index.FlushEvery)
	if err != nil {
		return err
	}
	defer store.Close()
	logging, stopLogging := context.WithCancel(ctx)
	searches, written := c.logSearches(logging, store, clean)
	defer func() { stopLogging(); <-written }()
	handler, err := c.handler(out, store, redis, clean, searches, watch)
	if err != nil {
		return err
	}
	go sweep(ctx, out, store)
	go watch.watchStore(ctx, store, out.log)
	watch.serve(handler)
	loaded, err := loadDemo(ctx, c.Demo, store, clean)
	if err != nil {
		return err
	}
	if c.Curate {
		curating, stop := context.WithCancel(ctx)
		stopped, err := c.curate(curating, out, store, watch)
		if err != nil {
			stop()
			return err
		}
		defer func() { stop(); <-stopped }()
	}
	clients, err := c.bound(listener, c.TrustedProxies, func() { watch.metrics.Shed("connections") })
	if err != nil {
		return err
	}
	server := newDrained(handler, clients, out.log)
	out.log.Info("serving", "address", listener.Addr().String(), "prefix", c.IndexPrefix)
	greet(out.stdout, listener.Addr().String(), c.Demo, loaded)
	return server.serve(ctx, c.DrainTimeout)
}

// curate curates in the background until ctx ends; the channel is closed when it has stopped.
func (c *serveCommand) curate(ctx context.Context, out output, store *store, watch *watch) (stopped chan struct{}, err error) {
	rules, malicious, err := c.rules()
	if err != nil {
		return nil, err
	}
	curation, err := newCuration(out, store.client, rules, malicious)
	if err != nil {
		return nil, err
	}
	watch.watchCurator(curation)
	stopped = make(chan struct{})
	go func() {
		defer close(stopped)
		curation.loop(ctx)
	}()
	return stopped, nil
}

// logSearches keeps a log of searches until ctx ends, if there is to be one; the channel is closed when it is written.
func (c *serveCommand) logSearches(ctx context.Context, store *store, clean *scrubber.Scrubber) (searches handlers.SearchLog, written chan struct{}) {
	written = make(chan struct{})
	if c.SearchLogDays == 0 {
		close(written)
		return nil, written
	}
	log := index.NewSearchLog(store.client, clean, time.Duration(c.SearchLogDays)*24*time.Hour)
	go func() {
		defer close(written)
		log.Run(ctx)
	}()
	return log, written
}

// open makes what the configuration asks for and needs no store, naming every fault at once. What it returns is to be
// closed even with an error.
func (c *serveCommand) open(out output, watch *watch) (settings index.Config, redis *cache.Redis, clean *scrubber.Scrubber, listener net.Listener, err error) {
	faults := make([]error, 9)
	settings, faults[0] = c.settings(out)
	settings.Observer, settings.Traces = watch.metrics, watch.provider()
	if config, redisErr := c.redis(out); redisErr != nil {
		faults[1] = redisErr
	} else {
		config.Traces = watch.provider()
		if redis, err = cache.Open(config); err != nil {
			faults[1] = fmt.Errorf("REDIS_URL: %w", err)
		}
	}
	clean, faults[2] = c.scrubber()
	faults[3] = c.http().Check()
	if listener, err = net.Listen("tcp", c.Listen); err != nil {
		faults[4] = fmt.Errorf("AGENTLORE_LISTEN: %w", err)
	}
	_, _, faults[6] = c.rules()
	if c.SearchLogDays < 0 {
		faults[7] = errors.New("AGENTLORE_SEARCH_LOG_DAYS must not be negative")
	}
	if c.Demo != "" {
		if _, err := os.Stat(c.Demo); err != nil {
			faults[5] = fmt.Errorf("--demo: %w", err)
		}
	}
	faults[8] = c.capacityConfig.check()
	return settings, redis, clean, listener, errors.Join(faults...)
}

// redis returns where Redis is, naming every fault at once.
func (c *serveCommand) redis(out output) (cache.Config, error) {
	return c.redisSecrets.config(c.RedisURL, c.IndexPrefix, out)
}

// http returns the configuration of the HTTP interface, but for where limits are counted.
func (c *serveCommand) http() handlers.Config {
	return handlers.Config{
		TrustedProxies: c.TrustedProxies, Registration: handlers.Registration(c.Registration),
		Capacity: c.capacity(),
		Limits:   handlers.Limits{Register: c.RateRegister, Write: c.RateWrite, Read: c.RateRead, Export: c.RateExport},
	}
}

// handler wires the HTTP interface.
func (c *serveCommand) handler(out output, store *store, redis *cache.Redis, clean *scrubber.Scrubber, searches handlers.SearchLog, watch *watch) (http.Handler, error) {
	config := c.http()
	watch.show(&config)
	config.LimitStore = redis.LimiterStore()
	rules, malicious, err := c.rules()
	if err != nil {
		return nil, err
	}
	verifier := tokens.New(store.accounts, redis, clock)
	watch.count(verifier, redis)
	return handlers.New(
		config,
		handlers.Dependencies{
			Scrubber: clean, Tokens: verifier, Rotator: verifier, Mint: mint, Recorder: watch.metrics,
			Accounts: store.accounts, Submissions: store.submissions, Records: store.records,
			Proposals: store.client, Outcomes: index.NewOutcomes(store.client), Items: store.client, Searcher: store.client, SearchLog: searches, Statistics: store.client,
			Rules: rules, Malicious: malicious, Similar: store.client, SimilarWait: c.SimilarWait,
			Sources:        index.NewCollection[lore.Source](store.client, lore.Sources, "source"),
			KnowledgeUnits: index.NewCollection[lore.KnowledgeUnit](store.client, lore.KnowledgeUnits, "knowledge unit"),
			Patterns:       index.NewCollection[lore.Pattern](store.client, lore.Patterns, "pattern"),
			Assets:         store.assets,
			Suggestions:    index.NewCollection[lore.Suggestion](store.client, lore.Suggestions, "suggestion"),
			SafetyFlags:    index.NewCollection[lore.SafetyFlag](store.client, lore.SafetyFlags, "safety flag"),
			Checks: []handlers.HealthCheck{
				{Name: "elasticsearch", Required: true, Look: store.look},
				{Name: "redis", Look: func(ctx context.Context) string { return redisHealth(ctx, redis) }},
			},
			Log: out.log, Now: clock,
		},
	)
}

// mint returns a new token of an account, and its hash.
func mint(accountKey string) (token, hash string, err error) {
	token, err = tokens.Mint(accountKey)
	return token, tokens.Hash(token), err
}

// look says how Elasticsearch is.
func (s *store) look(ctx context.Context) string { return string(s.client.Health(ctx)) }

// redisHealth says how Redis is. None at all is as it was configured.
func redisHealth(ctx context.Context, redis *cache.Redis) string {
	if state := redis.State(ctx); state != cache.StateAbsent {
		return string(state)
	}
	return "ok"
}

// sweep removes what crashes and time have left over, every minute until ctx ends. A failure is the next round's work.
func sweep(ctx context.Context, out output, store *store) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			now := clock()
			_, err := store.records.Sweep(ctx, now)
			if err == nil {
				var lifted int
				if lifted, err = store.client.ReleaseWrites(ctx); lifted > 0 {
					out.log.Warn("lifted write blocks of a migration that died", "count", lifted)
				}
			}
			if err != nil && ctx.Err() == nil {
				out.log.Warn("sweep failed; it is tried again in a minute", "cause", err)
			}
		}
	}
}
