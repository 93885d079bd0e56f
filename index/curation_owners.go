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

// AcceptedOwners returns those of the owners, or of all where none is named, that have submissions of tier 2 or more, each with at most
// two of the patterns that those are in, in order; "" stands for none.
func (c *Curation) AcceptedOwners(ctx context.Context, owners ...string) (map[string][]string, error) {
	accepted := map[string][]string{}
	filter := []any{map[string]any{"range": map[string]any{"tier": map[string]any{"gte": lore.TierCorroborated}}}}
	if len(owners) == 0 {
		return accepted, c.acceptedOwners(ctx, filter, accepted)
	}
	for some := range slices.Chunk(owners, ownersPage) {
		if err := c.acceptedOwners(ctx, append(filter, termsQuery("owner_key", some)), accepted); err != nil {
			return nil, err
		}
	}
	return accepted, nil
}

// acceptedOwners adds the owners of the submissions that pass the filter. It asks for pairs of owner and pattern: to gather the
// patterns of each owner takes Elasticsearch ten times as long.
func (c *Curation) acceptedOwners(ctx context.Context, filter []any, accepted map[string][]string) error {
	pairs := map[string]any{"size": ownersPage, "sources": []any{
		map[string]any{"owner": map[string]any{"terms": map[string]any{"field": "owner_key"}}},
		map[string]any{"pattern": map[string]any{"terms": map[string]any{"field": "pattern_id", "missing_bucket": true}}},
	}}
	for {
		body := map[string]any{
			"size": 0, "query": map[string]any{"bool": map[string]any{"filter": filter}}, "aggs": map[string]any{"pairs": map[string]any{"composite": pairs}},
		}
		var answer struct {
			Aggregations struct {
				Pairs struct {
					After   json.RawMessage `json:"after_key"`
					Buckets []struct {
						Key struct{ Owner, Pattern string } `json:"key"`
					} `json:"buckets"`
				} `json:"pairs"`
			} `json:"aggregations"`
		}
		if err := c.client.search(ctx, []string{c.client.aliasOf(lore.Submissions)}, body, &answer); err != nil {
			return fmt.Errorf("read owners: %w", err)
		}
		page := answer.Aggregations.Pairs
		for _, bucket := range page.Buckets {
			if owner := bucket.Key.Owner; len(accepted[owner]) < 2 {
				accepted[owner] = append(accepted[owner], bucket.Key.Pattern)
			}
		}
		if len(page.After) == 0 || len(page.Buckets) < ownersPage {
			return nil
		}
		pairs["after"] = page.After
	}
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
