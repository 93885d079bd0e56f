package index

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
		body, err := JSONBody(map[string]any{"docs": documents})
		if err != nil {
			return lore.Target{}, err
		}
		var answer struct {
			Docs []struct {
				Found bool `json:"found"`
			} `json:"docs"`
		}
		if err := c.Do(ctx, esapi.MgetRequest{Body: body}, &answer); err != nil {
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

// StoredItem is an item as read, with what a rewrite must match.
type StoredItem struct {
	Revision
	Source map[string]json.RawMessage `json:"_source"`
}

// ReadItem reads an item of one of TextCollections, as it is stored. Errors: not_found, store_unavailable.
func (c *Client) ReadItem(ctx context.Context, target lore.Target) (StoredItem, error) {
	var stored StoredItem
	if !slices.Contains(TextCollections(), target.Collection) {
		return stored, lore.NotFound("item")
	}
	err := c.Do(ctx, esapi.GetRequest{Index: c.AliasOf(target.Collection), DocumentID: target.ID}, &stored)
	if errors.Is(err, ErrNotFound) {
		return stored, lore.NotFound("item")
	}
	return stored, err
}

// Change rewrites an item's fields over the revision that was read, again where another write was quicker. Errors: not_found,
// store_unavailable.
func (c *Client) Change(ctx context.Context, item lore.Target, change func(document map[string]any)) error {
	for {
		stored, err := c.ReadItem(ctx, item)
		if err != nil {
			return err
		}
		document := make(map[string]any, len(stored.Source)+1)
		for name, text := range stored.Source {
			decoder := json.NewDecoder(bytes.NewReader(text))
			decoder.UseNumber()
			var value any
			if err := decoder.Decode(&value); err != nil {
				return fmt.Errorf("read %s: %w", item.Collection, err)
			}
			document[name] = value
		}
		change(document)
		err = c.WriteDocument(ctx, c.AliasOf(item.Collection), item.ID, document, &stored.Revision)
		if !errors.Is(err, ErrConflict) {
			return err
		}
	}
}
