package curation

import (
	"context"
	"fmt"
	"strconv"
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
	query, alias := index.TermsQuery("family_key", families), c.client.AliasOf(lore.Submissions)
	err := index.EachRow(ctx, c.client, alias, query, familyColumns, func(id string, row index.Row) error {
		millis, err := strconv.ParseInt(row.First("created_at"), 10, 64)
		if err != nil {
			return fmt.Errorf("read families: a time: %w", err)
		}
		var warnings []lore.ItemWarning
		for _, code := range row["warnings.code"] {
			warnings = append(warnings, lore.ItemWarning{Code: code})
		}
		key := row.First("family_key")
		members[key] = append(members[key], lore.FamilyMember{
			ID: id, SourceID: row.First("source_id"), PatternID: row.First("pattern_id"), FamilyID: row.First("family_id"), Project: row.First("project"),
			Void: row.First("status") != "" || lore.LeavesOut(warnings), CreatedAt: time.UnixMilli(millis).UTC(),
		})
		return nil
	})
	return members, err
}

// EachFamilyKey hands the ids of all families that reports would belong to, be they stored or not, to visit, with the number of reports.
// Errors: store_unavailable.
func (c *Store) EachFamilyKey(ctx context.Context, visit func(id string, reports int)) error {
	query := map[string]any{"exists": map[string]any{"field": "family_key"}}
	return c.eachBucket(ctx, query, []string{"family_key"}, func(of map[string]string, reports int) { visit(of["family_key"], reports) })
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
