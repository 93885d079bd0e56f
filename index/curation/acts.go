package curation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"agentlore/index"
	"agentlore/lore"
)

// weekSources is how many sources of a week are counted.
const weekSources = 10_000

// BusyWeeks returns how many outcomes and flags each source gave in weeks in which all together gave more than a number, by the beginning of
// the week (UTC, Monday). Errors: store_unavailable.
func (c *Store) BusyWeeks(ctx context.Context, moreThan int) (map[time.Time]map[string]int, error) {
	weeks := map[time.Time]map[string]int{}
	for _, acts := range c.client.Acts() {
		body := map[string]any{"size": 0, "aggs": map[string]any{"weeks": map[string]any{
			"date_histogram": map[string]any{"field": acts.At, "calendar_interval": "week", "min_doc_count": 1},
			"aggs":           map[string]any{"by": index.TermsOf(acts.By, weekSources)},
		}}}
		var answer index.SearchAnswer[struct{}]
		if err := c.client.Query(ctx, []string{acts.Alias}, body, &answer); err != nil {
			return nil, fmt.Errorf("count acts: %w", err)
		}
		var found struct {
			Buckets []struct {
				Key int64 `json:"key"`
				By  struct {
					Buckets []struct {
						Key   string `json:"key"`
						Count int    `json:"doc_count"`
					} `json:"buckets"`
				} `json:"by"`
			} `json:"buckets"`
		}
		if err := json.Unmarshal(answer.Aggregations["weeks"], &found); err != nil {
			return nil, fmt.Errorf("count acts: %w", err)
		}
		for _, bucket := range found.Buckets {
			week := time.UnixMilli(bucket.Key).UTC()
			if weeks[week] == nil {
				weeks[week] = map[string]int{}
			}
			for _, by := range bucket.By.Buckets {
				if by.Key != lore.RaisedByAgentlore {
					weeks[week][by.Key] += by.Count
				}
			}
		}
	}
	for week, by := range weeks {
		all := 0
		for _, count := range by {
			all += count
		}
		if all <= moreThan {
			delete(weeks, week)
		}
	}
	return weeks, nil
}

// ActsIn returns when sources gave outcomes and flags in a week, in order of time. Errors: store_unavailable.
func (c *Store) ActsIn(ctx context.Context, sources []string, week time.Time) (at []time.Time, err error) {
	for _, acts := range c.client.Acts() {
		type act struct {
			At        time.Time `json:"at"`
			CreatedAt time.Time `json:"created_at"`
		}
		found, err := index.ReadAll[act](ctx, c.client, acts.Alias, acts.InWeek(sources, week), index.ByID)
		if err != nil {
			return nil, err
		}
		for _, one := range found {
			if one.At.IsZero() {
				one.At = one.CreatedAt
			}
			at = append(at, one.At)
		}
	}
	slices.SortFunc(at, time.Time.Compare)
	return at, nil
}

// HarmTo returns the outcomes that found fixes unsafe and the confirmed flags on them, wherever they stand, by their keys. Errors:
// store_unavailable.
func (c *Store) HarmTo(ctx context.Context, fixKeys []string) (outcomes []lore.Outcome, flags []lore.SafetyFlag, err error) {
	for some := range slices.Chunk(fixKeys, index.ChangePage) {
		of := func(field string, value any) map[string]any {
			return map[string]any{"bool": map[string]any{"filter": []any{index.TermsQuery("fix_key", some), index.Term(field, value)}}}
		}
		harmed, err := index.ReadAll[lore.Outcome](ctx, c.client, c.client.Alias(index.OutcomesIndex), of("outcome", lore.ResultUnsafe), index.ByTime)
		if err != nil {
			return nil, nil, err
		}
		condemned, err := index.ReadAll[lore.SafetyFlag](ctx, c.client, c.client.AliasOf(lore.SafetyFlags), of("status", lore.FlagConfirmed), index.ByID)
		if err != nil {
			return nil, nil, err
		}
		outcomes, flags = append(outcomes, harmed...), append(flags, condemned...)
	}
	return outcomes, flags, nil
}

// Catalogued returns which of some addresses the catalog has. Errors: store_unavailable.
func (c *Store) Catalogued(ctx context.Context, addresses []string) (map[string]bool, error) {
	known := map[string]bool{}
	for some := range slices.Chunk(addresses, index.ChangePage) {
		found, err := index.ReadAll[struct {
			Entities []string `json:"entities"`
		}](ctx, c.client, c.client.AliasOf(lore.Assets), index.TermsQuery("entities", some), index.ByID)
		if err != nil {
			return nil, err
		}
		for _, asset := range found {
			for _, entity := range asset.Entities {
				known[entity] = true
			}
		}
	}
	return known, nil
}
