package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"
	"time"

	"go.opentelemetry.io/otel/trace"

	"agentlore/cache"
	"agentlore/handlers"
	"agentlore/index"
	"agentlore/index/migrate"
	"agentlore/telemetry"
	"agentlore/tokens"
)

// telemetryConfig says how the service shows itself to its operator.
type telemetryConfig struct {
	MetricsListen string            `env:"AGENTLORE_METRICS_LISTEN" default:"127.0.0.1:9464" help:"Address of /metrics, which answers health and probes too; the service's own address shows no metrics. off: there are none."`
	OTLPEndpoint  string            `name:"otlp-endpoint" env:"OTEL_EXPORTER_OTLP_ENDPOINT" help:"OpenTelemetry collector that gets traces by OTLP over HTTP, like http://127.0.0.1:4318; empty: none."`
	OTLPHeaders   map[string]string `name:"otlp-headers" env:"OTEL_EXPORTER_OTLP_HEADERS" mapsep:"," help:"Headers that the collector wants, as in api-key=secret." placeholder:"NAME=VALUE"`
}

// watch is what shows a running service to its operator.
type watch struct {
	metrics  *telemetry.Metrics
	traces   *telemetry.Traces // nil: none are wanted
	listener net.Listener      // for metrics alone; nil: they are off
}

// defaultMetrics is the address of metrics where none is configured.
const defaultMetrics = "127.0.0.1:9464"

// open makes what the configuration asks for, naming every fault at once. What it returns is to be closed even with an error.
func (c telemetryConfig) open(ctx context.Context, out output) (w *watch, err error) {
	w = &watch{metrics: telemetry.NewMetrics(version)}
	var faults [2]error
	if c.MetricsListen != "" && c.MetricsListen != "off" {
		w.listener, err = net.Listen("tcp", c.MetricsListen)
		switch {
		case err == nil:
		case errors.Is(err, syscall.EADDRINUSE) && c.MetricsListen == defaultMetrics: // of a second service on a machine
			out.log.Warn("no metrics: another process has their address; set AGENTLORE_METRICS_LISTEN", "address", defaultMetrics)
		default:
			faults[0] = fmt.Errorf("AGENTLORE_METRICS_LISTEN: %w", err)
		}
	}
	if c.OTLPEndpoint != "" {
		if faults[1] = checkURL("OTEL_EXPORTER_OTLP_ENDPOINT", c.OTLPEndpoint, "http://127.0.0.1:4318"); faults[1] == nil {
			w.traces, faults[1] = telemetry.NewTraces(ctx, c.OTLPEndpoint, c.OTLPHeaders, version, out.log)
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

// address returns where the metrics are, "" where they are off.
func (w *watch) address() string {
	if w.listener == nil {
		return ""
	}
	return w.listener.Addr().String()
}

// show adds traces to the HTTP interface.
func (w *watch) show(config *handlers.Config) {
	if w.traces != nil {
		config.Trace = w.traces.Middleware()
	}
}

// serve answers on the metrics' own listener, if there is one, until Close. Health and probes answer there too, for balancers and monitors,
// whatever comes to the service's own address.
func (w *watch) serve(service http.Handler) {
	if w.listener == nil {
		return
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", w.metrics.Handler())
	for _, path := range []string{"/health", livePath, readyPath} {
		mux.Handle("GET "+path, service)
	}
	server := &http.Server{Handler: mux, ReadTimeout: headerTimeout, WriteTimeout: writeTimeout, MaxHeaderBytes: maxHeader}
	go func() { _ = server.Serve(w.listener) }()
}

// count adds what tokens and Redis count by themselves.
func (w *watch) count(verifier *tokens.Verifier, redis *cache.Redis) {
	w.metrics.Read(func(add telemetry.Add) {
		looked, called, state := verifier.Stats(), redis.Stats(), redis.State(context.Background())
		for by, n := range map[string]uint64{"redis": looked.Redis, "index": looked.Accounts, "failed": looked.Failed} {
			add("agentlore_token_lookups_total", "Look-ups of tokens by what decided them: Redis, the index; failed: neither could say.",
				float64(n), "by", by)
		}
		for _, one := range []cache.State{cache.StateOK, cache.StateDown, cache.StateAbsent} {
			add("agentlore_redis_state", "1 for the state that Redis is in.", truth(state == one), "state", string(one))
		}
		for result, n := range map[string]uint64{"served": called.Served, "failed": called.Failures, "refused": called.Refused} {
			add("agentlore_redis_calls_total", "Calls to Redis; refused: not tried, the breaker was open or there is no Redis.", float64(n),
				"result", result)
		}
		add("agentlore_limits_counted_locally_total", "Rate limit decisions made in process, since Redis could not count.",
			float64(called.CountedLocally))
	})
}

// watchCurator shows which process curates and how far it is. Of several replicas only the one with the lease has numbers above 0.
func (w *watch) watchCurator(curation *backgroundCurator) {
	w.metrics.Read(func(add telemetry.Add) {
		stats, lag, curating := curation.Stats(), 0.0, curation.Curating()
		if curating {
			lag = time.Since(stats.CaughtUpAt).Seconds()
		}
		add("agentlore_curator_lease", "1 while this process holds the curator's lease; over all processes the sum is 1.", truth(curating))
		add("agentlore_curator_lag_seconds",
			"Age of the oldest report that the curator may not have looked at yet: rises while a pass goes on or fails.", lag)
		add("agentlore_curator_waiting_reports", "Reports that are not compared yet.", float64(stats.Waiting))
		add("agentlore_curator_set_aside_items", "Items that curation leaves out because the store refused them or judging them failed.",
			float64(stats.SetAside))
		add("agentlore_curator_pass_seconds", "How long the last completed pass took.", stats.LastPass.Seconds())
		add("agentlore_curator_passes_total", "Passes that were completed by this process since it has the lease.", float64(stats.Passes))
		add("agentlore_curator_failures_total", "Passes that stopped at an error, and leases that were lost; curation goes on where it stopped.",
			float64(curation.failures.Load()))
		add("agentlore_curator_reports_total", "Reports that were compared.", float64(stats.Reports))
		add("agentlore_curator_items_changed_total", "Submissions, patterns, units and flags that were written.", float64(stats.Written))
		add("agentlore_curator_pairs_compared_total", "Pairs of reports that were compared.", float64(stats.Comparisons))
	})
}

// healthInterval is how old the metrics' knowledge of Elasticsearch may be, so that a scrape doesn't wait for a store that hangs.
const healthInterval = 10 * time.Second

// storeStates are what the log says when Elasticsearch has come into a state.
var storeStates = map[index.Health]string{
	index.HealthOK: "elasticsearch can be read and written",
	index.HealthReadOnly: "elasticsearch refuses writes: its indices are read-only, as a full disk makes them; writes get 503 until " +
		"there is room and Elasticsearch lifts the block",
	index.HealthRed:  "elasticsearch lacks a primary shard: what needs it gets 503 until the shard is back",
	index.HealthDown: "elasticsearch doesn't answer: everything that needs it gets 503 until it does",
}

// watchStore keeps metrics of whether Elasticsearch can be worked with and how old its backup is, and logs every change of the former,
// until ctx ends.
func (w *watch) watchStore(ctx context.Context, store *store, log *slog.Logger) {
	var known atomic.Value
	known.Store(index.HealthOK)          // it has just been written to
	var backup atomic.Pointer[time.Time] // nil: none is known
	w.metrics.Read(func(add telemetry.Add) {
		readOnly := known.Load() == index.HealthReadOnly
		add("agentlore_elasticsearch_up", "1 while Elasticsearch answers and all primary shards are there, as GET /health sees it.",
			truth(readOnly || known.Load() == index.HealthOK))
		add("agentlore_elasticsearch_read_only", "1 while Elasticsearch refuses writes, as with a full disk.", truth(readOnly))
		if began := backup.Load(); began != nil {
			add("agentlore_backup_age_seconds", "Time since the newest whole backup began; absent before the first.", time.Since(*began).Seconds())
		}
	})
	for ; ctx.Err() == nil; pause(ctx, healthInterval) {
		asking, cancel := context.WithTimeout(ctx, healthInterval/2)
		health := store.client.Health(asking)
		if began, err := migrate.LastBackup(asking, store.client); err == nil {
			backup.Store(&began)
		}
		cancel()
		if before := known.Load(); health != before && ctx.Err() == nil {
			level := slog.LevelError
			if health == index.HealthOK {
				level = slog.LevelInfo
			}
			log.Log(ctx, level, storeStates[health], "elasticsearch", health, "before", before)
			known.Store(health)
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
