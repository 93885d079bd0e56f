package index

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
)

// Exists reports whether an item of a public collection is there. Errors: store_unavailable.
func (c *Client) Exists(ctx context.Context, target lore.Target) (bool, error) {
	if !target.Collection.Public() || !lore.ValidID(target.ID) {
		return false, nil
	}
	noSource := []string{"false"}
	err := c.Do(ctx, esapi.GetRequest{Index: c.AliasOf(target.Collection), DocumentID: target.ID, Source: noSource}, nil)
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
