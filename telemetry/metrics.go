package telemetry

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
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
	bulkSize  prometheus.Histogram
	bulkTime  prometheus.Histogram
	bulkWait  prometheus.Histogram
}

// NewMetrics returns metrics with those of the Go runtime and the process. Version is the program's, as `agentlore version`
// prints it.
func NewMetrics(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "agentlore_requests_total", Help: "Requests answered; code is the problem's, empty for none.",
		}, []string{"method", "route", "status", "code"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "agentlore_request_duration_seconds", Help: "Time from a request's headers to the end of its answer.", Buckets: latencies,
		}, []string{"method", "route"}),
		running: prometheus.NewGauge(prometheus.GaugeOpts{Name: "agentlore_requests_in_flight", Help: "Requests under way."}),
		shed: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "agentlore_requests_shed_total", Help: "Requests refused with 503 because the service was full, by why.",
		}, []string{"reason"}),
		searches: prometheus.NewCounter(prometheus.CounterOpts{Name: "agentlore_searches_total", Help: "Searches answered."}),
		layers: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "agentlore_search_layers_total", Help: "Searches in whose results a layer found something; none: there were no results.",
		}, []string{"layer"}),
		scrubbed: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "agentlore_scrubbed_total", Help: "Secrets and personal data removed before storage, by kind.",
		}, []string{"kind"}),
		bulkSize: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "agentlore_bulk_documents", Help: "Documents that shared a bulk request.", Buckets: []float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048},
		}),
		bulkTime: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "agentlore_bulk_duration_seconds", Help: "Time of a bulk request.", Buckets: latencies,
		}),
		bulkWait: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "agentlore_bulk_wait_seconds", Help: "Time from giving a document to the bulk writer to its acknowledgement.", Buckets: latencies,
		}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "agentlore_build_info", Help: "1; the label says which version runs.", ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	m.registry.MustRegister(m.requests, m.durations, m.running, m.shed, m.searches, m.layers, m.scrubbed, m.bulkSize, m.bulkTime,
		m.bulkWait, build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Handler answers with the metrics in Prometheus's text form.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: 10 * time.Second})
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

// Shed counts a request that was refused because the service was full. Reason names what was: a class of requests, bodies.
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

// Bulk counts a bulk request of so many documents.
func (m *Metrics) Bulk(documents int, took time.Duration) {
	m.bulkSize.Observe(float64(documents))
	m.bulkTime.Observe(took.Seconds())
}

// BulkWait counts how long one document took to be acknowledged.
func (m *Metrics) BulkWait(took time.Duration) { m.bulkWait.Observe(took.Seconds()) }

// Counter adds a counter that is read when Prometheus asks. Labels are fixed; one name may be added with several sets of them.
func (m *Metrics) Counter(name, help string, labels map[string]string, read func() float64) {
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels}, read))
}

// Gauge adds a gauge that is read when Prometheus asks.
func (m *Metrics) Gauge(name, help string, labels map[string]string, read func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, read))
}

// Set adds a gauge and returns what sets it.
func (m *Metrics) Set(name, help string) func(float64) {
	gauge := prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	m.registry.MustRegister(gauge)
	return gauge.Set
}
