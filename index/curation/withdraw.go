package curation

import (
	"context"

	"agentlore/index"
	"agentlore/lore"
)

// WithdrawFilter says which items are withdrawn together.
type WithdrawFilter struct {
	Collection lore.Collection
	lore.Filter
	// Words must all be in the item, in the forms that a search takes for the same; empty: any.
	Words string
}

// Brief is an item in one line.
type Brief struct {
	ID      string `json:"id"`
	Summary string `json:"summary"`
}

// query finds the items of the filter that aren't withdrawn.
func (f WithdrawFilter) query() map[string]any {
	filter := index.FilterClauses(f.Filter)
	if f.Words != "" {
		filter = append(filter, map[string]any{"match": map[string]any{"text": map[string]any{"query": f.Words, "operator": "and"}}})
	}
	return map[string]any{"bool": map[string]any{
		"filter": filter, "must_not": []any{map[string]any{"term": map[string]any{"status": lore.UnitWithdrawn}}},
	}}
}

// CountToWithdraw returns how many items of a filter aren't withdrawn. Errors: store_unavailable.
func (r *Review) CountToWithdraw(ctx context.Context, filter WithdrawFilter) (int64, error) {
	return r.client.Count(ctx, r.client.AliasOf(filter.Collection), filter.query())
}

// ToWithdraw returns the items of a filter that aren't withdrawn, in order of id: those behind an id, at most limit. Errors:
// store_unavailable.
func (r *Review) ToWithdraw(ctx context.Context, filter WithdrawFilter, after string, limit int) ([]Brief, error) {
	return index.SearchByID[Brief](ctx, r.client, r.client.AliasOf(filter.Collection), filter.query(), map[string]any{"includes": []string{"id", "summary"}}, after, limit)
}
