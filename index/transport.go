package index

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/elastic/elastic-transport-go/v8/elastictransport"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// errNotElasticsearch is the error of an answer that another server gave, such as a proxy's login page.
var errNotElasticsearch = errors.New("the server that answers is not Elasticsearch")

const (
	// writeBlock is how Elasticsearch words the block that a migration sets for its last moment. Other blocks have other
	// numbers: 12 is a full disk's, which a wait won't mend.
	writeBlock = "FORBIDDEN/8/"
	// retryPause is how long a write waits that met a migration's write block. A block is meant to last well under a second.
	retryPause = 50 * time.Millisecond
	// retryAtMost is how long a write waits in all. It leaves a request time to answer that the store is unavailable.
	retryAtMost = 20 * time.Second
)

// newTransport returns what sends requests: to each address in turn, again after gateway errors and failed connections, with the
// credentials of the configuration or of the address.
func newTransport(cfg Config) (*elastictransport.Client, error) {
	var urls []*url.URL
	for _, address := range cfg.Addresses {
		parsed, err := url.Parse(strings.TrimRight(address, "/"))
		if err != nil {
			return nil, errors.New("an address of Elasticsearch isn't a URL") // it may hold a password
		}
		urls = append(urls, parsed)
	}
	connections := &http.Transport{
		DialContext:           (&net.Dialer{Timeout: 2 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		MaxIdleConns:          256,
		MaxConnsPerHost:       256, // beyond it requests wait for a connection, until their deadlines
		MaxIdleConnsPerHost:   128, // group commit and searches run side by side; Go's default of 2 would reconnect all the time
		IdleConnTimeout:       90 * time.Second,
		DisableCompression:    true, // the store is near: packing an answer and unpacking it takes longer than sending it
		ResponseHeaderTimeout: cfg.Timeout,
		TLSHandshakeTimeout:   5 * time.Second,
	}
	if len(cfg.CACert) > 0 {
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(cfg.CACert)
		connections.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	transport := watched{RoundTripper: connections, observer: cfg.Observer}
	if cfg.Traces != nil {
		transport.tracer = cfg.Traces.Tracer("agentlore/index")
	}
	options := []elastictransport.Option{
		elastictransport.WithURLs(urls...), elastictransport.WithTransport(retrying{transport}), elastictransport.WithUserAgent("agentlore"),
		elastictransport.WithRetry(2, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout),
		elastictransport.WithRetryBackoff(func(attempt int) time.Duration { return time.Duration(attempt) * 50 * time.Millisecond }),
	}
	if cfg.APIKey != "" {
		options = append(options, elastictransport.WithAPIKey(cfg.APIKey))
	} else if cfg.Username != "" {
		options = append(options, elastictransport.WithBasicAuth(cfg.Username, cfg.Password))
	}
	return elastictransport.NewClient(options...)
}

// watched is an http.RoundTripper that tells its observer the time of each request, and makes a span of it, both by the name of its API:
// of a path it tells nothing else.
type watched struct {
	http.RoundTripper
	observer Observer     // nil: nobody hears
	tracer   trace.Tracer // nil: no spans are wanted
}

// RoundTrip sends the request.
func (w watched) RoundTrip(request *http.Request) (*http.Response, error) {
	name := "info"
	for part := range strings.SplitSeq(request.URL.Path, "/") {
		if api, is := strings.CutPrefix(part, "_"); is {
			name = api
			break
		}
	}
	if started := time.Now(); w.observer != nil {
		defer func() { w.observer.Call(name, time.Since(started)) }()
	}
	if w.tracer == nil {
		return w.RoundTripper.RoundTrip(request)
	}
	ctx, span := w.tracer.Start(request.Context(), name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("db.system", "elasticsearch"), attribute.String("db.operation", name), attribute.String("server.address", request.URL.Host)))
	defer span.End()
	response, err := w.RoundTripper.RoundTrip(request.WithContext(ctx))
	if err != nil {
		span.SetStatus(codes.Error, "") // without its text, which may hold a client's words
	}
	return response, err
}

// retrying is an http.RoundTripper that knows what passes by itself. A write that meets a migration's write block is sent again
// until the block is lifted: the alias then leads to the new index. A search that met a shard on its way to another node
// gets status 503, and the client sends it to the next node.
type retrying struct{ http.RoundTripper }

// RoundTrip sends the request. The client gives every request with a body a GetBody.
func (r retrying) RoundTrip(request *http.Request) (*http.Response, error) {
	for until := time.Now().Add(retryAtMost); ; {
		response, err := r.RoundTripper.RoundTrip(request)
		if err != nil {
			return nil, err
		}
		switch response.StatusCode {
		case http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound:
		default:
			if response.StatusCode < 300 && response.Header.Get("X-Elastic-Product") != "Elasticsearch" {
				_ = response.Body.Close()
				return nil, errNotElasticsearch
			}
			return response, nil
		}
		text, err := io.ReadAll(io.LimitReader(response.Body, maxErrorAnswer))
		_ = response.Body.Close()
		if err != nil {
			return nil, err
		}
		response.Body = io.NopCloser(bytes.NewReader(text))
		switch failed := readFailure(text); {
		case failed.isWriteBlock() && pause(request.Context(), until):
			request = request.Clone(request.Context())
			if request.GetBody != nil {
				if request.Body, err = request.GetBody(); err != nil {
					return nil, fmt.Errorf("send again: %w", err)
				}
			}
			continue
		case failed.isRelocatedShard():
			response.StatusCode, response.Status = http.StatusServiceUnavailable, ""
		}
		return response, nil
	}
}

// retryWriteBlock runs a write again that met a migration's write block. It is for bulk requests, whose refusals are inside an
// answer of 200.
func retryWriteBlock(ctx context.Context, write func() error) error {
	for until := time.Now().Add(retryAtMost); ; {
		if err := write(); !errors.Is(err, errWriteBlock) || !pause(ctx, until) {
			return err
		}
	}
}

// pause waits a little and reports whether it is worth another try.
func pause(ctx context.Context, until time.Time) bool {
	if time.Now().After(until) {
		return false
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(retryPause):
		return true
	}
}
