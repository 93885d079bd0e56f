package index

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
	"agentlore/scrubber"
)

// freeText are the stored fields that hold somebody's words, in any collection.
var freeText = []string{
	"summary", "content", "resolution", "description", "note", "name", "url", "origin", "ref", "tags", "ecosystem", "addresses",
	"why", "who",
}

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

// Rescrub runs a public item's stored text through the scrubber again and rewrites what it now takes out, with what was derived
// from it. It reports whether something was. A concurrent change of the item makes it start anew. Errors: not_found,
// store_unavailable.
func (c *Client) Rescrub(ctx context.Context, clean *scrubber.Scrubber, target lore.Target) (changed bool, err error) {
	if !target.Collection.Public() {
		return false, lore.NotFound("item")
	}
	return c.Redact(ctx, clean, target, nil)
}

// Redact is Rescrub, of outcomes and decisions too, that also removes given texts, wherever they stand in the item, without
// regard to case. Errors: not_found, store_unavailable.
func (c *Client) Redact(ctx context.Context, clean *scrubber.Scrubber, target lore.Target, texts []string) (changed bool, err error) {
	for {
		stored, scrubbed, removed, err := c.redacted(ctx, clean, target, texts)
		if err != nil || !scrubbed.Report().Changed && removed == 0 {
			return false, err
		}
		err = c.rewriteItem(ctx, target, stored, scrubbed, removed)
		if !errors.Is(err, ErrConflict) {
			return err == nil, err
		}
	}
}

// WouldRedact reports whether Redact would change an item, and changes nothing. Errors: not_found, store_unavailable.
func (c *Client) WouldRedact(ctx context.Context, clean *scrubber.Scrubber, target lore.Target, texts []string) (bool, error) {
	_, scrubbed, removed, err := c.redacted(ctx, clean, target, texts)
	return err == nil && (scrubbed.Report().Changed || removed > 0), err
}

// redacted returns an item as stored, its text without what is to be removed, and how many of the texts were.
func (c *Client) redacted(ctx context.Context, clean *scrubber.Scrubber, target lore.Target, texts []string) (
	stored storedItem, scrubbed scrubber.Scrubbed[lore.StoredText], removed int, err error,
) {
	if stored, err = c.readItem(ctx, target); err != nil {
		return stored, scrubbed, 0, err
	}
	given := stored.freeText()
	removed = given.Remove(texts)
	if scrubbed, err = scrubber.Scrub(ctx, clean, given); err != nil {
		err = fmt.Errorf("scrub: %w", err)
	}
	return stored, scrubbed, removed, err
}

// storedItem is an item as read, with what a rewrite must match.
type storedItem struct {
	Revision
	Source map[string]json.RawMessage `json:"_source"`
}

func (c *Client) readItem(ctx context.Context, target lore.Target) (storedItem, error) {
	var stored storedItem
	if !slices.Contains(textCollections(), target.Collection) {
		return stored, lore.NotFound("item")
	}
	err := c.Do(ctx, esapi.GetRequest{Index: c.AliasOf(target.Collection), DocumentID: target.ID}, &stored)
	if errors.Is(err, ErrNotFound) {
		return stored, lore.NotFound("item")
	}
	return stored, err
}

// freeText returns the item's text fields.
func (s storedItem) freeText() lore.StoredText {
	var text lore.StoredText
	for _, name := range freeText {
		var one string
		var many []string
		switch value := s.Source[name]; {
		case len(value) == 0:
		case json.Unmarshal(value, &one) == nil:
			text.Texts = append(text.Texts, lore.NamedText{Name: name, Text: one})
		case json.Unmarshal(value, &many) == nil:
			text.Lists = append(text.Lists, lore.NamedList{Name: name, Texts: many})
		}
	}
	return text
}

// rewriteItem replaces the text fields and the entities made from them.
func (c *Client) rewriteItem(ctx context.Context, target lore.Target, stored storedItem, scrubbed scrubber.Scrubbed[lore.StoredText], removed int) error {
	text := scrubbed.Value()
	document := map[string]any{}
	for name, value := range stored.Source {
		document[name] = value
	}
	for _, field := range text.Texts {
		document[field.Name] = field.Text
	}
	for _, field := range text.Lists {
		document[field.Name] = field.Texts
	}
	if _, has := document["entities"]; has {
		document["entities"] = text.Entities()
	}
	if target.Collection == lore.Submissions {
		counts := maps.Clone(scrubbed.Report().Counts())
		if removed > 0 {
			if counts == nil {
				counts = map[string]int{}
			}
			counts[removedByOperator] += removed
		}
		if err := addScrubbed(document, stored, counts); err != nil {
			return err
		}
		delete(document, "fingerprint") // it is of the words that were there: the curator makes it anew
	}
	return c.writeDocument(ctx, c.AliasOf(target.Collection), target.ID, document, &stored.Revision)
}

// removedByOperator is the kind of what an operator had removed beside what the scrubber knows.
const removedByOperator = "operator"

// addScrubbed adds what was removed now to a submission's counts.
func addScrubbed(document map[string]any, stored storedItem, counts map[string]int) error {
	before := map[string]int{}
	if value := stored.Source["scrubbed"]; len(value) > 0 {
		if err := json.Unmarshal(value, &before); err != nil {
			return fmt.Errorf("read counts: %w", err)
		}
	}
	total := 0
	for kind, count := range counts {
		before[kind] += count
	}
	for _, count := range before {
		total += count
	}
	document["scrubbed"], document["scrubbed_total"], document["scrubbed_kinds"] = before, total, slices.Sorted(maps.Keys(before))
	return nil
}
