package index

import (
	"context"
	"slices"
	"time"

	"agentlore/lore"
)

// ErasedSince returns the decisions since a time that erase something, oldest first.
func (c *Curation) ErasedSince(ctx context.Context, since time.Time) ([]lore.Decision, error) {
	var found []lore.Decision
	filter := DecisionFilter{Since: since, Verdict: lore.VerdictErase}
	err := c.decisions.Select(ctx, filter, func(some []lore.Decision) error { found = append(found, some...); return nil })
	return found, err
}

// DropErased deletes what a pass that was under way may have written of reports that were erased meanwhile: their links, the flags and
// outcomes on them, patterns and units that name one of them or have one of the ids in made. It returns the other reports that those
// patterns and units name, which are to be judged anew. Errors: as Write.
func (c *Curation) DropErased(ctx context.Context, reports, made []string) (left []string, err error) {
	if err := c.lease.Sure(ctx); err != nil {
		return nil, err
	}
	for some := range slices.Chunk(reports, changePage) {
		for alias, query := range map[string]map[string]any{
			c.client.alias(links): termsQuery("id", some), c.client.aliasOf(lore.SafetyFlags): termsQuery("target.id", some), c.client.alias(outcomes): termsQuery("target.id", some),
		} {
			var ids []string
			if err := eachColumn(ctx, c.client, alias, query, "", func(id, _ string) { ids = append(ids, id) }); err != nil {
				return nil, err
			}
			if err := c.client.deleteDocuments(ctx, alias, ids); err != nil {
				return nil, err
			}
		}
	}
	for _, collection := range []lore.Collection{lore.Patterns, lore.KnowledgeUnits} {
		for some := range slices.Chunk(slices.Concat(reports, made), changePage) {
			others, err := c.dropMadeOf(ctx, collection, some, reports)
			if err != nil {
				return nil, err
			}
			left = append(left, others...)
		}
	}
	return left, nil
}

// dropMadeOf deletes the patterns or units that have one of the ids or name it as a report, and returns what else they name.
func (c *Curation) dropMadeOf(ctx context.Context, collection lore.Collection, ids, erased []string) (left []string, err error) {
	alias := c.client.aliasOf(collection)
	query := map[string]any{"bool": map[string]any{"should": []any{
		termsQuery("id", ids), termsQuery("example_ids", ids), termsQuery("evidence.submission_ids", ids),
	}}}
	found, err := all(ctx, c.client, alias, query, map[string]any{"includes": []string{"id", "example_ids", "evidence"}}, func(d erasable) string { return d.ID })
	if err != nil {
		return nil, err
	}
	var gone []string
	for _, one := range found {
		gone, left = append(gone, one.ID), append(left, one.reports()...)
	}
	left = slices.DeleteFunc(left, func(id string) bool { return slices.Contains(erased, id) })
	return left, c.client.deleteDocuments(ctx, alias, gone)
}
