package curation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"agentlore/index"
	"agentlore/lore"
	"agentlore/scrubber"
)

// freeText are the stored fields that hold somebody's words, in any collection.
var freeText = []string{
	"summary", "content", "resolution", "description", "note", "name", "url", "origin", "ref", "tags", "ecosystem", "addresses",
	"why", "who", "source_name", "author_name", "protocol",
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
	for {
		stored, scrubbed, removed, err := r.redacted(ctx, clean, target, texts)
		if changed = scrubbed.Report().Changed || removed > 0; err != nil || !changed || dry {
			return changed && err == nil, err
		}
		err = r.rewriteItem(ctx, target, stored, scrubbed, removed)
		if !errors.Is(err, index.ErrConflict) {
			return err == nil, err
		}
	}
}

// redacted returns an item as stored, its text without what is to be removed, and how many of the texts were.
func (r *Review) redacted(ctx context.Context, clean *scrubber.Scrubber, target lore.Target, texts []string) (
	stored index.StoredItem, scrubbed scrubber.Scrubbed[lore.StoredText], removed int, err error,
) {
	if stored, err = r.client.ReadItem(ctx, target); err != nil {
		return stored, scrubbed, 0, err
	}
	given := freeTextOf(stored)
	removed = given.Remove(texts)
	if scrubbed, err = scrubber.Scrub(ctx, clean, given); err != nil {
		err = fmt.Errorf("scrub: %w", err)
	}
	return stored, scrubbed, removed, err
}

// freeTextOf returns an item's text fields.
func freeTextOf(s index.StoredItem) lore.StoredText {
	var text lore.StoredText
	for _, name := range freeText {
		var one string
		var many []string
		switch value := s.Source[name]; {
		case len(value) == 0:
		case json.Unmarshal(value, &one) == nil:
			text.Names, text.Texts = append(text.Names, name), append(text.Texts, one)
		case json.Unmarshal(value, &many) == nil:
			text.Names = append(text.Names, slices.Repeat([]string{name}, len(many))...)
			text.Texts = append(text.Texts, many...)
		}
	}
	return text
}

// rewriteItem replaces the text fields and the entities made from them.
func (r *Review) rewriteItem(ctx context.Context, target lore.Target, stored index.StoredItem, scrubbed scrubber.Scrubbed[lore.StoredText], removed int) error {
	text := scrubbed.Value()
	document := map[string]any{}
	for name, value := range stored.Source {
		document[name] = value
	}
	lists := map[string][]string{}
	for i, name := range text.Names {
		document[name] = text.Texts[i]
		if stored.Source[name][0] == '[' {
			lists[name] = append(lists[name], text.Texts[i])
			document[name] = lists[name]
		}
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
