package index

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
)

// Collection reads the items of one public collection.
type Collection[T any] struct {
	client *Client
	name   lore.Collection
	kind   string // what one item is called in a message to a caller
}

// PrivateFields are the stored fields that no reader gets: they tell owners apart, or serve the machinery.
var PrivateFields = []string{
	"fingerprint", "family_key", "fix_key", "redacted_from", "confirmed", "scrubbed_total", "scrubbed_kinds", VectorField, VectorModelField, "epoch", "rank", "has_resolution", "named", "asked",
	"earlier_summary", "earlier_content", "earlier_resolution", "earlier_until",
}

// NewCollection returns a reader of the collection. Kind is what one item is called, as in "submission".
func NewCollection[T any](client *Client, name lore.Collection, kind string) Collection[T] {
	return Collection[T]{client: client, name: name, kind: kind}
}

// Get returns an item by id. It reads the latest write, whatever the refresh interval. Errors: not_found, erased,
// store_unavailable.
func (c Collection[T]) Get(ctx context.Context, id string) (T, error) {
	var answer struct {
		Source T `json:"_source"`
	}
	if !lore.ValidID(id) {
		return answer.Source, lore.NotFound(c.kind)
	}
	request := esapi.GetRequest{Index: c.client.AliasOf(c.name), DocumentID: id, SourceExcludes: PrivateFields}
	err := c.client.Do(ctx, request, &answer)
	if !errors.Is(err, ErrNotFound) {
		return answer.Source, err
	}
	_, err = c.client.erasure(ctx, lore.Target{Collection: c.name, ID: id})
	switch {
	case errors.Is(err, ErrNotFound):
		err = lore.NotFound(c.kind)
	case err == nil:
		err = lore.Erased(c.kind)
	}
	return answer.Source, err
}

// SearchAnswer is Elasticsearch's answer to a search.
type SearchAnswer[T any] struct {
	Hits struct {
		Total struct {
			Value    int64  `json:"value"`
			Relation string `json:"relation"`
		} `json:"total"`
		Hits []Hit[T] `json:"hits"`
	} `json:"hits"`
	Aggregations map[string]json.RawMessage `json:"aggregations"`
}

// Hit is one document of a search answer.
type Hit[T any] struct {
	Index  string            `json:"_index"`
	ID     string            `json:"_id"`
	Source T                 `json:"_source"`
	Sort   []json.RawMessage `json:"sort"`
	Fields Row               `json:"fields"` // where columns were asked for
}

// Query runs a query body over aliases. A time-out or a failed shard is an error and never a short list that looks whole.
func (c *Client) Query(ctx context.Context, aliases []string, body map[string]any, answer any) error {
	return c.Do(ctx, esapi.SearchRequest{Index: aliases, Body: JSONBody(body), AllowPartialSearchResults: new(false)}, answer)
}

// Count returns how many documents a query finds. Errors: store_unavailable.
func (c *Client) Count(ctx context.Context, alias string, query map[string]any) (int64, error) {
	var answer SearchAnswer[struct{}]
	err := c.Query(ctx, []string{alias}, map[string]any{"size": 0, "track_total_hits": true, "query": query}, &answer)
	return answer.Hits.Total.Value, Wrapped("count "+alias, err)
}

// Exists reports whether an item of a public collection is there. Errors: store_unavailable.
func (c *Client) Exists(ctx context.Context, target lore.Target) (bool, error) {
	if !target.Collection.Public() || !lore.ValidID(target.ID) {
		return false, nil
	}
	_, err := Get[struct{}](ctx, c, c.AliasOf(target.Collection), target.ID, "id")
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// Find returns which item has an id; ids are unique over all collections. Errors: not_found, store_unavailable.
func (c *Client) Find(ctx context.Context, id string) (lore.Target, error) {
	var documents []any
	if lore.ValidID(id) {
		for _, collection := range lore.Collections() {
			documents = append(documents, map[string]any{"_index": c.AliasOf(collection), "_id": id, "_source": false})
		}
		var answer struct {
			Docs []struct {
				Found bool `json:"found"`
			} `json:"docs"`
		}
		if err := c.Do(ctx, esapi.MgetRequest{Body: JSONBody(map[string]any{"docs": documents})}, &answer); err != nil {
			return lore.Target{}, err
		}
		for i, document := range answer.Docs {
			if document.Found {
				return lore.Target{Collection: lore.Collections()[i], ID: id}, nil
			}
		}
	}
	return lore.Target{}, lore.NotFound("item")
}

// StoredItem is an item as read.
type StoredItem = Stored[map[string]json.RawMessage]

// ReadItem reads an item of one of TextCollections, as it is stored. Errors: not_found, store_unavailable.
func (c *Client) ReadItem(ctx context.Context, target lore.Target) (StoredItem, error) {
	if !slices.Contains(TextCollections(), target.Collection) {
		return StoredItem{}, lore.NotFound("item")
	}
	stored, err := Get[map[string]json.RawMessage](ctx, c, c.AliasOf(target.Collection), target.ID)
	if errors.Is(err, ErrNotFound) {
		err = lore.NotFound("item")
	}
	return stored, err
}

// Change rewrites an item's fields over the revision that was read, again where another write was quicker. Errors: not_found,
// store_unavailable.
func (c *Client) Change(ctx context.Context, item lore.Target, change func(document map[string]any)) error {
	if !slices.Contains(TextCollections(), item.Collection) {
		return lore.NotFound("item")
	}
	_, err := Edit(ctx, c, c.AliasOf(item.Collection), item.ID, func(held *map[string]any, there bool) error {
		if !there {
			return lore.NotFound("item")
		}
		change(*held)
		return nil
	})
	return err
}
