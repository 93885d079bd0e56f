package telemetry

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	commonpb "go.opentelemetry.io/proto/slim/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/slim/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// harmless are the attributes that leave the process. Each is a name or a number of ours or of a store's; none can hold what a client
// sent. What the instrumentation libraries collect changes with their versions, so this is a list of what may pass, not of what may not.
var harmless = map[attribute.Key]bool{
	"http.route": true, "http.response.status_code": true, "error.type": true, requestID: true,
	"db.system": true, "db.system.name": true, "db.operation": true, "db.operation.name": true, "db.namespace": true,
	"db.elasticsearch.path_parts.index": true, "db.redis.num_cmd": true,
}

// harmlessOfClient are further ones of spans of a store's client: an address is harmless only where we chose it.
var harmlessOfClient = map[attribute.Key]bool{"server.address": true, "server.port": true}

// exporter sends spans by OTLP over HTTP. It writes no events, links, texts of errors and tracestate, which may hold text of a client.
// The SDK's own exporter would bring gRPC along, which is a tenth of the packages of the whole program.
type exporter struct {
	endpoint string
	headers  map[string]string
	client   http.Client
}

// exportTimeout bounds one request to the collector.
const exportTimeout = 10 * time.Second

func newExporter(endpoint string, headers map[string]string) *exporter {
	return &exporter{endpoint: strings.TrimRight(endpoint, "/") + "/v1/traces", headers: headers, client: http.Client{Timeout: exportTimeout}}
}

// ExportSpans sends spans.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	sent := &tracepb.ScopeSpans{Scope: &commonpb.InstrumentationScope{Name: Service}}
	for _, span := range spans {
		if !isHeartbeat(span) {
			sent.Spans = append(sent.Spans, spanOf(span))
		}
	}
	if len(sent.Spans) == 0 {
		return nil
	}
	described := &resourcepb.Resource{Attributes: attributesOf(spans[0].Resource().Attributes())}
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{
		{Resource: described, ScopeSpans: []*tracepb.ScopeSpans{sent}},
	}})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.endpoint, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	for name, value := range e.headers {
		request.Header.Set(name, value)
	}
	response, err := e.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("the collector answered %d", response.StatusCode)
	}
	return nil
}

// Shutdown does nothing: what was given to ExportSpans is sent.
func (e *exporter) Shutdown(context.Context) error { return nil }

// isHeartbeat reports whether a span is a store's heartbeat: a call that belongs to no request. The bulk requests that concurrent
// submits share belong to several, and stay.
func isHeartbeat(span sdk.ReadOnlySpan) bool {
	return span.SpanKind() == trace.SpanKindClient && !span.Parent().IsValid() && span.Name() != "bulk"
}

// spanOf returns what is sent of a span.
func spanOf(span sdk.ReadOnlySpan) *tracepb.Span {
	traceID, id, parent := span.SpanContext().TraceID(), span.SpanContext().SpanID(), span.Parent().SpanID()
	sent := &tracepb.Span{
		TraceId: traceID[:], SpanId: id[:], Name: span.Name(), Kind: tracepb.Span_SpanKind(span.SpanKind()),
		StartTimeUnixNano: uint64(span.StartTime().UnixNano()), EndTimeUnixNano: uint64(span.EndTime().UnixNano()), Status: &tracepb.Status{},
	}
	if parent.IsValid() {
		sent.ParentSpanId = parent[:]
	}
	if span.Status().Code == codes.Error {
		sent.Status.Code = tracepb.Status_STATUS_CODE_ERROR
	}
	var kept []attribute.KeyValue
	for _, pair := range span.Attributes() {
		if harmless[pair.Key] || span.SpanKind() == trace.SpanKindClient && harmlessOfClient[pair.Key] {
			kept = append(kept, pair)
		}
	}
	sent.Attributes = attributesOf(kept)
	return sent
}

// attributesOf returns attributes in their OTLP form. Ours are texts and whole numbers.
func attributesOf(pairs []attribute.KeyValue) (attributes []*commonpb.KeyValue) {
	for _, pair := range pairs {
		value := &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: pair.Value.String()}}
		if pair.Value.Type() == attribute.INT64 {
			value.Value = &commonpb.AnyValue_IntValue{IntValue: pair.Value.AsInt64()}
		}
		attributes = append(attributes, &commonpb.KeyValue{Key: string(pair.Key), Value: value})
	}
	return attributes
}
