package curation

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"agentlore/index"
	"agentlore/lore"
)

// familyColumns are the fields of a submission that a family is counted from, read from columns (doc values).
var familyColumns = []any{
	"family_key", "source_id", "pattern_id", "family_id", "project", "status", "warnings.code",
	map[string]any{"field": "created_at", "format": "epoch_millis"},
}

// FamilyMembers returns the reports of families, by family, in order of id. Errors: store_unavailable.
func (c *Store) FamilyMembers(ctx context.Context, families []string) (map[string][]lore.FamilyMember, error) {
	members := map[string][]lore.FamilyMember{}
	body := map[string]any{
		"query": index.TermsQuery("family_key", families), "sort": index.ByID, "size": index.ColumnPage, "track_total_hits": false,
		"_source": false, "stored_fields": "_none_", "docvalue_fields": familyColumns,
	}
	for {
		var answer struct {
			Hits struct {
				Hits []struct {
					Sort   [1]string           `json:"sort"`
					Fields map[string][]string `json:"fields"`
				} `json:"hits"`
			} `json:"hits"`
		}
		if err := c.client.Query(ctx, []string{c.client.AliasOf(lore.Submissions)}, body, &answer); err != nil {
			return nil, fmt.Errorf("read families: %w", err)
		}
		for _, hit := range answer.Hits.Hits {
			first := func(field string) string {
				if values := hit.Fields[field]; len(values) > 0 {
					return values[0]
				}
				return ""
			}
			var millis int64
			if _, err := fmt.Sscan(first("created_at"), &millis); err != nil {
				return nil, fmt.Errorf("read families: a time: %w", err)
			}
			var warnings []lore.ItemWarning
			for _, code := range hit.Fields["warnings.code"] {
				warnings = append(warnings, lore.ItemWarning{Code: code})
			}
			member := lore.FamilyMember{
				ID: hit.Sort[0], SourceID: first("source_id"), PatternID: first("pattern_id"), FamilyID: first("family_id"), Project: first("project"),
				Void: first("status") != "" || lore.LeavesOut(warnings), CreatedAt: time.UnixMilli(millis).UTC(),
			}
			members[first("family_key")] = append(members[first("family_key")], member)
		}
		if len(answer.Hits.Hits) < index.ColumnPage {
			return members, nil
		}
		body["search_after"] = []any{answer.Hits.Hits[len(answer.Hits.Hits)-1].Sort[0]}
	}
}

// familyBuckets is how many families one aggregation returns.
const familyBuckets = 10_000

// EachFamilyKey hands the ids of all families that reports would belong to, be they stored or not, to visit, with the number of reports.
// Errors: store_unavailable.
func (c *Store) EachFamilyKey(ctx context.Context, visit func(id string, reports int)) error {
	composite := map[string]any{"size": familyBuckets, "sources": []any{map[string]any{"id": map[string]any{"terms": map[string]any{"field": "family_key"}}}}}
	body := map[string]any{"size": 0, "aggs": map[string]any{"families": map[string]any{"composite": composite}}}
	for {
		var answer index.SearchAnswer[struct{}]
		if err := c.client.Query(ctx, []string{c.client.AliasOf(lore.Submissions)}, body, &answer); err != nil {
			return fmt.Errorf("count families: %w", err)
		}
		var found struct {
			AfterKey json.RawMessage `json:"after_key"`
			Buckets  []struct {
				Key struct {
					ID string `json:"id"`
				} `json:"key"`
				Count int `json:"doc_count"`
			} `json:"buckets"`
		}
		if err := json.Unmarshal(answer.Aggregations["families"], &found); err != nil {
			return fmt.Errorf("count families: %w", err)
		}
		for _, bucket := range found.Buckets {
			visit(bucket.Key.ID, bucket.Count)
		}
		if len(found.Buckets) < familyBuckets {
			return nil
		}
		composite["after"] = found.AfterKey
	}
}

// Families returns families by id. Errors: store_unavailable.
func (c *Store) Families(ctx context.Context, ids []string) (map[string]lore.Family, error) {
	return index.ReadByID[lore.Family](ctx, c.client, c.client.AliasOf(lore.Families), ids, index.PrivateFields...)
}

// EachFamily hands the ids of all stored families to visit. Errors: store_unavailable.
func (c *Store) EachFamily(ctx context.Context, visit func(id string)) error {
	everything := map[string]any{"match_all": map[string]any{}}
	return index.EachColumn(ctx, c.client, c.client.AliasOf(lore.Families), everything, "", func(id, _ string) { visit(id) })
}
