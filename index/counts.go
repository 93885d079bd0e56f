package index

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
)

// Counts returns the exact number of items of each collection, in one round trip. A new item counts when it can be
// searched, within a second. Errors: store_unavailable.
func (c *Client) Counts(ctx context.Context, collections ...lore.Collection) (map[lore.Collection]int64, error) {
	aliases, counts := make([]string, len(collections)), make(map[lore.Collection]int64, len(collections))
	for i, collection := range collections {
		aliases[i], counts[collection] = c.AliasOf(collection), 0
	}
	var answer SearchAnswer[struct{}]
	body := map[string]any{"size": 0, "aggs": map[string]any{"counts": TermsOf("_index", len(collections))}}
	if err := c.Query(ctx, aliases, body, &answer); err != nil {
		return nil, fmt.Errorf("count: %w", err)
	}
	found, err := FacetCounts(answer.Aggregations["counts"])
	for _, one := range found {
		counts[c.CollectionOf(one.Value)] = one.Count
	}
	return counts, err
}

// pingTimeout is how long Elasticsearch may wait for an index that it doesn't know to appear.
const pingTimeout = time.Second

// Health says in a word how the indices are that every request needs: accounts, sources and submissions.
type Health string

// States of the store.
const (
	HealthOK       Health = "ok"
	HealthReadOnly Health = "read_only" // reads go on; every write is refused: a full disk, or an operator
	HealthRed      Health = "red"       // a primary shard is missing
	HealthDown     Health = "down"      // it doesn't answer
)

// Health looks how the store is.
func (c *Client) Health(ctx context.Context) Health {
	needed := []string{c.Alias(AccountsIndex), c.AliasOf(lore.Sources), c.AliasOf(lore.Submissions)}
	var health struct {
		Status string `json:"status"`
	}
	if err := c.Do(ctx, esapi.ClusterHealthRequest{Index: needed, Timeout: pingTimeout}, &health); err != nil {
		return HealthDown
	}
	if health.Status == "red" {
		return HealthRed
	}
	blocks, err := c.Blocks(ctx, needed)
	if err != nil {
		return HealthDown
	}
	for _, block := range blocks {
		if block.Name != WriteBlockSetting { // a migration's, which lasts a moment
			return HealthReadOnly
		}
	}
	return HealthOK
}

// WriteBlockSetting is the block that a migration sets.
const WriteBlockSetting = "index.blocks.write"

// IndexBlock is a block on an index.
type IndexBlock struct{ Index, Name string }

// Blocks returns the blocks that keep indices from being written.
func (c *Client) Blocks(ctx context.Context, aliases []string) ([]IndexBlock, error) {
	var settings map[string]struct {
		Settings map[string]any `json:"settings"`
	}
	request := esapi.IndicesGetSettingsRequest{
		Index: aliases, Name: []string{"index.blocks.*"}, FlatSettings: new(true), IgnoreUnavailable: new(true),
	}
	if err := c.Do(ctx, request, &settings); err != nil {
		return nil, err
	}
	var blocks []IndexBlock
	for index, found := range settings {
		for name, value := range found.Settings {
			if value == "true" {
				blocks = append(blocks, IndexBlock{index, name})
			}
		}
	}
	return blocks, nil
}

// TermsOf asks for the most frequent values of a keyword or number field.
func TermsOf(field string, size int) map[string]any {
	return map[string]any{"terms": map[string]any{"field": field, "size": size}}
}

// FacetCounts reads the values and counts of the answer to a terms or histogram aggregation.
func FacetCounts(answer json.RawMessage) ([]lore.FacetCount, error) {
	var parsed struct {
		Buckets []struct {
			Key         any    `json:"key"` // a text, or a small number such as a tier
			KeyAsString string `json:"key_as_string"`
			Count       int64  `json:"doc_count"`
		} `json:"buckets"`
	}
	if err := json.Unmarshal(answer, &parsed); err != nil {
		return nil, fmt.Errorf("read aggregation: %w", err)
	}
	counts := make([]lore.FacetCount, 0, len(parsed.Buckets))
	for _, bucket := range parsed.Buckets {
		counts = append(counts, lore.FacetCount{Value: cmp.Or(bucket.KeyAsString, fmt.Sprint(bucket.Key)), Count: bucket.Count})
	}
	return counts, nil
}

// topCount is how many tags and entities analytics names.
const topCount = 20

// countedBy is the aggregation that counts items by a span of time in which they were made.
func countedBy(span, format string) map[string]any {
	return map[string]any{"date_histogram": map[string]any{
		"field": "created_at", "calendar_interval": span, "format": format, "min_doc_count": 1,
	}}
}

// Analytics counts submissions by what they say, and sources by their type, in two searches of size 0. The filter's
// Since, Until and Ecosystem apply to submissions. What tags and entities come first counts a crowd's reports by sources. Errors:
// store_unavailable.
func (c *Client) Analytics(ctx context.Context, filter lore.Filter) (lore.Analytics, error) {
	crowds, err := c.Crowds(ctx)
	if err != nil {
		return lore.Analytics{}, err
	}
	aggregations := map[string]any{
		"category":  TermsOf("category", len(lore.Categories())),
		"tier":      TermsOf("tier", 4),
		"ecosystem": TermsOf("ecosystem", 50),
		"tags":      TermsOf("tags", topCount),
		"entities":  TermsOf("entities", topCount),
		"day":       countedBy("day", "yyyy-MM-dd"),
		"month":     countedBy("month", "yyyy-MM"),
		"scrubbed":  map[string]any{"terms": map[string]any{"field": "scrubbed_kinds", "size": 50}},
	}
	if len(crowds) > 0 {
		delete(aggregations, "tags")
		delete(aggregations, "entities")
	}
	submissions, err := c.aggregate(ctx, lore.Submissions, filter, aggregations)
	if err == nil && len(crowds) > 0 {
		err = c.topWithCrowds(ctx, filter, crowds, submissions.counts)
	}
	if err != nil {
		return lore.Analytics{}, err
	}
	sources, err := c.aggregate(ctx, lore.Sources, lore.Filter{}, map[string]any{"type": TermsOf("type", 10)})
	if err != nil {
		return lore.Analytics{}, err
	}
	return lore.Analytics{
		Submissions: submissions.total,
		ByCategory:  submissions.counts["category"], ByTier: submissions.counts["tier"],
		ByEcosystem: submissions.counts["ecosystem"], ByDay: submissions.counts["day"], ByMonth: submissions.counts["month"],
		TopTags: submissions.counts["tags"], TopEntities: submissions.counts["entities"],
		Scrubbed: submissions.counts["scrubbed"], BySourceType: sources.counts["type"],
	}, nil
}

// topWithCrowds adds the tags and entities that come first where some sources are crowds: each counts by the reports of all others and by
// the crowds that have it, and is shown with the number of all reports.
func (c *Client) topWithCrowds(ctx context.Context, filter lore.Filter, crowds []string, counts map[string][]lore.FacetCount) error {
	theirs := map[string]any{"cardinality": map[string]any{"field": "source_id"}}
	top := func(field string) map[string]any {
		others := map[string]any{"filter": map[string]any{"bool": map[string]any{"must_not": []any{OfSources(crowds)}}},
			"aggs": map[string]any{"top": TermsOf(field, topCount)}}
		of := TermsOf(field, mostCrowds)
		of["aggs"] = map[string]any{"sources": theirs}
		return map[string]any{field + "_others": others, field + "_crowds": map[string]any{"filter": OfSources(crowds), "aggs": map[string]any{"top": of}}}
	}
	aggregations := top("tags")
	maps.Copy(aggregations, top("entities"))
	body := map[string]any{
		"size": 0, "track_total_hits": false, "aggs": aggregations, "query": map[string]any{"bool": map[string]any{"filter": FilterClauses(filter)}},
	}
	var answer struct {
		Aggregations map[string]struct {
			Top struct {
				Buckets []struct {
					Value   string `json:"key"`
					Reports int64  `json:"doc_count"`
					Sources struct {
						Number int64 `json:"value"`
					} `json:"sources"`
				} `json:"buckets"`
			} `json:"top"`
		} `json:"aggregations"`
	}
	if err := c.Query(ctx, []string{c.AliasOf(lore.Submissions)}, body, &answer); err != nil {
		return fmt.Errorf("count tags: %w", err)
	}
	for _, field := range []string{"tags", "entities"} {
		reports, votes := map[string]int64{}, map[string]int64{}
		for _, one := range answer.Aggregations[field+"_others"].Top.Buckets {
			reports[one.Value], votes[one.Value] = one.Reports, one.Reports
		}
		for _, one := range answer.Aggregations[field+"_crowds"].Top.Buckets {
			reports[one.Value] += one.Reports
			votes[one.Value] += one.Sources.Number
		}
		values := slices.SortedFunc(maps.Keys(reports), func(a, b string) int {
			return cmp.Or(cmp.Compare(votes[b], votes[a]), cmp.Compare(reports[b], reports[a]), cmp.Compare(a, b))
		})
		counts[field] = []lore.FacetCount{}
		for _, value := range values[:min(len(values), topCount)] {
			counts[field] = append(counts[field], lore.FacetCount{Value: value, Count: reports[value]})
		}
	}
	return nil
}

// CategoryCounts returns the number of submissions of each category that has any. Errors: store_unavailable.
func (c *Client) CategoryCounts(ctx context.Context) ([]lore.FacetCount, error) {
	found, err := c.aggregate(ctx, lore.Submissions, lore.Filter{}, map[string]any{"category": TermsOf("category", len(lore.Categories()))})
	return found.counts["category"], err
}

// aggregated is what a search of size 0 found.
type aggregated struct {
	total  int64
	counts map[string][]lore.FacetCount
}

// aggregate runs aggregations over the filtered documents of a collection.
func (c *Client) aggregate(ctx context.Context, collection lore.Collection, filter lore.Filter, aggregations map[string]any) (aggregated, error) {
	body := map[string]any{
		"size": 0, "track_total_hits": true, "aggs": aggregations,
		"query": map[string]any{"bool": map[string]any{"filter": FilterClauses(filter)}},
	}
	var answer SearchAnswer[struct{}]
	if err := c.Query(ctx, []string{c.AliasOf(collection)}, body, &answer); err != nil {
		return aggregated{}, fmt.Errorf("aggregate %s: %w", collection, err)
	}
	result := aggregated{total: answer.Hits.Total.Value, counts: make(map[string][]lore.FacetCount, len(answer.Aggregations))}
	for name, part := range answer.Aggregations {
		counts, err := FacetCounts(part)
		if err != nil {
			return aggregated{}, err
		}
		result.counts[name] = counts
	}
	return result, nil
}
