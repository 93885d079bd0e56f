package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/trace"

	"agentlore/cache"
	"agentlore/handlers"
	"agentlore/index"
	"agentlore/telemetry"
	"agentlore/tokens"
)

// telemetryConfig says how the service shows itself to its operator.
type telemetryConfig struct {
	MetricsListen string `env:"AGENTLORE_METRICS_LISTEN" help:"Address of a listener of its own for /metrics; empty: the service's own address answers it."`
	OTLPEndpoint  string `name:"otlp-endpoint" env:"OTEL_EXPORTER_OTLP_ENDPOINT" help:"OpenTelemetry collector that gets traces by OTLP over HTTP, like http://127.0.0.1:4318; empty: none."`
}

// watch is what shows a running service to its operator.
type watch struct {
	metrics  *telemetry.Metrics
	traces   *telemetry.Traces // nil: none are wanted
	listener net.Listener      // for metrics alone; nil: the service's own
}

// open makes what the configuration asks for, naming every fault at once. What it returns is to be closed even with an error.
func (c telemetryConfig) open(ctx context.Context, out output) (*watch, error) {
	w := &watch{metrics: telemetry.NewMetrics(version)}
	var faults [2]error
	if c.MetricsListen != "" {
		var err error
		if w.listener, err = net.Listen("tcp", c.MetricsListen); err != nil {
			faults[0] = fmt.Errorf("AGENTLORE_METRICS_LISTEN: %w", err)
		}
	}
	if c.OTLPEndpoint != "" {
		var err error
		if w.traces, err = telemetry.NewTraces(ctx, c.OTLPEndpoint, version, out.log); err != nil {
			faults[1] = fmt.Errorf("OTEL_EXPORTER_OTLP_ENDPOINT: %w", err)
		}
	}
	return w, errors.Join(faults[:]...)
}

// Close stops the metrics' listener and sends the last spans.
func (w *watch) Close() {
	if w.listener != nil {
		_ = w.listener.Close()
	}
	if w.traces != nil {
		_ = w.traces.Close() // a collector that is away is no failure of the service
	}
}

// provider makes spans for the stores' clients, or is nil.
func (w *watch) provider() trace.TracerProvider {
	if w.traces == nil {
		return nil
	}
	return w.traces.Provider()
}

// show adds metrics and traces to the HTTP interface.
func (w *watch) show(config *handlers.Config) {
	if w.listener == nil {
		config.Metrics = w.metrics.Handler()
	}
	if w.traces != nil {
		config.Trace = w.traces.Middleware()
	}
}

// serve answers on the metrics' own listener, if there is one, until Close. What asks how the service is has its answer from there
// too.
func (w *watch) serve(service http.Handler) {
	if w.listener == nil {
		return
	}
	mux := http.NewServeMux()
	metrics := w.metrics.Handler()
	mux.HandleFunc("GET /metrics", func(answer http.ResponseWriter, r *http.Request) {
		answer.Header().Set("X-Content-Type-Options", "nosniff")
		metrics.ServeHTTP(answer, r)
	})
	mux.Handle("GET /health", service) // for balancers and monitors, whatever comes to the service's own address
	server := &http.Server{Handler: mux, ReadHeaderTimeout: headerTimeout, ReadTimeout: headerTimeout, WriteTimeout: writeTimeout, MaxHeaderBytes: maxHeader}
	go func() { _ = server.Serve(w.listener) }()
}

// count adds what tokens and Redis count by themselves.
func (w *watch) count(verifier *tokens.Verifier, redis *cache.Redis) {
	for by, read := range map[string]func(tokens.Stats) uint64{
		"process": func(s tokens.Stats) uint64 { return s.Process },
		"redis":   func(s tokens.Stats) uint64 { return s.Redis },
		"index":   func(s tokens.Stats) uint64 { return s.Accounts },
		"failed":  func(s tokens.Stats) uint64 { return s.Failed },
	} {
		w.metrics.Counter("agentlore_token_lookups_total", "Look-ups of tokens by what decided them: the process's memory, Redis, the index; failed: none could say.",
			map[string]string{"by": by}, func() float64 { return float64(read(verifier.Stats())) })
	}
	for name, state := range map[string]cache.State{"ok": cache.StateOK, "down": cache.StateDown, "absent": cache.StateAbsent} {
		w.metrics.Gauge("agentlore_redis_state", "1 for the state that Redis is in.",
			map[string]string{"state": name}, func() float64 { return truth(redis.State(context.Background()) == state) })
	}
	for result, read := range map[string]func(cache.Stats) uint64{
		"served":  func(s cache.Stats) uint64 { return s.Served },
		"failed":  func(s cache.Stats) uint64 { return s.Failures },
		"refused": func(s cache.Stats) uint64 { return s.Refused },
	} {
		w.metrics.Counter("agentlore_redis_calls_total", "Calls to Redis; refused: not tried, the breaker was open or there is no Redis.",
			map[string]string{"result": result}, func() float64 { return float64(read(redis.Stats())) })
	}
	w.metrics.Counter("agentlore_limits_counted_locally_total", "Rate limit decisions made in process, since Redis could not count.", nil,
		func() float64 { return float64(redis.Stats().CountedLocally) })
}

// storeLook is how old the metrics' knowledge of Elasticsearch may be, so that a scrape doesn't wait for a store that hangs.
const storeLook = 10 * time.Second

// storeStates are what the log says when Elasticsearch has come into a state.
var storeStates = map[index.Health]string{
	index.HealthOK:       "elasticsearch can be read and written",
	index.HealthReadOnly: "elasticsearch refuses writes: its indices are read-only, as a full disk makes them; writes get 503 until there is room and Elasticsearch lifts the block",
	index.HealthRed:      "elasticsearch lacks a primary shard: what needs it gets 503 until the shard is back",
	index.HealthDown:     "elasticsearch doesn't answer: everything that needs it gets 503 until it does",
}

// watchStore keeps gauges of whether Elasticsearch can be worked with, and tells the log of every change, until ctx ends.
func (w *watch) watchStore(ctx context.Context, store *store, log *slog.Logger) {
	up := w.metrics.Set("agentlore_elasticsearch_up", "1 while Elasticsearch answers and all primary shards are there, as GET /health sees it.")
	readOnly := w.metrics.Set("agentlore_elasticsearch_read_only", "1 while Elasticsearch refuses writes, as with a full disk.")
	ticker := time.NewTicker(storeLook)
	defer ticker.Stop()
	known := index.HealthOK // it has just been written to
	for {
		looking, cancel := context.WithTimeout(ctx, storeLook/2)
		health := store.client.Health(looking)
		cancel()
		up(truth(health == index.HealthOK || health == index.HealthReadOnly))
		readOnly(truth(health == index.HealthReadOnly))
		if health != known && ctx.Err() == nil {
			level := slog.LevelError
			if health == index.HealthOK {
				level = slog.LevelInfo
			}
			log.Log(ctx, level, storeStates[health], "elasticsearch", string(health), "before", string(known))
			known = health
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// truth is 1 for true.
func truth(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}
