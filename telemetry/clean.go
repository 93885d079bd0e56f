package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// harmless are the attributes that leave the process. Each is a name or a number of ours or of a store's; none can hold what
// a client sent. An address is harmless only where we chose it: a client names the server in its Host header.
var harmless = map[attribute.Key]bool{
	"http.request.method": true, "http.route": true, "http.response.status_code": true, "url.scheme": true,
	"network.protocol.version": true, "error.type": true, requestID: true,
	"db.system": true, "db.system.name": true, "db.operation": true, "db.operation.name": true, "db.namespace": true,
	"db.elasticsearch.path_parts.index": true, "db.redis.num_cmd": true,
}

// clean exports spans without anything that may hold a client's text. What the instrumentation libraries collect changes
// with their versions, so this is a list of what may pass, not of what may not.
type clean struct{ sdk.SpanExporter }

// ExportSpans exports the cleaned spans.
func (c clean) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	kept := make([]sdk.ReadOnlySpan, 0, len(spans))
	for _, span := range spans {
		if !isNoise(span) {
			kept = append(kept, cleanSpan{span})
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return c.SpanExporter.ExportSpans(ctx, kept)
}

// isNoise reports whether a span is a store's heartbeat: a call that belongs to no request. The bulk requests that
// concurrent submits share belong to several, and stay.
func isNoise(span sdk.ReadOnlySpan) bool {
	return span.SpanKind() == trace.SpanKindClient && !span.Parent().IsValid() && span.Name() != "bulk"
}

// cleanSpan is a span without what isn't harmless.
type cleanSpan struct{ sdk.ReadOnlySpan }

// Attributes returns the harmless ones.
func (s cleanSpan) Attributes() []attribute.KeyValue {
	var kept []attribute.KeyValue
	for _, pair := range s.ReadOnlySpan.Attributes() {
		ours := s.SpanKind() == trace.SpanKindClient && (pair.Key == "server.address" || pair.Key == "server.port")
		if harmless[pair.Key] || ours {
			kept = append(kept, pair)
		}
	}
	return kept
}

// Events returns none: they hold the texts of errors.
func (s cleanSpan) Events() []sdk.Event { return nil }

// Links returns none.
func (s cleanSpan) Links() []sdk.Link { return nil }

// Status returns the code without its text.
func (s cleanSpan) Status() sdk.Status { return sdk.Status{Code: s.ReadOnlySpan.Status().Code} }

// SpanContext returns the span's without tracestate, which a client fills.
func (s cleanSpan) SpanContext() trace.SpanContext {
	return s.ReadOnlySpan.SpanContext().WithTraceState(trace.TraceState{})
}

// Parent returns the parent's without tracestate.
func (s cleanSpan) Parent() trace.SpanContext {
	return s.ReadOnlySpan.Parent().WithTraceState(trace.TraceState{})
}
