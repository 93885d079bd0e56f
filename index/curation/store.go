// Package curation is the store as the curator and operators see it: what they read of the corpus, decide, redact, erase and withdraw.
package curation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/index"
	"agentlore/lore"
)

// links is the internal index of what is alike.
const links = "links"

// leaseHeld is what a curator's writes need of its lease, as index.Lease has it: its epoch, which rises from holder to holder, and
// whether it can be sure that it still holds it.
type leaseHeld interface {
	Epoch() int64
	Sure(ctx context.Context) error
}

// Store is the store as the curator sees it. Its reads are of what is there at the moment of a search, within a second,
// but for those by id; its writes bear the epoch of the lease (write.go).
type Store struct {
	client *index.Client
	lease  leaseHeld
}

// New returns the store for a curator that holds the lease.
func New(client *index.Client, lease leaseHeld) *Store { return &Store{client, lease} }

// Refresh makes what was written findable by searches.
func (c *Store) Refresh(ctx context.Context) error {
	indices := []string{c.client.Alias(links), c.client.Alias(index.OutcomesIndex), c.client.Alias(index.DecisionsIndex)}
	for _, collection := range []lore.Collection{lore.Submissions, lore.Patterns, lore.KnowledgeUnits, lore.SafetyFlags, lore.Families} {
		indices = append(indices, c.client.AliasOf(collection))
	}
	return c.client.Do(ctx, esapi.IndicesRefreshRequest{Index: indices}, nil)
}

// notOfReports are the fields that a report is read without.
var notOfReports = []string{index.VectorField, index.VectorModelField, "epoch", "scrubbed_kinds", "scrubbed_total", "scrubbed", "signature",
	"earlier_summary", "earlier_content", "earlier_resolution"}

// notCurated are the fields that patterns and units are read without.
var notCurated = []string{"embedding", "epoch", "signature"}

// toCompare asks for the reports that a pass compares. A report without a fingerprint can't be missed, whenever it came.
func toCompare(which lore.ToCompare) map[string]any {
	var not []any
	if !which.All {
		not = append(not, map[string]any{"prefix": map[string]any{"fingerprint": which.Version + ":"}})
	}
	if len(which.Except) > 0 {
		not = append(not, index.TermsQuery("id", which.Except))
	}
	return map[string]any{"bool": map[string]any{"must_not": not}}
}

// ReportsToCompare returns reports that a pass compares, in order of id: those behind after, at most limit.
func (c *Store) ReportsToCompare(ctx context.Context, which lore.ToCompare, after string, limit int) ([]lore.Report, error) {
	source := map[string]any{"excludes": notOfReports}
	return index.SearchByID[lore.Report](ctx, c.client, c.client.AliasOf(lore.Submissions), toCompare(which), source, after, limit)
}

// CountReports returns how many reports there are, and how many of them a pass compares.
func (c *Store) CountReports(ctx context.Context, which lore.ToCompare) (all, waiting int64, err error) {
	body := map[string]any{
		"size": 0, "track_total_hits": true, "aggs": map[string]any{"waiting": map[string]any{"filter": toCompare(which)}},
	}
	var answer index.SearchAnswer[struct{}]
	if err := c.client.Query(ctx, []string{c.client.AliasOf(lore.Submissions)}, body, &answer); err != nil {
		return 0, 0, fmt.Errorf("count reports: %w", err)
	}
	var counted struct {
		Count int64 `json:"doc_count"`
	}
	if err := json.Unmarshal(answer.Aggregations["waiting"], &counted); err != nil {
		return 0, 0, fmt.Errorf("count reports: %w", err)
	}
	return answer.Hits.Total.Value, counted.Count, nil
}

// Reports returns reports by id.
func (c *Store) Reports(ctx context.Context, ids []string) (map[string]lore.Report, error) {
	return index.ReadByID[lore.Report](ctx, c.client, c.client.AliasOf(lore.Submissions), ids, notOfReports...)
}

// Patterns returns patterns by id.
func (c *Store) Patterns(ctx context.Context, ids []string) (map[string]lore.Pattern, error) {
	return index.ReadByID[lore.Pattern](ctx, c.client, c.client.AliasOf(lore.Patterns), ids, notCurated...)
}

// Units returns knowledge units by id.
func (c *Store) Units(ctx context.Context, ids []string) (map[string]lore.KnowledgeUnit, error) {
	return index.ReadByID[lore.KnowledgeUnit](ctx, c.client, c.client.AliasOf(lore.KnowledgeUnits), ids, notCurated...)
}

// EarnedUnits returns active units that are not the reference library's, in order of id: those behind an id, at most limit.
func (c *Store) EarnedUnits(ctx context.Context, after string, limit int) ([]lore.KnowledgeUnit, error) {
	query := map[string]any{"bool": map[string]any{
		"filter":   []any{index.Term("status", lore.UnitActive)},
		"must_not": []any{map[string]any{"exists": map[string]any{"field": "reference.id"}}},
	}}
	source := map[string]any{"excludes": notCurated}
	return index.SearchByID[lore.KnowledgeUnit](ctx, c.client, c.client.AliasOf(lore.KnowledgeUnits), query, source, after, limit)
}

// Sources returns sources by id.
func (c *Store) Sources(ctx context.Context, ids []string) (map[string]lore.Source, error) {
	return index.ReadByID[lore.Source](ctx, c.client, c.client.AliasOf(lore.Sources), ids, index.PrivateFields...)
}

// PatternsOf returns the pattern of each of the submissions that has one.
func (c *Store) PatternsOf(ctx context.Context, ids []string) (map[string]string, error) {
	patterns := make(map[string]string, len(ids))
	err := c.submissions(ctx, "id", ids, "pattern_id", func(id, pattern string) {
		if pattern != "" {
			patterns[id] = pattern
		}
	})
	return patterns, err
}

// MembersOf returns the ids of the submissions of each of the patterns.
func (c *Store) MembersOf(ctx context.Context, patterns []string) (map[string][]string, error) {
	members := map[string][]string{}
	return members, c.submissions(ctx, "pattern_id", patterns, "pattern_id", func(id, pattern string) {
		members[pattern] = append(members[pattern], id)
	})
}

// EachFollowUp hands each submission that follows another to visit, with the one that it follows.
func (c *Store) EachFollowUp(ctx context.Context, visit func(id, first string)) error {
	query := map[string]any{"exists": map[string]any{"field": "follows"}}
	return index.EachColumn(ctx, c.client, c.client.AliasOf(lore.Submissions), query, "follows", visit)
}

// EachTitle hands each curated report's title and the key of its family to visit.
func (c *Store) EachTitle(ctx context.Context, visit func(id, summary, familyKey string)) error {
	type titled struct {
		ID        string `json:"id"`
		Summary   string `json:"summary"`
		FamilyKey string `json:"family_key"`
	}
	curated := map[string]any{"exists": map[string]any{"field": "fingerprint"}}
	source := map[string]any{"includes": []string{"id", "summary", "family_key"}}
	for after := ""; ; {
		page, err := index.SearchByID[titled](ctx, c.client, c.client.AliasOf(lore.Submissions), curated, source, after, index.ChangePage)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, report := range page {
			visit(report.ID, report.Summary, report.FamilyKey)
		}
		after = page[len(page)-1].ID
	}
}

// ReportsOfSources returns the ids of the submissions of sources.
func (c *Store) ReportsOfSources(ctx context.Context, sources []string) (ids []string, err error) {
	err = c.submissions(ctx, "source_id", sources, "", func(id, _ string) { ids = append(ids, id) })
	return ids, err
}

// submissions hands the id and one more field of the submissions that have one of the values to visit.
func (c *Store) submissions(ctx context.Context, with string, values []string, field string, visit func(id, value string)) error {
	for some := range slices.Chunk(values, index.ColumnPage) {
		if err := index.EachColumn(ctx, c.client, c.client.AliasOf(lore.Submissions), index.TermsQuery(with, some), field, visit); err != nil {
			return err
		}
	}
	return nil
}

// EachLinks hands the links of all reports to visit. Errors: store_unavailable, visit's.
func (c *Store) EachLinks(ctx context.Context, visit func(lore.Links) error) error {
	everything := map[string]any{"match_all": map[string]any{}}
	return index.EachPage(ctx, c.client, c.client.Alias(links), everything, index.ByID, func(page []lore.Links) error {
		for _, one := range page {
			if err := visit(one); err != nil {
				return err
			}
		}
		return nil
	})
}
