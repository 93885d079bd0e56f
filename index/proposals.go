package index

import (
	"context"
	"errors"
	"slices"
	"time"

	"agentlore/lore"
	"agentlore/scrubber"
)

// Suggest stores a suggestion. The same words of one source are stored once: created is false for the second. Errors:
// store_unavailable.
func (c *Client) Suggest(ctx context.Context, proposal scrubber.Scrubbed[lore.Proposal], sourceID string, now time.Time) (suggestion lore.Suggestion, created bool, err error) {
	suggestion = proposal.Value().Suggestion(sourceID, now.UTC().Truncate(time.Millisecond))
	created, err = c.createOnce(ctx, lore.Suggestions, suggestion.ID, suggestion)
	return suggestion, created, err
}

// Flag stores a safety flag on the words that an item has now. A source flags the same words for one reason once: created is false for the
// second. Errors: changed where the item says something else than the revision that is named, store_unavailable.
func (c *Client) Flag(ctx context.Context, warning scrubber.Scrubbed[lore.Warning], identity lore.Identity, now time.Time) (flag lore.SafetyFlag, created bool, err error) {
	said := warning.Value()
	if isWorded(said.Target.Collection) && identity.SourceID != lore.RaisedByAgentlore {
		_, words, err := c.worded(ctx, *said.Target, said.Revision)
		if err != nil {
			return flag, false, err
		}
		if said.Revision, said.FixKey = words.Revision, words.FixKey; words.Unbound {
			said.Revision = unboundRevision
		}
	}
	flag = said.SafetyFlag(identity.SourceID, now.UTC().Truncate(time.Millisecond))
	created, err = c.createOnce(ctx, lore.SafetyFlags, flag.ID, flag)
	return flag, created, err
}

// unboundRevision is the revision of a flag on words that had changed before, by somebody who named none: it is no text's.
const unboundRevision = "unbound"

// isWorded reports whether items of a collection have a revision.
func isWorded(collection lore.Collection) bool {
	return slices.Contains([]lore.Collection{lore.Submissions, lore.Patterns, lore.KnowledgeUnits}, collection)
}

// Raise stores a flag of agentlore's own. One that is there already, whatever became of it, stays as it is: created is
// false. Errors: store_unavailable.
func (c *Client) Raise(ctx context.Context, warning scrubber.Scrubbed[lore.Warning], now time.Time) (flag lore.SafetyFlag, created bool, err error) {
	return c.Flag(ctx, warning, lore.Identity{SourceID: lore.RaisedByAgentlore}, now)
}

// Leaks counts a source's submissions since a time, but for one, from which secrets of some kinds were removed. Errors:
// store_unavailable.
func (c *Client) Leaks(ctx context.Context, sourceID string, kinds []string, since time.Time, except string) (int, error) {
	leaks, err := c.Count(ctx, c.AliasOf(lore.Submissions), map[string]any{"bool": map[string]any{
		"filter":   append(FilterClauses(lore.Filter{SourceID: sourceID, Since: since}), TermsQuery("scrubbed_kinds", kinds)),
		"must_not": []any{Term("id", except)},
	}})
	return int(leaks), err
}

// createOnce stores a document unless its id exists.
func (c *Client) createOnce(ctx context.Context, collection lore.Collection, id string, document any) (created bool, err error) {
	return isNew("store in "+string(collection), c.CreateDocument(ctx, c.AliasOf(collection), id, document))
}

// isNew reports of a create whether it stored a document: where the id exists it is no error.
func isNew(doing string, err error) (bool, error) {
	if errors.Is(err, ErrConflict) {
		return false, nil
	}
	return err == nil, Wrapped(doing, err)
}

// CreateAsset stores a catalog entry. Its id follows from what it is, so that an asset that is there already is not stored
// again: created is false then. Errors: store_unavailable.
func (w *Writer) CreateAsset(ctx context.Context, entry scrubber.Scrubbed[lore.CatalogEntry], now time.Time) (created bool, err error) {
	asset := entry.Value().Asset(now.UTC().Truncate(time.Millisecond))
	return isNew("store asset", w.Create(ctx, w.client.AliasOf(lore.Assets), asset.ID, asset))
}
