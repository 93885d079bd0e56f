// Package telemetry is what an operator sees of a running service from outside: Prometheus metrics and OpenTelemetry traces.
//
// Nothing that a client sent gets into either. A metric's labels take values from fixed lists: the patterns of routes,
// problem codes, kinds of secrets. Of a trace only the attributes of one list are sent; the paths, queries, header values and error
// texts that instrumentation libraries collect are left behind.
package telemetry

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Service is the name under which traces arrive, unless OTEL_SERVICE_NAME gives another.
const Service = "agentlore"

// Traces sends spans to an OpenTelemetry collector.
type Traces struct{ provider *sdk.TracerProvider }

// NewTraces returns traces that go to a collector's OTLP endpoint over HTTP, with these headers, in batches that wait in a bounded queue:
// a collector that is away costs spans, never requests. The SDK's own variables (OTEL_TRACES_SAMPLER and so on) hold too. Version is
// the program's.
func NewTraces(ctx context.Context, endpoint string, headers map[string]string, version string, log *slog.Logger) (*Traces, error) {
	described, err := resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", Service), attribute.String("service.version", version)), resource.WithFromEnv())
	if err != nil {
		return nil, err
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) { log.Warn("traces could not be sent") })) // the text may quote what was sent
	return &Traces{sdk.NewTracerProvider(sdk.WithBatcher(newExporter(endpoint, headers)), sdk.WithResource(described))}, nil
}

// Provider is what Elasticsearch's and Redis's clients make their spans with.
func (t *Traces) Provider() trace.TracerProvider { return t.provider }

// requestID is the attribute that ties a trace to a line in the log.
const requestID = "agentlore.request_id"

// Middleware makes a span of each request; what it calls becomes spans below that. A client's traceparent is continued.
func (t *Traces) Middleware() gin.HandlerFunc {
	tracer := t.provider.Tracer("agentlore/telemetry")
	return func(c *gin.Context) {
		route := cmp.Or(c.FullPath(), "unmatched") // without the method: a client may send any word
		ctx := propagation.TraceContext{}.Extract(c.Request.Context(), propagation.HeaderCarrier(c.Request.Header))
		ctx, span := tracer.Start(ctx, route, trace.WithSpanKind(trace.SpanKindServer))
		defer span.End()
		c.Request = c.Request.WithContext(ctx)
		c.Next()
		status := c.Writer.Status()
		if status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, "")
		}
		span.SetAttributes(attribute.String("http.route", route), attribute.Int("http.response.status_code", status),
			attribute.String(requestID, c.Writer.Header().Get("X-Request-ID")))
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
