package index

import (
	"context"
	"errors"
	"slices"

	"agentlore/lore"
	"agentlore/scrubber"
)

// DecisionsIndex is the index of what operators decided, for Client.Alias.
const DecisionsIndex = "decisions"

// Decisions keeps what operators decided, for ever: documents are added and never changed or deleted.
type Decisions struct{ client *Client }

// NewDecisions returns the decisions.
func NewDecisions(client *Client) *Decisions { return &Decisions{client} }

// Record adds decisions under their ids, by one request. A second try with the same id adds nothing. Errors: store_unavailable.
func (d *Decisions) Record(ctx context.Context, all ...scrubber.Scrubbed[lore.Decision]) error {
	if len(all) == 0 {
		return nil
	}
	operations := make([]Operation, len(all))
	for i, decision := range all {
		operations[i] = Operation{Action: "create", Index: d.client.Alias(DecisionsIndex), ID: decision.Value().ID, Document: decision.Value()}
	}
	results, err := d.client.Bulk(ctx, operations)
	for _, result := range results {
		if err == nil && !errors.Is(result.Err, ErrConflict) {
			err = result.Err
		}
	}
	return Wrapped("record decisions", err)
}

// Each hands the decisions that pass a filter to visit, oldest first (of each thousand subjects, where more are named). What was written
// within the last second may be missing. Errors: store_unavailable, visit's.
func (d *Decisions) Each(ctx context.Context, filter lore.DecisionFilter, visit func(lore.Decision) error) error {
	clauses := SinceClause(filter.Since)
	if len(filter.Verdicts) > 0 {
		clauses = append(clauses, TermsQuery("decision", filter.Verdicts))
	}
	each := func(clauses []any) error {
		query := map[string]any{"bool": map[string]any{"filter": clauses}}
		return EachPage(ctx, d.client, d.client.Alias(DecisionsIndex), query, ByTime, func(page []lore.Decision) error {
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
