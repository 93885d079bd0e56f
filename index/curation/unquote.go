package curation

import (
	"context"
	"slices"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/index"
	"agentlore/lore"
)

// unquote takes the words of a withdrawn item out of all that quotes it, at once: of a submission out of patterns and units, of a pattern out
// of itself and its unit. The curator gives them other words, or none, in its next pass. Errors: store_unavailable.
func (r *Review) unquote(ctx context.Context, item lore.Target) error {
	var quoting []any
	switch item.Collection {
	case lore.Submissions:
		for _, field := range []string{"words_from", "fix_from.id", "alternatives.from.id"} {
			quoting = append(quoting, index.Term(field, item.ID))
		}
	case lore.Patterns:
		quoting = []any{index.Term("id", item.ID), index.Term("pattern_id", item.ID)}
	default:
		return nil
	}
	aliases := []string{r.client.AliasOf(lore.Patterns), r.client.AliasOf(lore.KnowledgeUnits)}
	refresh := func() error { return r.client.Do(ctx, esapi.IndicesRefreshRequest{Index: aliases}, nil) }
	if err := refresh(); err != nil {
		return err
	}
	for _, collection := range []lore.Collection{lore.Patterns, lore.KnowledgeUnits} {
		ids, err := index.IDsOf(ctx, r.client, r.client.AliasOf(collection), map[string]any{"bool": map[string]any{"should": quoting}})
		if err != nil {
			return err
		}
		for _, id := range ids {
			err := ignoreGone(r.client.Change(ctx, lore.Target{Collection: collection, ID: id}, func(document map[string]any) {
				unquoteIn(document, collection, item)
			}))
			if err != nil {
				return err
			}
		}
	}
	return refresh()
}

// unquoteIn takes the words of a withdrawn item out of a pattern or unit.
func unquoteIn(document map[string]any, collection lore.Collection, item lore.Target) {
	whole := item.Collection == lore.Patterns
	from, _ := document["fix_from"].(map[string]any)
	isFix := whole || from["id"] == item.ID
	if whole || document["words_from"] == item.ID {
		document["summary"] = lore.Retracted
		delete(document, "content")
		delete(document, "words_from")
	}
	if isFix {
		for _, field := range []string{"resolution", "fix_from", "fix_evidence", "asks_for"} {
			delete(document, field)
		}
	}
	if others, is := document["alternatives"].([]any); is {
		others = slices.DeleteFunc(others, func(one any) bool {
			fix, _ := one.(map[string]any)
			from, _ := fix["from"].(map[string]any)
			return whole || from["id"] == item.ID
		})
		if document["alternatives"] = others; len(others) == 0 {
			delete(document, "alternatives")
		}
	}
	if document["summary"] == lore.Retracted || isFix {
		if collection == lore.KnowledgeUnits && document["reference"] == nil {
			document["status"] = lore.UnitWithdrawn
		}
	}
	text := func(name string) string { said, _ := document[name].(string); return said }
	document["revision"] = lore.RevisionOf(text("summary"), text("content"), text("resolution"))
}
