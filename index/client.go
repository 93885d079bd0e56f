// Package index is the only one that knows Elasticsearch. It keeps every collection there and nowhere else.
//
// Files: client and errors (one helper checks every answer, since esapi reports no error on 4xx and 5xx), migrate
// (indices and aliases), bulk (group-committed writes), one file a collection, query (pure functions that build query
// bodies). Package index/search searches, index/curation is what the curator and operators read and write.
//
// Every method returns a *lore.Problem for what a caller should be told (not_found, store_unavailable and so on) and any
// other error for what is our own fault. A store that can't answer is always store_unavailable, never an empty answer.
package index

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"
	"github.com/go-json-experiment/json"
	"go.opentelemetry.io/otel/trace"

	"agentlore/lore"
	"agentlore/mappings"
)

// Config says where Elasticsearch is and what the indices are called.
type Config struct {
	Addresses []string // one or more base URLs; requests go round and move on from a node that fails
	Username  string
	Password  string
	APIKey    string // instead of user name and password
	CACert    []byte // PEM; for clusters whose certificate no public authority signed
	// Prefix begins every index name: letters, digits and _ only, so that "a-*" never opens another tenant's indices.
	Prefix   string
	Shards   Shards // primary shards of a new index; one where it doesn't say
	Replicas string // a number, or "auto": one where there is a second node, else none
	// Dimensions is the size of the vectors that items may have; 0: mappings.Dimensions.
	Dimensions int
	Timeout    time.Duration // the longest that one call may take
	Log        *slog.Logger
	Observer   Observer             // hears of calls; nil: nobody does
	Meter      Meter                // hears what a request reads; nil: nobody does
	Traces     trace.TracerProvider // makes a span of each call; nil: none are made
}

// Client is a connection to one prefix's indices. It is safe for concurrent use.
type Client struct {
	Config
	es     esapi.Transport
	crowds crowds
}

var prefixPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9_]{0,62}$`)

// Check returns every fault of the configuration at once, or nil.
func (c Config) Check() error {
	var faults []error
	if !prefixPattern.MatchString(c.Prefix) {
		faults = append(faults, errors.New("index prefix must be 1 to 63 lowercase letters, digits or _, and begin with a letter or digit"))
	}
	if len(c.CACert) > 0 && !x509.NewCertPool().AppendCertsFromPEM(c.CACert) {
		faults = append(faults, errors.New("the CA certificate for Elasticsearch holds no PEM certificate"))
	}
	return errors.Join(faults...)
}

// Open returns a client. It doesn't connect: WaitReady does. It fails on a configuration that can't work.
func Open(cfg Config) (*Client, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	es, err := newTransport(cfg)
	if err != nil {
		return nil, fmt.Errorf("elasticsearch client: %w", err)
	}
	cfg.Dimensions = cmp.Or(cfg.Dimensions, mappings.Dimensions)
	cfg.Username, cfg.Password, cfg.APIKey = "", "", "" // the transport alone keeps them
	return &Client{Config: cfg, es: es}, nil
}

// Alias returns the name that reads and writes of a collection go to.
func (c *Client) Alias(collection string) string { return c.Prefix + "-" + collection }

// noCollection has no index: reads find nothing there, and writes fail, since they ask for an alias.
const noCollection = "no-such-collection"

// AliasOf is alias for the collections that hold somebody's words. A text that is none of them becomes no part of a name: it may
// come from a request or a stored document.
func (c *Client) AliasOf(collection lore.Collection) string {
	if !slices.Contains(TextCollections(), collection) {
		return c.Alias(noCollection)
	}
	return c.Alias(string(collection))
}

// CollectionOf returns the collection that a concrete index belongs to.
func (c *Client) CollectionOf(index string) lore.Collection {
	name := strings.TrimPrefix(index, c.Prefix+"-")
	if cut := strings.LastIndexByte(name, '-'); cut > 0 {
		name = name[:cut]
	}
	return lore.Collection(name)
}

// Do sends a request under the client's deadline and decodes the answer into out, unless out is nil. Its errors are those of the package:
// ErrNotFound and ErrConflict for the caller to interpret, store_unavailable problems, *responseError.
func (c *Client) Do(ctx context.Context, request esapi.Request, out any) error {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	response, err := request.Do(ctx, c.es)
	if err != nil {
		return TransportError(ctx, err)
	}
	defer response.Body.Close()
	if response.IsError() {
		text, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorAnswer))
		return readFailure(text).error(response.StatusCode)
	}
	if out == nil {
		_, err = io.Copy(io.Discard, response.Body) // so that the connection can be used again
		return TransportError(ctx, err)
	}
	var from io.Reader = response.Body
	if c.Meter != nil {
		from = meteredReader{ctx, from, c.Meter}
	}
	if err := json.UnmarshalRead(from, out); err != nil { // three times as fast as encoding/json
		if refused, is := errors.AsType[*lore.Problem](err); is { // the meter's
			return refused
		}
		if errors.Is(err, errPageFull) {
			return errPageFull
		}
		return TransportError(ctx, fmt.Errorf("read Elasticsearch's answer: %w", err))
	}
	return nil
}

// Meter hears what Elasticsearch sends for a request, which is told by its context. Its methods must not block.
type Meter interface {
	// Read tells of bytes that were read and are held from then on. Its error ends the call: it says that they are too many.
	Read(ctx context.Context, bytes int) error
	// Handled tells of bytes that Elasticsearch handled for the request beside those that were read.
	Handled(ctx context.Context, bytes int64)
}

// meteredReader tells a meter what is read.
type meteredReader struct {
	ctx context.Context
	io.Reader
	meter Meter
}

// Read reads on, or returns the meter's error.
func (r meteredReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if refused := r.meter.Read(r.ctx, n); refused != nil {
		return 0, refused
	}
	return n, err
}

// handled tells the meter of bytes that Elasticsearch handled and nobody read.
func (c *Client) handled(ctx context.Context, bytes int64) {
	if c.Meter != nil && bytes > 0 {
		c.Meter.Handled(ctx, bytes)
	}
}

// costOfSkipping is what each item before a page by offset costs, in bytes handled: to sort 10,000 takes as long as to read a megabyte.
const costOfSkipping = 100

// Skipped tells the meter of items that a page by offset leaves out.
func (c *Client) Skipped(ctx context.Context, items int) { c.handled(ctx, costOfSkipping*int64(items)) }

// TextCollections are what holds somebody's words: the public collections, the notes of outcomes and decisions, and names in events. The
// accounts' owners are shown to nobody.
func TextCollections() []lore.Collection {
	return append(lore.Collections(), OutcomesIndex, DecisionsIndex, lore.Events)
}

// Observer hears how Elasticsearch is called, for metrics. Its methods are called from several goroutines and must not block.
type Observer interface {
	// Call tells of a call to Elasticsearch, also of one that failed: how long it took until the answer began. Operation is an API's
	// name without its underscore, as in search; of those that create and delete indices, info.
	Call(operation string, took time.Duration)
	// Bulk tells of a bulk request of the writer's that shared so many documents.
	Bulk(documents int)
	// BulkWait tells how long one document took from its caller to its acknowledgement.
	BulkWait(took time.Duration)
}
