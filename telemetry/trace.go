package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"go.opentelemetry.io/contrib/instrumentation/github.com/gin-gonic/gin/otelgin"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Service is the name under which traces arrive, unless OTEL_SERVICE_NAME gives another.
const Service = "agentlore"

// requestID is the attribute that ties a trace to a line in the log.
const requestID = "agentlore.request_id"

// Traces sends spans to an OpenTelemetry collector.
type Traces struct{ provider *sdk.TracerProvider }

// CheckEndpoint returns what is wrong with a collector's address, or nil. It doesn't connect.
func CheckEndpoint(endpoint string) error {
	parsed, err := url.Parse(endpoint)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return errors.New("must be like http://127.0.0.1:4318") // not quoted: it may hold a password
	}
	return nil
}

// NewTraces returns traces that go to a collector's OTLP endpoint over HTTP, in batches that wait in a bounded queue: a
// collector that is away costs spans, never requests. The SDK's own variables (OTEL_TRACES_SAMPLER,
// OTEL_EXPORTER_OTLP_HEADERS and so on) hold too. Version is the program's.
func NewTraces(ctx context.Context, endpoint, version string, log *slog.Logger) (*Traces, error) {
	if err := CheckEndpoint(endpoint); err != nil {
		return nil, err
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(strings.TrimRight(endpoint, "/")+"/v1/traces"))
	if err != nil {
		return nil, err
	}
	described, err := resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", Service), attribute.String("service.version", version)), resource.WithFromEnv())
	if err != nil {
		return nil, err
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) { log.Warn("traces could not be sent") })) // the text may quote what was sent
	return &Traces{sdk.NewTracerProvider(sdk.WithBatcher(clean{exporter}), sdk.WithResource(described))}, nil
}

// Provider is what Elasticsearch's and Redis's clients make their spans with.
func (t *Traces) Provider() trace.TracerProvider { return t.provider }

// Middleware makes a span of each request; what it calls becomes spans below that. A client's traceparent is continued.
func (t *Traces) Middleware() []gin.HandlerFunc {
	named := func(c *gin.Context) string {
		if c.FullPath() == "" {
			return "unmatched"
		}
		return c.FullPath() // not the method: a client may send any word
	}
	return []gin.HandlerFunc{
		otelgin.Middleware(Service, otelgin.WithTracerProvider(t.provider), otelgin.WithPropagators(propagation.TraceContext{}),
			otelgin.WithMeterProvider(noop.NewMeterProvider()), otelgin.WithSpanNameFormatter(named)),
		func(c *gin.Context) {
			span := trace.SpanFromContext(c.Request.Context())
			c.Next()
			span.SetAttributes(attribute.String(requestID, c.Writer.Header().Get("X-Request-ID")))
		},
	}
}

// closeTimeout bounds how long an end of the service waits for its last spans to be sent.
const closeTimeout = 3 * time.Second

// Close sends what waits.
func (t *Traces) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	return t.provider.Shutdown(ctx)
}
