package telemetry

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// latencies are the bounds of histograms of time, in seconds: fine around the design's goals (a search's p50 of 8 ms, a
// submit's p99 of 150 ms), coarse up to the deadline of a request (30 s).
var latencies = []float64{.001, .002, .004, .008, .015, .025, .04, .075, .15, .3, .6, 1, 2, 5, 10, 30}

// Metrics counts what the service does, for Prometheus. It is safe for concurrent use. Create it with NewMetrics.
type Metrics struct {
	registry *prometheus.Registry

	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
	running   prometheus.Gauge
	shed      *prometheus.CounterVec
	searches  prometheus.Counter
	layers    *prometheus.CounterVec
	scrubbed  *prometheus.CounterVec
	unclean   prometheus.Counter
	calls     *prometheus.HistogramVec
	bulkSize  prometheus.Histogram
	bulkWait  prometheus.Histogram
}

// NewMetrics returns metrics with those of the Go runtime and the process. Version is the program's, as `agentlore version`
// prints it.
func NewMetrics(version string) *Metrics {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	factory := promauto.With(registry)
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return factory.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		return factory.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
	}
	shed := counter("agentlore_requests_shed_total", "Requests refused with 503 because the service was full, by why.", "reason")
	for _, reason := range []string{"reads", "writes", "memory", "streams", "connections"} {
		shed.WithLabelValues(reason) // at 0: of a series that begins at 1, Prometheus sees no increase
	}
	factory.NewGauge(prometheus.GaugeOpts{
		Name: "agentlore_build_info", Help: "1; the label says which version runs.", ConstLabels: prometheus.Labels{"version": version},
	}).Set(1)
	return &Metrics{
		registry: registry,
		requests: counter("agentlore_requests_total", "Requests answered; code is the problem's, empty for none.",
			"method", "route", "status", "code"),
		durations: histogram("agentlore_request_duration_seconds", "Time from a request's headers to the end of its answer.", latencies,
			"method", "route"),
		running:  factory.NewGauge(prometheus.GaugeOpts{Name: "agentlore_requests_in_flight", Help: "Requests under way."}),
		shed:     shed,
		searches: factory.NewCounter(prometheus.CounterOpts{Name: "agentlore_searches_total", Help: "Searches answered."}),
		layers: counter("agentlore_search_layers_total", "Searches in whose results a layer found something; none: there were no results.",
			"layer"),
		scrubbed: counter("agentlore_scrubbed_total", "Secrets and personal data removed before storage, by kind.", "kind"),
		unclean: factory.NewCounter(prometheus.CounterOpts{
			Name: "agentlore_scrub_failures_total", Help: "Texts that could not be scrubbed, of which nothing is stored.",
		}),
		calls: histogram("agentlore_elasticsearch_call_duration_seconds", "Time from a call to Elasticsearch to its answer or failure, by API.",
			latencies, "operation"),
		bulkSize: histogram("agentlore_bulk_documents", "Documents that shared a bulk request.",
			prometheus.ExponentialBuckets(1, 2, 12)).WithLabelValues().(prometheus.Histogram),
		bulkWait: histogram("agentlore_bulk_wait_seconds", "Time from giving a document to the bulk writer to its acknowledgement.",
			latencies).WithLabelValues().(prometheus.Histogram),
	}
}

// Handler answers with the metrics in Prometheus's text form.
func (m *Metrics) Handler() http.Handler {
	handler := promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: 10 * time.Second})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		handler.ServeHTTP(w, r)
	})
}

// Started counts a request as under way until the returned function is called.
func (m *Metrics) Started() (ended func()) {
	m.running.Inc()
	return m.running.Dec
}

// Request counts an answer. Method, route and code must come from fixed lists: route is a route's pattern.
func (m *Metrics) Request(method, route string, status int, code string, took time.Duration) {
	m.requests.WithLabelValues(method, route, strconv.Itoa(status), code).Inc()
	m.durations.WithLabelValues(method, route).Observe(took.Seconds())
}

// Shed counts a request that was refused because the service was full. Reason names what was: a class of requests, memory, streams.
func (m *Metrics) Shed(reason string) { m.shed.WithLabelValues(reason).Inc() }

// Searched counts a search by the layers that found something in its results, each once.
func (m *Metrics) Searched(layers []string) {
	m.searches.Inc()
	if len(layers) == 0 {
		m.layers.WithLabelValues("none").Inc()
	}
	for _, layer := range layers {
		m.layers.WithLabelValues(layer).Inc()
	}
}

// Scrubbed counts what the scrubber removed from one request, by kind.
func (m *Metrics) Scrubbed(counts map[string]int) {
	for kind, count := range counts {
		m.scrubbed.WithLabelValues(kind).Add(float64(count))
	}
}

// ScrubFailed counts a text that could not be scrubbed.
func (m *Metrics) ScrubFailed() { m.unclean.Inc() }

// Queue shows how full a queue is: load is how many requests work and wait, bounds how many may.
func (m *Metrics) Queue(class string, load, bounds func() (working, waiting int)) {
	m.Read(func(add Add) {
		working, waiting := load()
		limit, room := bounds()
		add("agentlore_queue_working", "Requests that are worked on.", float64(working), "class", class)
		add("agentlore_queue_waiting", "Requests that wait for their turn.", float64(waiting), "class", class)
		add("agentlore_queue_limit", "Requests that may be worked on now; a slow store lowers it.", float64(limit), "class", class)
		add("agentlore_queue_room", "Requests that may wait; further ones are refused.", float64(room), "class", class)
	})
}

// Call counts a call to Elasticsearch; operation comes from the fixed list of its APIs.
func (m *Metrics) Call(operation string, took time.Duration) {
	m.calls.WithLabelValues(operation).Observe(took.Seconds())
}

// Bulk counts a bulk request of so many documents.
func (m *Metrics) Bulk(documents int) { m.bulkSize.Observe(float64(documents)) }

// BulkWait counts how long one document took to be acknowledged.
func (m *Metrics) BulkWait(took time.Duration) { m.bulkWait.Observe(took.Seconds()) }

// Add adds a metric to an answer. Its name ends in _total if it is a counter, else it is a gauge. Labels are pairs of a name and a value,
// from fixed lists.
type Add func(name, help string, value float64, labels ...string)

// Read has read called whenever Prometheus asks; it adds what others count by themselves, always the same metrics.
func (m *Metrics) Read(read func(add Add)) { m.registry.MustRegister(reader(read)) }

// reader is a collector that has its metrics read when it is asked.
type reader func(add Add)

// Describe sends nothing: an unchecked collector is described by what Collect sends.
func (r reader) Describe(chan<- *prometheus.Desc) {}

// Collect reads the metrics.
func (r reader) Collect(metrics chan<- prometheus.Metric) {
	r(func(name, help string, value float64, labels ...string) {
		kind, fixed := prometheus.GaugeValue, prometheus.Labels{}
		if strings.HasSuffix(name, "_total") {
			kind = prometheus.CounterValue
		}
		for i := 0; i < len(labels); i += 2 {
			fixed[labels[i]] = labels[i+1]
		}
		metrics <- prometheus.MustNewConstMetric(prometheus.NewDesc(name, help, nil, fixed), kind, value)
	})
}
