package index

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"agentlore/lore"
	"agentlore/scrubber"
)

const decisions = "decisions"

// Decisions keeps what operators decided, for ever: documents are added and never changed or deleted.
type Decisions struct{ client *Client }

// NewDecisions returns the decisions.
func NewDecisions(client *Client) *Decisions { return &Decisions{client} }

// Record adds a decision under its id. A second try with the same id adds nothing. Errors: store_unavailable.
func (d *Decisions) Record(ctx context.Context, decision scrubber.Scrubbed[lore.Decision]) error {
	err := d.client.createDocument(ctx, d.client.alias(decisions), decision.Value().ID, decision.Value())
	if err != nil && !errors.Is(err, ErrConflict) {
		return fmt.Errorf("record decision: %w", err)
	}
	return nil
}

// RecordAll adds decisions by one request, as Record does each. Errors: store_unavailable.
func (d *Decisions) RecordAll(ctx context.Context, all []scrubber.Scrubbed[lore.Decision]) error {
	if len(all) == 0 {
		return nil
	}
	operations := make([]Operation, len(all))
	for i, decision := range all {
		operations[i] = Operation{Action: "create", Index: d.client.alias(decisions), ID: decision.Value().ID, Document: decision.Value()}
	}
	results, err := d.client.Bulk(ctx, operations)
	for _, result := range results {
		if err == nil && !errors.Is(result.Err, ErrConflict) {
			err = result.Err
		}
	}
	return wrapped("record decisions", err)
}

// Of hands all decisions whose subjects have these ids to visit, in pages, oldest first. What was written within the last
// second may be missing. Errors: store_unavailable, visit's.
func (d *Decisions) Of(ctx context.Context, ids []string, visit func([]lore.Decision) error) error {
	for some := range slices.Chunk(ids, changePage) {
		filter := []any{map[string]any{"terms": map[string]any{"subject.id": some}}}
		if err := visitByTime(ctx, d.client, d.client.alias(decisions), filter, visit); err != nil {
			return err
		}
	}
	return nil
}

// ChangedSince hands all decisions that were made at a time or later to visit, in pages, oldest first; the zero time hands
// over all there are. See VisibleAfter. Errors: store_unavailable, visit's.
func (d *Decisions) ChangedSince(ctx context.Context, since time.Time, visit func([]lore.Decision) error) error {
	return visitByTime(ctx, d.client, d.client.alias(decisions), sinceClause(since), visit)
}
