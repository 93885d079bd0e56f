package curation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"agentlore/index"
	"agentlore/lore"
	"agentlore/scrubber"
)

// freeText are the stored fields that hold somebody's words, or words made of them, in any collection. Of lists and objects each string in
// them is read. TestEveryTextFieldIsScrubbedAgain says why each other field holds none.
var freeText = []string{
	"summary", "content", "resolution", "description", "note", "name", "url", "origin", "ref", "tags", "ecosystem", "addresses",
	"why", "who", "source_name", "author_name", "protocol", "severity", "text", "asked", "names", "shared", "context", "signs", "applies", "reference",
	"family_why", "project", "warnings",
	"symbol", "also", "chain_id", "testnet_of", "explorer", "since", "deployments",
	"earlier_summary", "earlier_content", "earlier_resolution",
}

// Rescrub runs a public item's stored text through the scrubber again and rewrites what it now takes out, with what was derived
// from it. It reports whether something was. A concurrent change of the item makes it start anew. Errors: not_found,
// store_unavailable.
func (r *Review) Rescrub(ctx context.Context, clean *scrubber.Scrubber, target lore.Target) (changed bool, err error) {
	if !target.Collection.Public() {
		return false, lore.NotFound("item")
	}
	return r.Redact(ctx, clean, target, nil, false)
}

// Redact is Rescrub, of outcomes and decisions too, that also removes given texts, wherever they stand in the item, without
// regard to case. A dry run only says whether something would change. Errors: not_found, store_unavailable.
func (r *Review) Redact(
	ctx context.Context, clean *scrubber.Scrubber, target lore.Target, texts []string, dry bool,
) (changed bool, err error) {
	err = index.RetryConflict(ctx, func() error {
		stored, scrubbed, removed, err := r.redacted(ctx, clean, target, texts)
		if changed = scrubbed.Report().Changed || removed > 0; err != nil || !changed || dry {
			return err
		}
		return r.rewriteItem(ctx, target, stored, scrubbed, removed)
	})
	return changed && err == nil, err
}

// redacted returns an item as stored, its text without what is to be removed, and how many of the texts were.
func (r *Review) redacted(ctx context.Context, clean *scrubber.Scrubber, target lore.Target, texts []string) (
	stored index.StoredItem, scrubbed scrubber.Scrubbed[lore.StoredText], removed int, err error,
) {
	if stored, err = r.client.ReadItem(ctx, target); err != nil {
		return stored, scrubbed, 0, err
	}
	given, err := freeTextOf(stored)
	if err != nil {
		return stored, scrubbed, 0, err
	}
	removed = given.Remove(texts)
	if scrubbed, err = scrubber.Scrub(ctx, clean, given); err != nil {
		err = fmt.Errorf("scrub: %w", err)
	}
	return stored, scrubbed, removed, err
}

// freeTextOf returns an item's texts. Errors: a field that can't be read.
func freeTextOf(s index.StoredItem) (text lore.StoredText, err error) {
	for _, name := range freeText {
		if len(s.Source[name]) == 0 {
			continue
		}
		_, err := eachString(s.Source[name], func(one string) string {
			text.Names, text.Texts = append(text.Names, name), append(text.Texts, one)
			return one
		})
		if err != nil {
			return text, fmt.Errorf("read %s: %w", name, err)
		}
	}
	return text, nil
}

// eachString calls change for each string of a JSON value, in order, and returns the value with what change returned.
func eachString(value json.RawMessage, change func(string) string) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber()
	var held any
	if err := decoder.Decode(&held); err != nil {
		return nil, errors.New("not JSON") // the decoder's error may quote it
	}
	return changedStrings(held, change), nil
}

// changedStrings is eachString for a decoded value, whose lists and objects it changes.
func changedStrings(held any, change func(string) string) any {
	switch held := held.(type) {
	case string:
		return change(held)
	case []any:
		for i, one := range held {
			held[i] = changedStrings(one, change)
		}
	case map[string]any:
		for _, member := range slices.Sorted(maps.Keys(held)) {
			held[member] = changedStrings(held[member], change)
		}
	}
	return held
}

// rewriteItem replaces the text fields and the entities made from them.
func (r *Review) rewriteItem(ctx context.Context, target lore.Target, stored index.StoredItem, scrubbed scrubber.Scrubbed[lore.StoredText], removed int) error {
	text := scrubbed.Value()
	document := map[string]any{}
	for name, value := range stored.Source {
		document[name] = value
	}
	left := text.Texts
	for _, name := range slices.Compact(slices.Clone(text.Names)) {
		changed, err := eachString(stored.Source[name], func(string) (next string) {
			next, left = left[0], left[1:]
			return next
		})
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		document[name] = changed
	}
	if _, has := document["entities"]; has {
		document["entities"] = text.Entities()
	}
	if target.Collection == lore.Submissions {
		var before, byOperator map[string]int
		if value := stored.Source["scrubbed"]; len(value) > 0 {
			if err := json.Unmarshal(value, &before); err != nil {
				return fmt.Errorf("read counts: %w", err)
			}
		}
		if removed > 0 {
			byOperator = map[string]int{removedByOperator: removed}
		}
		document["scrubbed"], document["scrubbed_total"], document["scrubbed_kinds"] =
			index.SumScrubbed(before, scrubbed.Report().Counts(), byOperator)
		if err := redactWords(document, stored); err != nil {
			return err
		}
		delete(document, "fingerprint") // it is of the words that were there: the curator makes it anew, and what they name
		delete(document, "named")
	}
	return r.client.WriteDocument(ctx, r.client.AliasOf(target.Collection), target.ID, document, &stored.Revision)
}

// redactWords gives a submission the revision of its redacted words, and notes the one that it had: what was said of that holds.
func redactWords(document map[string]any, stored index.StoredItem) error {
	var before lore.Report
	for name, field := range map[string]any{
		"summary": &before.Summary, "content": &before.Content, "resolution": &before.Resolution, "redacted_from": &before.RedactedFrom,
	} {
		if value := stored.Source[name]; len(value) > 0 {
			if err := json.Unmarshal(value, field); err != nil {
				return fmt.Errorf("read words: %w", err)
			}
		}
	}
	after := before
	for name, field := range map[string]*string{"summary": &after.Summary, "content": &after.Content, "resolution": &after.Resolution} {
		if said, is := document[name].(string); is {
			*field = said
		}
	}
	now := after.Words()
	if was := before.Words().Revision; was != now.Revision {
		document["revision"], document["fix_key"] = now.Revision, now.FixKey
		document["redacted_from"] = append(before.RedactedFrom, was)
	}
	return nil
}

// removedByOperator is the kind of what an operator had removed beside what the scrubber knows.
const removedByOperator = "operator"
