package index

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"
	fast "github.com/go-json-experiment/json"

	"agentlore/lore"
	"agentlore/terms"
)

// Revision tells one write of a document from every other: a change that must meet what was read names it.
type Revision struct {
	SeqNo       int `json:"_seq_no"`
	PrimaryTerm int `json:"_primary_term"`
}

// Stored is a document as read, with what an update must match.
type Stored[T any] struct {
	ID string `json:"_id"`
	Revision
	Source T `json:"_source"`
}

// Get returns a document by id: its latest write, whatever the refresh interval. Of its fields those are read that are named, or all.
// Errors: ErrNotFound, store_unavailable.
func Get[T any](ctx context.Context, c *Client, alias, id string, fields ...string) (stored Stored[T], err error) {
	err = c.Do(ctx, esapi.GetRequest{Index: alias, DocumentID: id, SourceIncludes: fields}, &stored)
	return stored, err
}

// ErrUnchanged is what a function given to Edit returns to leave a document as it is.
var ErrUnchanged = errors.New("nothing to change")

// Edit reads a document and stores what edit makes of it; again, where another write was quicker. Where there is none edit is given the
// zero value, and what it makes is a new document. Errors: edit's but for ErrUnchanged, store_unavailable.
func Edit[T any](ctx context.Context, c *Client, alias, id string, edit func(held *T, there bool) error) (held Stored[T], err error) {
	err = RetryConflict(ctx, func() error {
		if held, err = Get[T](ctx, c, alias, id); err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		request := esapi.IndexRequest{Index: alias, DocumentID: id, OpType: "create"}
		if err == nil {
			request = esapi.IndexRequest{Index: alias, DocumentID: id, IfSeqNo: &held.SeqNo, IfPrimaryTerm: &held.PrimaryTerm}
		}
		if err := edit(&held.Source, err == nil); err != nil {
			if errors.Is(err, ErrUnchanged) {
				err = nil
			}
			return err
		}
		written, err := c.index(ctx, request, held.Source)
		held.ID, held.Revision = id, written
		return err
	})
	return held, err
}

const (
	// conflictTries is how often a write is tried over what others write: 64 at a time all come through.
	conflictTries = 24
	// The pause before another try is random, up to firstConflictPause doubled with each, at most lastConflictPause: writers that come back
	// together would meet again.
	firstConflictPause, lastConflictPause = 4 * time.Millisecond, 256 * time.Millisecond
)

// RetryConflict does a write again as long as it returns ErrConflict, a few seconds at most. Errors: the write's but for that one,
// store_unavailable.
func RetryConflict(ctx context.Context, write func() error) error {
	for try := range conflictTries {
		if err := write(); !errors.Is(err, ErrConflict) {
			return err
		}
		select {
		case <-ctx.Done():
			return TransportError(ctx, ctx.Err())
		case <-time.After(rand.N(min(firstConflictPause<<min(try, 16), lastConflictPause))):
		}
	}
	return lore.StoreUnavailable(errors.New("others wrote the same document again and again"))
}

// CreateDocument stores one document under an id that must be new, by a request of its own. Errors: ErrConflict.
func (c *Client) CreateDocument(ctx context.Context, alias, id string, document any) error {
	_, err := c.index(ctx, esapi.IndexRequest{Index: alias, DocumentID: id, OpType: "create"}, document)
	return err
}

// WriteDocument stores one document, over the revision that was read if one is given. Errors: ErrConflict, where somebody
// else has written it since.
func (c *Client) WriteDocument(ctx context.Context, alias, id string, document any, read *Revision) error {
	request := esapi.IndexRequest{Index: alias, DocumentID: id}
	if read != nil {
		request.IfSeqNo, request.IfPrimaryTerm = &read.SeqNo, &read.PrimaryTerm
	}
	_, err := c.index(ctx, request, document)
	return err
}

// index sends a document and returns the revision that it became. An alias that is missing is an error: Elasticsearch would make
// an index with a mapping of its own guess.
func (c *Client) index(ctx context.Context, request esapi.IndexRequest, document any) (written Revision, err error) {
	body, err := encodeDocument(request.Index, document)
	if err != nil {
		return written, fmt.Errorf("encode document: %w", err)
	}
	request.RequireAlias, request.Body = new(true), bytes.NewReader(body)
	err = c.Do(ctx, request, &written)
	return written, err
}

// DeleteDocument removes one document, with a revision only as long as it is the one that was read. One that isn't there, or is another
// by now, is no error.
func (c *Client) DeleteDocument(ctx context.Context, alias, id string, read *Revision) error {
	request := esapi.DeleteRequest{Index: alias, DocumentID: id}
	if read != nil {
		request.IfSeqNo, request.IfPrimaryTerm = &read.SeqNo, &read.PrimaryTerm
	}
	err := c.Do(ctx, request, nil)
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrConflict) {
		return nil
	}
	return err
}

// deletedAtOnce is how many documents a deletion by query removes within its request. Elasticsearch goes on with more of them by itself: it
// takes longer than a request may, some 10,000 a second. Each such task leaves a document in Elasticsearch's own index.
const deletedAtOnce = 10_000

// DeleteWhere deletes the documents that a query finds, and returns how many. One that changes meanwhile stays. Errors:
// store_unavailable.
func (c *Client) DeleteWhere(ctx context.Context, alias string, query map[string]any) (int, error) {
	found, err := c.Count(ctx, alias, query)
	if err != nil || found == 0 {
		return 0, err
	}
	type result struct {
		Deleted  int               `json:"deleted"`
		Failures []json.RawMessage `json:"failures"` // their texts may quote documents
	}
	var answer struct {
		Task string `json:"task"`
		result
	}
	body := JSONBody(map[string]any{"query": query})
	request := esapi.DeleteByQueryRequest{Index: []string{alias}, Body: body, Conflicts: "proceed", WaitForCompletion: new(found <= deletedAtOnce)}
	if err := c.Do(ctx, request, &answer); err != nil {
		return 0, err
	}
	if answer.Task != "" {
		if answer.result, err = AwaitTask[result](ctx, c, answer.Task); err != nil {
			return 0, err
		}
	}
	if len(answer.Failures) > 0 {
		return answer.Deleted, lore.StoreUnavailable(fmt.Errorf("%d documents could not be deleted", len(answer.Failures)))
	}
	return answer.Deleted, nil
}

// BulkAll is Bulk for any number of writes that must all be done, by requests of ChangePage at most. It returns the first operation's
// error that isn't the accepted one: ErrConflict where what is there already may stay, ErrNotFound where what is gone may be; nil: none.
func (c *Client) BulkAll(ctx context.Context, operations []Operation, accepted error) error {
	for some := range slices.Chunk(operations, ChangePage) {
		results, err := c.Bulk(ctx, some)
		for _, result := range results {
			if err == nil && !errors.Is(result.Err, accepted) {
				err = result.Err
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// scanPage is how many documents scan hands over at once.
const scanPage = 5000

// Scan hands all documents that a query finds to visit, in pages, without their sources unless they are asked for. It sees the index
// as it was at the beginning. A shard that can't be read is an error, and never a short scan that looks whole.
func Scan[T any](ctx context.Context, c *Client, index string, query map[string]any, source bool, visit func([]Hit[T]) error) error {
	body := JSONBody(map[string]any{"query": query, "_source": source, "size": scanPage, "sort": []any{"_doc"}})
	var request esapi.Request = esapi.SearchRequest{
		Index: []string{index}, Body: body, Scroll: time.Minute, AllowPartialSearchResults: new(false),
	}
	for {
		var answer struct {
			ScrollID string `json:"_scroll_id"`
			TimedOut bool   `json:"timed_out"`
			Shards   struct {
				Failed int `json:"failed"`
			} `json:"_shards"`
			SearchAnswer[T]
		}
		err := c.Do(ctx, request, &answer)
		if err == nil && (answer.TimedOut || answer.Shards.Failed > 0) { // no setting makes an error of it behind the first page
			err = lore.StoreUnavailable(errors.New("a shard could not be read"))
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", index, err)
		}
		if len(answer.Hits.Hits) == 0 {
			return c.Do(context.WithoutCancel(ctx), esapi.ClearScrollRequest{ScrollID: []string{answer.ScrollID}}, nil)
		}
		if err := visit(answer.Hits.Hits); err != nil {
			return err // the scroll expires
		}
		request = esapi.ScrollRequest{Body: JSONBody(map[string]any{"scroll": "1m", "scroll_id": answer.ScrollID})}
	}
}

// JSONBody encodes the body of a request. What can't be encoded fails the request.
func JSONBody(value any) io.Reader {
	text, err := json.Marshal(value)
	if err != nil {
		return unencodable{err}
	}
	return bytes.NewReader(text)
}

// unencodable is the body of a request that can't be sent.
type unencodable struct{ error }

// Read returns why.
func (u unencodable) Read([]byte) (int, error) { return 0, u.error }

// SignatureField is the field, of the source alone, in which every searchable document has its text's signature. It is made here
// whenever the document is written.
const SignatureField = "signature"

// VectorField and VectorModelField hold the vector of a searchable document's text and the model that made it. They are filled in later:
// whatever changes the text takes them away.
const (
	VectorField      = "embedding"
	VectorModelField = "embedding_model"
)

// signText returns the signature of a document's text as it is stored, "" for a text without terms.
func signText(document []byte) (string, error) {
	var text struct {
		Summary     string   `json:"summary"`
		Content     string   `json:"content"`
		Resolution  string   `json:"resolution"`
		Description string   `json:"description"`
		Asked       []string `json:"asked"`
		Tags        []string `json:"tags"`
	}
	if err := fast.Unmarshal(document, &text); err != nil {
		return "", fmt.Errorf("read what to sign: %w", err)
	}
	parts := slices.Concat(text.Asked, []string{text.Content, text.Resolution, text.Description}, text.Tags)
	return base64.StdEncoding.EncodeToString(terms.Sign(text.Summary, parts...)), nil
}

// encodeDocument returns a document as it is stored: of a searchable collection, with its signature.
func encodeDocument(alias string, document any) ([]byte, error) {
	if fields, read := document.(map[string]any); read { // it may have the signature and the vector of an earlier text
		fields = maps.Clone(fields)
		for _, made := range []string{SignatureField, VectorField, VectorModelField} {
			delete(fields, made)
		}
		document = fields
	}
	body, err := json.Marshal(document)
	if err != nil || !searchableAlias(alias) {
		return body, err
	}
	signature, err := signText(body)
	if err == nil && signature != "" {
		body = fmt.Appendf(bytes.TrimSuffix(body, []byte("}")), `,"%s":"%s"}`, SignatureField, signature)
	}
	return body, err
}

// Signed returns the fields that a change sets, with the signature of their text where they have one. A change that sets
// a summary sets all of the text.
func Signed(collection lore.Collection, set map[string]any) (map[string]any, error) {
	if _, has := set["summary"]; !has || !searchableAlias("-"+string(collection)) {
		return set, nil
	}
	body, err := json.Marshal(set)
	if err != nil {
		return nil, err
	}
	signature, err := signText(body)
	if err != nil {
		return nil, err
	}
	set = maps.Clone(set)
	set[SignatureField] = signature
	return set, nil
}

// searchableAlias reports whether an alias is that of a collection that searches read.
func searchableAlias(alias string) bool {
	return slices.ContainsFunc(lore.SearchTypes(), func(searchable lore.SearchType) bool {
		return strings.HasSuffix(alias, "-"+string(searchable.Collection))
	})
}
