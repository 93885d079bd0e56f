package telemetry

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/gin-gonic/gin"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// collector is an OTLP endpoint that keeps the bytes it gets; protobuf holds strings as they are.
type collector struct {
	*httptest.Server
	mu           sync.Mutex
	got          strings.Builder
	path, tenant string
}

func newCollector(t *testing.T) *collector {
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.got.Write(body)
		c.path, c.tenant = r.URL.Path, r.Header.Get("X-Tenant")
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(c.Close)
	return c
}

// Whatever the instrumentation libraries collect of a request, what a client sent stays in the process.
func TestTracesHoldNothingThatAClientSent(t *testing.T) {
	c := newCollector(t)
	traces, err := NewTraces(t.Context(), c.URL+"/", map[string]string{"X-Tenant": "one"}, "1.2.3", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	gin.SetMode(gin.ReleaseMode)
	router := gin.New()
	router.Use(traces.Middleware())
	router.GET("/things/:id", func(c *gin.Context) {
		c.Header("X-Request-ID", "request-77")
		_, store := traces.Provider().Tracer("store").Start(c.Request.Context(), "search", trace.WithSpanKind(trace.SpanKindClient))
		store.SetAttributes(attribute.String("db.operation", "search"), attribute.String("db.statement", "canary-statement"),
			attribute.String("url.full", "http://x/canary-url"), attribute.String("db.elasticsearch.path_parts.id", "canary-id"),
			attribute.String("server.address", "store.internal"))
		store.SetStatus(codes.Error, "canary-status")
		store.RecordError(io.ErrUnexpectedEOF)
		store.AddEvent("canary-event")
		store.End()
		c.Status(http.StatusTeapot)
	})
	for _, path := range []string{"/things/canary-path?q=canary-query", "/canary-unknown"} {
		request := httptest.NewRequest("GET", path, strings.NewReader("canary-body"))
		request.Host = "canary-host"
		request.Header.Set("User-Agent", "canary-agent")
		request.Header.Set("X-Forwarded-For", "canary-forwarded")
		request.Header.Set("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
		request.Header.Set("tracestate", "vendor=canary-state")
		router.ServeHTTP(httptest.NewRecorder(), request)
	}
	odd := httptest.NewRequest("CANARY", "/things/1", nil)
	router.ServeHTTP(httptest.NewRecorder(), odd)
	// A heartbeat that belongs to no request.
	_, beat := traces.Provider().Tracer("store").Start(t.Context(), "ping-heartbeat", trace.WithSpanKind(trace.SpanKindClient))
	beat.End()
	if err := traces.Close(); err != nil {
		t.Fatal(err)
	}
	got := c.got.String()
	if c.path != "/v1/traces" || c.tenant != "one" {
		t.Errorf("sent to %q for tenant %q, want /v1/traces and one", c.path, c.tenant)
	}
	for _, wanted := range []string{"/things/:id", "request-77", "search", "agentlore", "1.2.3", "store.internal", "unmatched"} {
		if !strings.Contains(got, wanted) {
			t.Errorf("the collector didn't get %q", wanted)
		}
	}
	for _, unwanted := range []string{"canary", "CANARY", "unexpected EOF", "ping-heartbeat"} {
		if strings.Contains(got, unwanted) {
			t.Errorf("the collector got %q", unwanted)
		}
	}
}
