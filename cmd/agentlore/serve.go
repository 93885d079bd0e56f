package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"agentlore/cache"
	"agentlore/curator"
	"agentlore/embed"
	"agentlore/handlers"
	"agentlore/handlers/admit"
	"agentlore/index"
	"agentlore/index/curation"
	"agentlore/index/search"
	"agentlore/index/semantic"
	"agentlore/knowledge"
	"agentlore/lore"
	"agentlore/scrubber"
	"agentlore/telemetry"
	"agentlore/tokens"
	"agentlore/webhook"
)

// serveCommand serves the HTTP interface.
type serveCommand struct {
	storeConfig
	scrubConfig
	curationConfig
	webhookConfig
	linkConfig
	telemetryConfig
	capacityConfig
	redisConfig
	embeddingsConfig
	Listen          string   `env:"AGENTLORE_LISTEN" default:"127.0.0.1:8080" help:"Address to listen on."`
	TrustedProxies  []string `env:"AGENTLORE_TRUSTED_PROXIES" help:"Addresses or networks whose X-Forwarded-For is believed, comma-separated; none by default."`
	Registration    string   `env:"AGENTLORE_REGISTRATION" default:"open" enum:"open,invite" help:"Who may register: open, anybody; invite, who has an invite of the operator's or a token of a source."`
	handlers.Limits `embed:"" prefix:"rate-"`
	Budget          handlers.Budgets `embed:"" prefix:"budget-"`
	Curate          bool             `env:"AGENTLORE_CURATE" default:"true" negatable:"" help:"Curate in the background; of several services, one does."`
	SimilarWait     time.Duration    `env:"AGENTLORE_SIMILAR_WAIT" default:"3ms" help:"How long a submit's answer waits, once the submission is stored, for reports that say the same; 0: it never looks."`
	SearchLogDays   int              `name:"search-log-days" env:"AGENTLORE_SEARCH_LOG_DAYS" default:"30" help:"Days for which searches are kept for analysts, scrubbed and without who asked; 0: none is."`
	EventDays       int              `env:"AGENTLORE_EVENT_DAYS" default:"1095" help:"Days for which outcomes and changes of tier and status are kept for analysts."`
	Demo            bool             `env:"AGENTLORE_DEMO" help:"Bring the reference library, and into a store without reports the demo."`
}

// clock returns the time that is stored and compared with what other replicas have stored. Tests of clocks that differ move it.
var clock = time.Now

// Run serves until ctx ends, then lets requests under way finish.
func (c *serveCommand) Run(ctx context.Context, out output) error {
	p, err := c.open(ctx, out)
	defer p.close()
	if err != nil {
		return err
	}
	if c.RedisURL == "" {
		out.log.Info("no REDIS_URL: token look-ups and limits are kept in process, right for one replica")
	}
	store, err := connect(ctx, p.settings)
	if err != nil {
		return err
	}
	defer store.Close()
	background, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer func() { stop(); running.Wait() }()

	var searches handlers.SearchLog
	if c.SearchLogDays > 0 {
		log := index.NewSearchLog(store.client, p.clean)
		running.Go(func() { log.Run(background) })
		p.watch.metrics.Read(func(add telemetry.Add) {
			add("agentlore_search_log_dropped_total", "Searches that were not logged: too many waited, or the store did not take them.",
				float64(log.Dropped()))
		})
		searches = log
	}
	var layer *semantic.Layer // nil: search knows words alone
	if p.embedder != nil {
		layer = semantic.New(store.client, p.embedder, c.EmbeddingsModel, c.Dimensions, out.log)
		p.watch.watchSemantic(layer)
		running.Go(func() { layer.Run(background) })
	}
	known := knowledge.New(store.client, out.log)
	running.Go(func() { known.Follow(background) })
	privileges := newPrivileges(store)
	running.Go(func() { privileges.follow(background, out.log) })
	service, err := c.handler(out, p, store, searches, layer, known, privileges)
	if err != nil {
		return err
	}
	handler := &probes{service: service}
	for _, chore := range c.chores(out, store) {
		running.Go(func() { chore.repeat(background, out) })
	}
	running.Go(func() { p.watch.watchStore(background, store, out.log) })
	p.watch.serve(handler)
	curation, err := newBackgroundCurator(out, store, known, p.rules, p.malicious, c.webhookConfig, c.linkConfig)
	if err != nil {
		return err
	}
	demo := ""
	if c.Demo {
		// A first start may meet a store that is busy with its own. What is loaded is not loaded twice.
		demo, err = lore.Retry(ctx, startTimeout, startPause, func() (string, error) { return loadDemo(ctx, store, p.clean, curation) })
		if err != nil {
			return err
		}
	}
	if c.Curate {
		p.watch.watchCurator(curation)
		running.Go(func() { curation.loop(background) })
	}
	out.log.Info("serving", "address", p.listener.Addr().String(), "metrics", p.watch.address(), "prefix", c.IndexPrefix)
	greet(out.stdout, p.listener.Addr().String(), demo)
	return c.serveHTTP(ctx, p.listener, handler, p.proxies, func() { p.watch.metrics.Shed("connections") }, out.log)
}

// parts are what a service is made of besides its store.
type parts struct {
	watch     *watch
	settings  index.Config
	redis     *cache.Redis // nil: its configuration can't be read
	clean     *scrubber.Scrubber
	rules     curator.Rules
	malicious curator.AddressList
	proxies   admit.Proxies
	publicURL string
	embedder  *embed.Client // nil: no embeddings server is set
	listener  net.Listener  // nil: the address can't be listened on
}

// open makes what the configuration asks for and needs no store, naming every fault at once. What it returns is to be
// closed even with an error.
func (c *serveCommand) open(ctx context.Context, out output) (p parts, err error) {
	var faults [11]error
	p.watch, faults[0] = c.telemetryConfig.open(ctx, out)
	p.settings, faults[1] = c.settings(out)
	p.settings.Observer, p.settings.Traces, p.settings.Meter = p.watch.metrics, p.watch.provider(), handlers.Meter{}
	config, err := c.redisConfig.config(c.IndexPrefix, out)
	if config.Traces = p.watch.provider(); err == nil {
		if p.redis, err = cache.Open(config); err != nil {
			err = fmt.Errorf("REDIS_URL: %w", err)
		}
	}
	faults[2] = err
	p.clean = c.scrubber()
	p.embedder, faults[3] = c.embeddingsConfig.client(p.clean, c.Dimensions)
	faults[4] = errors.Join(c.Limits.Check(), c.Budget.Check())
	p.proxies, faults[9] = admit.ParseProxies(c.TrustedProxies)
	if p.listener, err = net.Listen("tcp", c.Listen); err != nil {
		faults[5] = fmt.Errorf("AGENTLORE_LISTEN: %w", err)
	}
	p.publicURL, faults[10] = c.linkConfig.public()
	p.rules, p.malicious, faults[6] = c.curationConfig.rules()
	if c.SearchLogDays < 0 || c.EventDays < 1 {
		faults[7] = errors.New("AGENTLORE_SEARCH_LOG_DAYS must not be negative, and AGENTLORE_EVENT_DAYS be at least 1")
	}
	faults[8] = c.capacityConfig.check()
	return p, errors.Join(faults[:]...)
}

// close frees what was opened.
func (p parts) close() {
	if p.listener != nil {
		_ = p.listener.Close() // the server closes it too
	}
	if p.redis != nil {
		_ = p.redis.Close()
	}
	p.watch.Close()
}

// items finds items and scrubs them again.
type items struct {
	*index.Client
	*curation.Review
}

// handler wires the HTTP interface.
func (c *serveCommand) handler(
	out output, p parts, store *store, searches handlers.SearchLog, layer *semantic.Layer, known *knowledge.Knowledge, privileges *privileges,
) (http.Handler, error) {
	config := handlers.Config{
		Proxies: p.proxies, PublicURL: p.publicURL, Registration: handlers.Registration(c.Registration), Capacity: c.Capacity, Limits: c.Limits,
		Budgets: c.Budget, Counter: p.redis, Privileges: privileges,
	}
	p.watch.show(&config)
	verifier := tokens.New(store.accounts, p.redis, clock)
	p.watch.count(verifier, p.redis)
	review := curation.NewReview(store.client)
	searcher := search.New(store.client)
	if layer != nil {
		searcher.WithVectors(layer)
	}
	return handlers.New(
		config,
		handlers.Dependencies{
			Scrubber: p.clean, Tokens: verifier, Mint: mint, Recorder: p.watch.metrics,
			Accounts: store.accounts, Principals: store.accounts, Submissions: store.submissions, Records: store.records,
			Proposals: store.client, Outcomes: index.NewOutcomes(store.client, store.accounts), Questions: index.NewQuestions(store.client),
			Webhooks: store.accounts, WebhookSecret: webhook.NewSecret, WebhookHost: webhook.MayReach, WebhookPort: c.webhookConfig.Ports.Allow,
			Standings: newStandings(store.client, store.accounts),
			Decisions: review, Items: items{store.client, review},
			Searcher: searcher, Knowledge: known, SearchLog: searches, Statistics: store.client, Semantic: semanticStatus(layer),
			Rules: p.rules, Malicious: p.malicious, SimilarWait: c.SimilarWait,
			Sources:        index.NewCollection[lore.Source](store.client, lore.Sources, "source"),
			KnowledgeUnits: index.NewCollection[lore.KnowledgeUnit](store.client, lore.KnowledgeUnits, "knowledge unit"),
			Patterns:       index.NewCollection[lore.Pattern](store.client, lore.Patterns, "pattern"),
			Families:       index.NewCollection[lore.Family](store.client, lore.Families, "family"),
			Assets:         index.NewCollection[lore.Asset](store.client, lore.Assets, "asset"),
			Suggestions:    index.NewCollection[lore.Suggestion](store.client, lore.Suggestions, "suggestion"),
			SafetyFlags:    index.NewCollection[lore.SafetyFlag](store.client, lore.SafetyFlags, "safety flag"),
			Events:         index.NewCollection[lore.Event](store.client, lore.Events, "event"),
			Checks: []handlers.HealthCheck{
				{Name: "elasticsearch", Required: true, Look: func(ctx context.Context) string { return string(store.client.Health(ctx)) }},
				{Name: "redis", Look: func(ctx context.Context) string { return redisHealth(ctx, p.redis) }},
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

// redisHealth returns Redis's state for GET /health. None at all is as it was configured.
func redisHealth(ctx context.Context, redis *cache.Redis) string {
	if state := redis.State(ctx); state != cache.StateAbsent {
		return string(state)
	}
	return "ok"
}
