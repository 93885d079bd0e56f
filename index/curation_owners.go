package index

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"agentlore/lore"
)

// ownersPage is how many owners one aggregation returns. Each page looks at all documents again. With two values for each owner
// it stays below half of what Elasticsearch allows one answer to hold (search.max_buckets, 65,536).
const ownersPage = 10_000

// eachOwner runs an aggregation by owner over an alias to its end.
func (c *Curation) eachOwner(ctx context.Context, alias string, query, within map[string]any, visit func(owner string, bucket json.RawMessage) error) error {
	composite := map[string]any{"size": ownersPage, "sources": []any{map[string]any{"owner": map[string]any{"terms": map[string]any{"field": "owner_key"}}}}}
	for {
		body := map[string]any{"size": 0, "query": query, "aggs": map[string]any{"owners": map[string]any{"composite": composite, "aggs": within}}}
		var answer searchAnswer[struct{}]
		if err := c.client.search(ctx, []string{alias}, body, &answer); err != nil {
			return fmt.Errorf("read owners: %w", err)
		}
		var page struct {
			After   json.RawMessage   `json:"after_key"`
			Buckets []json.RawMessage `json:"buckets"`
		}
		if err := json.Unmarshal(answer.Aggregations["owners"], &page); err != nil {
			return fmt.Errorf("read owners: %w", err)
		}
		for _, bucket := range page.Buckets {
			var head struct {
				Key struct {
					Owner string `json:"owner"`
				} `json:"key"`
			}
			if err := json.Unmarshal(bucket, &head); err != nil {
				return fmt.Errorf("read owners: %w", err)
			}
			if err := visit(head.Key.Owner, bucket); err != nil {
				return err
			}
		}
		if len(page.After) == 0 || len(page.Buckets) < ownersPage {
			return nil
		}
		composite["after"] = page.After
	}
}

// noPattern stands for submissions without a pattern in an aggregation.
const noPattern = "-"

// AcceptedOwners returns the owners that have submissions of tier 2 or more, each with at most two of the patterns that those
// are in; "" stands for none.
func (c *Curation) AcceptedOwners(ctx context.Context) (map[string][]string, error) {
	query := map[string]any{"range": map[string]any{"tier": map[string]any{"gte": lore.TierCorroborated}}}
	within := map[string]any{"patterns": map[string]any{"terms": map[string]any{"field": "pattern_id", "size": 2, "missing": noPattern}}}
	accepted := map[string][]string{}
	err := c.eachOwner(ctx, c.client.aliasOf(lore.Submissions), query, within, func(owner string, bucket json.RawMessage) error {
		var values struct {
			Patterns buckets `json:"patterns"`
		}
		if err := json.Unmarshal(bucket, &values); err != nil {
			return fmt.Errorf("read owners: %w", err)
		}
		for _, b := range values.Patterns.Buckets {
			pattern := b.value()
			if pattern == noPattern {
				pattern = ""
			}
			accepted[owner] = append(accepted[owner], pattern)
		}
		slices.Sort(accepted[owner])
		return nil
	})
	return accepted, err
}

// OwnersKnownSince returns when the first source of each of the owners registered. Owners without a source are left out.
func (c *Curation) OwnersKnownSince(ctx context.Context, owners []string) (map[string]time.Time, error) {
	within := map[string]any{"since": map[string]any{"min": map[string]any{"field": "created_at"}}}
	since := map[string]time.Time{}
	for some := range slices.Chunk(owners, ownersPage) {
		query := map[string]any{"bool": map[string]any{"filter": []any{map[string]any{"term": map[string]any{"kind": kindName}}, termsQuery("owner_key", some)}}}
		err := c.eachOwner(ctx, c.client.alias(accounts), query, within, func(owner string, bucket json.RawMessage) error {
			var values struct {
				Since struct {
					Value float64 `json:"value"`
				} `json:"since"`
			}
			if err := json.Unmarshal(bucket, &values); err != nil {
				return fmt.Errorf("read owners: %w", err)
			}
			since[owner] = time.UnixMilli(int64(values.Since.Value)).UTC()
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return since, nil
}

// OwnersOfSources returns the owner of each source.
func (c *Curation) OwnersOfSources(ctx context.Context, sources []string) (map[string]string, error) {
	owners := map[string]string{}
	for some := range slices.Chunk(sources, changePage) {
		body := map[string]any{
			"size": changePage, "_source": []string{"source_id", "owner_key"},
			"query": map[string]any{"bool": map[string]any{"filter": []any{map[string]any{"term": map[string]any{"kind": kindName}}, termsQuery("source_id", some)}}},
		}
		var answer searchAnswer[account]
		if err := c.client.search(ctx, []string{c.client.alias(accounts)}, body, &answer); err != nil {
			return nil, fmt.Errorf("read owners of sources: %w", err)
		}
		for _, hit := range answer.Hits.Hits {
			owners[hit.Source.SourceID] = hit.Source.OwnerKey
		}
	}
	return owners, nil
}
