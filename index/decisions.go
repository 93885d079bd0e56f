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

// DecisionsIndex is the index of what operators decided, for Client.Alias.
const DecisionsIndex = "decisions"

// RecordDecisions adds decisions under their ids, for ever: none is ever changed or deleted. A second try with the same id adds nothing.
// Errors: store_unavailable.
func (c *Client) RecordDecisions(ctx context.Context, all ...scrubber.Scrubbed[lore.Decision]) error {
	operations := make([]Operation, len(all))
	for i, decision := range all {
		operations[i] = Operation{Action: "create", Index: c.Alias(DecisionsIndex), ID: decision.Value().ID, Document: decision.Value()}
	}
	return Wrapped("record decisions", c.BulkAll(ctx, operations, ErrConflict))
}

// EachDecision hands the decisions that pass a filter to visit, oldest first (of each thousand subjects, where more are named). What was written
// within the last second may be missing. Errors: store_unavailable, visit's.
func (c *Client) EachDecision(ctx context.Context, filter lore.DecisionFilter, visit func(lore.Decision) error) error {
	clauses := SinceClause(filter.Since)
	if len(filter.Verdicts) > 0 {
		clauses = append(clauses, TermsQuery("decision", filter.Verdicts))
	}
	each := func(clauses []any) error {
		query := map[string]any{"bool": map[string]any{"filter": clauses}}
		return EachPage(ctx, c, c.Alias(DecisionsIndex), query, ByTime, func(page []lore.Decision) error {
			for _, decision := range page {
				if err := visit(decision); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if filter.Subjects == nil {
		return each(clauses)
	}
	for some := range slices.Chunk(filter.Subjects, ChangePage) {
		if err := each(append(slices.Clone(clauses), TermsQuery("subject.id", some))); err != nil {
			return err
		}
	}
	return nil
}

// erasure returns when an item was erased. It reads the latest write. Errors: ErrNotFound, store_unavailable.
func (c *Client) erasure(ctx context.Context, item lore.Target) (lore.Erasure, error) {
	stored, err := Get[lore.Decision](ctx, c, c.Alias(DecisionsIndex), lore.ErasureID(item), "at")
	return lore.Erasure{ID: item.ID, ErasedAt: stored.Source.At}, err
}

// FindErased returns which item of any public collection with an id was erased. Errors: not_found, store_unavailable.
func (c *Client) FindErased(ctx context.Context, id string) (lore.Target, lore.Erasure, error) {
	for _, collection := range lore.Collections() {
		item := lore.Target{Collection: collection, ID: id}
		erasure, err := c.erasure(ctx, item)
		if err == nil || !errors.Is(err, ErrNotFound) {
			return item, erasure, err
		}
	}
	return lore.Target{}, lore.Erasure{}, lore.NotFound("item")
}

// Erasure returns when an item of the collection that is there no more was erased. Errors: not_found, store_unavailable.
func (c Collection[T]) Erasure(ctx context.Context, id string) (lore.Erasure, error) {
	erasure, err := c.client.erasure(ctx, lore.Target{Collection: c.name, ID: id})
	if errors.Is(err, ErrNotFound) {
		return erasure, lore.NotFound("erasure")
	}
	return erasure, err
}

// Erasures returns which items of the collection were erased, oldest first, since a time and behind another erasure, at most limit; and
// behind which one the next page begins, nil on the last. An item that is there again, since its source said the same again or the
// curator made it anew, is left out. Errors: store_unavailable.
func (c Collection[T]) Erasures(ctx context.Context, since time.Time, after *lore.Erasure, limit int) (
	page []lore.Erasure, next *lore.Erasure, err error,
) {
	filter := append(SinceClause(lore.Filter{Since: since}.Writable().Since),
		Term("decision", lore.VerdictErase), Term("subject.collection", c.name))
	body := map[string]any{
		"query": map[string]any{"bool": map[string]any{"filter": filter}},
		"sort":  []any{map[string]any{"at": "asc"}, map[string]any{"subject.id": "asc"}},
		"size":  limit, "track_total_hits": false, "_source": []string{"subject", "at"},
	}
	if after != nil {
		body["search_after"] = []any{after.ErasedAt.UnixMilli(), after.ID}
	}
	var answer SearchAnswer[lore.Decision]
	if err := c.client.Query(ctx, []string{c.client.Alias(DecisionsIndex)}, body, &answer); err != nil {
		return nil, nil, fmt.Errorf("read erasures: %w", err)
	}
	var ids []string
	for _, hit := range answer.Hits.Hits {
		page, ids = append(page, lore.Erasure{ID: hit.Source.Subject.ID, ErasedAt: hit.Source.At}), append(ids, hit.Source.Subject.ID)
	}
	if len(page) == limit {
		next = new(page[limit-1])
	}
	there, err := ReadByID[struct{}](ctx, c.client, c.client.AliasOf(c.name), ids, "*")
	if err != nil {
		return nil, nil, err
	}
	page = slices.DeleteFunc(page, func(erasure lore.Erasure) bool { _, again := there[erasure.ID]; return again })
	return page, next, nil
}
