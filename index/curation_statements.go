package index

import (
	"context"
	"fmt"
	"slices"
	"time"

	"agentlore/lore"
)

// OutcomesOf returns the outcomes on items.
func (c *Curation) OutcomesOf(ctx context.Context, ids []string) ([]lore.Outcome, error) {
	var found []lore.Outcome
	err := c.outcomes.Of(ctx, ids, func(some []lore.Outcome) error { found = append(found, some...); return nil })
	return found, err
}

// DecisionsOf returns the decisions whose subject is one of the items.
func (c *Curation) DecisionsOf(ctx context.Context, ids []string) ([]lore.Decision, error) {
	var found []lore.Decision
	err := c.decisions.Of(ctx, ids, func(some []lore.Decision) error { found = append(found, some...); return nil })
	return found, err
}

// DecisionsWith returns all decisions with one of the verdicts, oldest first.
func (c *Curation) DecisionsWith(ctx context.Context, verdicts ...lore.Verdict) ([]lore.Decision, error) {
	var found []lore.Decision
	filter := []any{termsQuery("decision", verdicts)}
	err := visitByTime(ctx, c.client, c.client.alias(decisions), filter, func(some []lore.Decision) error { found = append(found, some...); return nil })
	return found, err
}

// CountDecisions returns how many decisions with one of the verdicts there are.
func (c *Curation) CountDecisions(ctx context.Context, verdicts ...lore.Verdict) (int64, error) {
	var answer searchAnswer[struct{}]
	body := map[string]any{"size": 0, "track_total_hits": true, "query": termsQuery("decision", verdicts)}
	if err := c.client.search(ctx, []string{c.client.alias(decisions)}, body, &answer); err != nil {
		return 0, fmt.Errorf("count decisions: %w", err)
	}
	return answer.Hits.Total.Value, nil
}

// FlagsOn returns the safety flags on items.
func (c *Curation) FlagsOn(ctx context.Context, ids []string) ([]lore.SafetyFlag, error) {
	var found []lore.SafetyFlag
	for some := range slices.Chunk(ids, changePage) {
		flags, err := c.flags(ctx, termsQuery("target.id", some))
		if err != nil {
			return nil, err
		}
		found = append(found, flags...)
	}
	return found, nil
}

func (c *Curation) flags(ctx context.Context, query map[string]any) ([]lore.SafetyFlag, error) {
	return all(ctx, c.client, c.client.aliasOf(lore.SafetyFlags), query, nil, func(f lore.SafetyFlag) string { return f.ID })
}

// ChangedItems returns the ids of items that something was said of since a time: an outcome, a decision, a flag; and those
// whose flags, which stand for lapse, lapsed since then.
func (c *Curation) ChangedItems(ctx context.Context, since, now time.Time, lapse time.Duration) ([]string, error) {
	ids := map[string]bool{}
	err := c.outcomes.ChangedSince(ctx, since, func(some []lore.Outcome) error {
		for _, outcome := range some {
			ids[outcome.Target.ID] = true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = c.decisions.ChangedSince(ctx, since, func(some []lore.Decision) error {
		for _, decision := range some {
			ids[decision.Subject.ID] = true
			if decision.Object != nil {
				ids[decision.Object.ID] = true
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	window := func(from, to time.Time) map[string]any {
		return map[string]any{"range": map[string]any{"created_at": map[string]any{"gte": from.UTC().Format(time.RFC3339Nano), "lte": to.UTC().Format(time.RFC3339Nano)}}}
	}
	flags, err := c.flags(ctx, map[string]any{"bool": map[string]any{"should": []any{window(since, now.Add(time.Hour)), window(since.Add(-lapse), now.Add(-lapse))}}})
	if err != nil {
		return nil, err
	}
	for _, flag := range flags {
		ids[flag.Target.ID] = true
	}
	return sortedKeys(ids), nil
}

// SpokenOfBy returns the ids of the items that sources reported an outcome of or flagged.
func (c *Curation) SpokenOfBy(ctx context.Context, sources []string) ([]string, error) {
	ids := map[string]bool{}
	for some := range slices.Chunk(sources, changePage) {
		err := visitByTime(ctx, c.client, c.client.alias(outcomes), []any{termsQuery("source_id", some)}, func(found []lore.Outcome) error {
			for _, outcome := range found {
				ids[outcome.Target.ID] = true
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		flags, err := c.flags(ctx, termsQuery("raised_by", some))
		if err != nil {
			return nil, err
		}
		for _, flag := range flags {
			ids[flag.Target.ID] = true
		}
	}
	return sortedKeys(ids), nil
}
