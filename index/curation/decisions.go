package curation

import (
	"context"
	"slices"
	"time"

	"agentlore/index"
	"agentlore/lore"
)

// OutcomesOf returns the outcomes on items, oldest first.
func (c *Store) OutcomesOf(ctx context.Context, ids []string) ([]lore.Outcome, error) {
	return allWith[lore.Outcome](ctx, c.client, c.client.Alias(index.OutcomesIndex), "target.id", ids, index.ByTime)
}

// Decisions returns the decisions that pass a filter, oldest first.
func (c *Store) Decisions(ctx context.Context, filter lore.DecisionFilter) (found []lore.Decision, err error) {
	err = c.client.EachDecision(ctx, filter, func(decision lore.Decision) error { found = append(found, decision); return nil })
	return found, err
}

// FlagsOn returns the safety flags on items.
func (c *Store) FlagsOn(ctx context.Context, ids []string) ([]lore.SafetyFlag, error) {
	return allWith[lore.SafetyFlag](ctx, c.client, c.client.AliasOf(lore.SafetyFlags), "target.id", ids, index.ByID)
}

// allWith returns all documents that have one of the values, in an order within each thousand of them.
func allWith[T any](ctx context.Context, c *index.Client, alias, field string, values []string, order []any) (found []T, err error) {
	for some := range slices.Chunk(values, index.ChangePage) {
		page, err := index.ReadAll[T](ctx, c, alias, index.TermsQuery(field, some), order)
		if err != nil {
			return nil, err
		}
		found = append(found, page...)
	}
	return found, nil
}

// ChangedItems returns the ids of items that something was said of since a time: an outcome, a decision, a flag; and those
// whose flags, which stand for lapse, lapsed since then. What is said of a fix is said of all submissions that give it in the same words.
func (c *Store) ChangedItems(ctx context.Context, since, now time.Time, lapse time.Duration) ([]string, error) {
	var ids []string
	query := map[string]any{"bool": map[string]any{"filter": index.SinceClause(since)}}
	outcomes, err := index.ReadAll[lore.Outcome](ctx, c.client, c.client.Alias(index.OutcomesIndex), query, index.ByTime)
	if err != nil {
		return nil, err
	}
	var fixKeys, decided []string
	for _, outcome := range outcomes {
		ids, fixKeys = append(ids, outcome.Target.ID), append(fixKeys, outcome.FixKey)
	}
	err = c.client.EachDecision(ctx, lore.DecisionFilter{Since: since}, func(decision lore.Decision) error {
		if ids = append(ids, decision.Subject.ID); decision.Object != nil {
			ids = append(ids, decision.Object.ID)
		}
		if decision.Subject.Collection == lore.SafetyFlags {
			decided = append(decided, decision.Subject.ID)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	judged, err := index.ReadByID[lore.SafetyFlag](ctx, c.client, c.client.AliasOf(lore.SafetyFlags), decided)
	if err != nil {
		return nil, err
	}
	for _, flag := range judged {
		fixKeys = append(fixKeys, flag.FixKey)
	}
	sharing, err := c.sharing(ctx, fixKeys)
	if err != nil {
		return nil, err
	}
	ids = append(ids, sharing...)
	raised := func(from, to time.Time) map[string]any {
		bounds := map[string]any{"gte": from.UTC().Format(time.RFC3339Nano), "lte": to.UTC().Format(time.RFC3339Nano)}
		return map[string]any{"range": map[string]any{"created_at": bounds}}
	}
	either := []any{raised(since, now.Add(time.Hour)), raised(since.Add(-lapse), now.Add(-lapse))}
	query = map[string]any{"bool": map[string]any{"should": either}}
	flags, err := index.ReadAll[lore.SafetyFlag](ctx, c.client, c.client.AliasOf(lore.SafetyFlags), query, index.ByID)
	for _, flag := range flags {
		ids = append(ids, flag.Target.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids), err
}

// sharing returns the ids of the submissions that give fixes in the same words.
func (c *Store) sharing(ctx context.Context, fixKeys []string) (ids []string, err error) {
	slices.Sort(fixKeys)
	fixKeys = slices.DeleteFunc(slices.Compact(fixKeys), func(key string) bool { return key == "" })
	err = c.submissions(ctx, "fix_key", fixKeys, "", func(id, _ string) { ids = append(ids, id) })
	return ids, err
}

// SpokenOfBy returns the ids of the items that sources reported an outcome of or flagged.
func (c *Store) SpokenOfBy(ctx context.Context, sources []string) (ids []string, err error) {
	outcomes, err := allWith[lore.Outcome](ctx, c.client, c.client.Alias(index.OutcomesIndex), "source_id", sources, index.ByTime)
	if err != nil {
		return nil, err
	}
	for _, outcome := range outcomes {
		ids = append(ids, outcome.Target.ID)
	}
	flags, err := allWith[lore.SafetyFlag](ctx, c.client, c.client.AliasOf(lore.SafetyFlags), "raised_by", sources, index.ByID)
	for _, flag := range flags {
		ids = append(ids, flag.Target.ID)
	}
	return ids, err
}

// DropErased deletes what a pass that was under way may have written of reports that were erased meanwhile: their links, the flags and
// outcomes on them, patterns and units that name one of them or have one of the ids in made. It returns the other reports that those
// patterns and units name, which are to be judged anew. Errors: as Write.
func (c *Store) DropErased(ctx context.Context, reports, made []string) (left []string, err error) {
	if err := c.lease.Sure(ctx); err != nil {
		return nil, err
	}
	for some := range slices.Chunk(reports, index.ChangePage) {
		for alias, field := range map[string]string{
			c.client.Alias(links): "id", c.client.AliasOf(lore.SafetyFlags): "target.id", c.client.Alias(index.OutcomesIndex): "target.id",
			c.client.AliasOf(lore.Events): "target.id",
		} {
			ids, err := index.IDsOf(ctx, c.client, alias, index.TermsQuery(field, some))
			if err != nil {
				return nil, err
			}
			if err := c.client.DeleteDocuments(ctx, alias, ids); err != nil {
				return nil, err
			}
		}
	}
	for _, collection := range []lore.Collection{lore.Patterns, lore.KnowledgeUnits} {
		alias := c.client.AliasOf(collection)
		for some := range slices.Chunk(slices.Concat(reports, made), index.ChangePage) {
			query := map[string]any{"bool": map[string]any{"should": []any{
				index.TermsQuery("id", some), index.TermsQuery("example_ids", some), index.TermsQuery("evidence.submission_ids", some),
			}}}
			found, err := index.ReadAll[erasable](ctx, c.client, alias, query, index.ByID)
			if err != nil {
				return nil, err
			}
			var gone []string
			for _, one := range found {
				gone, left = append(gone, one.ID), append(left, one.reports()...)
			}
			if err := c.client.DeleteDocuments(ctx, alias, gone); err != nil {
				return nil, err
			}
		}
	}
	return slices.DeleteFunc(left, func(id string) bool { return slices.Contains(reports, id) }), nil
}
