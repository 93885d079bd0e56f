package curation

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/index"
	"agentlore/index/accounts"
	"agentlore/lore"
)

// AccountsOf returns the accounts of sources, by source. Errors: store_unavailable.
func (c *Store) AccountsOf(ctx context.Context, sources []string) (map[string]lore.Account, error) {
	found, err := c.accountsWith(ctx, "source_id", sources)
	if err != nil || len(found) == len(sources) {
		return found, err
	}
	// One that registered and reported a moment ago: it must not count as another than it is.
	missing := slices.DeleteFunc(slices.Clone(sources), func(id string) bool { _, there := found[id]; return there })
	if err := c.client.Do(ctx, esapi.IndicesRefreshRequest{Index: []string{c.client.Alias(index.AccountsIndex)}}, nil); err != nil {
		return nil, err
	}
	late, err := c.accountsWith(ctx, "source_id", missing)
	maps.Copy(found, late)
	return found, err
}

// AccountsOfPrincipals returns all accounts of principals, by source. Errors: store_unavailable.
func (c *Store) AccountsOfPrincipals(ctx context.Context, principals []string) (map[string]lore.Account, error) {
	return c.accountsWith(ctx, "principal", principals)
}

// AccountsOfOwners returns all accounts whose principals gave one of the owners, by source. Errors: store_unavailable.
func (c *Store) AccountsOfOwners(ctx context.Context, ownerKeys []string) (map[string]lore.Account, error) {
	return c.accountsWith(ctx, "owner_key", ownerKeys)
}

func (c *Store) accountsWith(ctx context.Context, field string, values []string) (map[string]lore.Account, error) {
	held := map[string]lore.Account{}
	for some := range slices.Chunk(values, index.ChangePage) {
		found, err := accounts.Find(ctx, c.client, index.Term("kind", accounts.KindAccount), index.TermsQuery(field, some))
		if err != nil {
			return nil, err
		}
		for _, one := range found {
			source := one.Source
			held[source.SourceID] = lore.Account{
				SourceID: source.SourceID, Principal: source.Principal, OwnerKey: source.OwnerKey, Network: source.Network, Since: source.Since,
				Imported: source.Imported, Banned: !source.BannedAt.IsZero(),
			}
		}
	}
	return held, nil
}

// contributionsPage is how many pairs of source and pattern one answer holds; Elasticsearch allows 65,536.
const contributionsPage = 10_000

// Contributions returns, for each source that has some, the patterns in which others with standing confirmed its submissions, and one ""
// for each of them that has no pattern. Errors: store_unavailable.
func (c *Store) Contributions(ctx context.Context) (map[string][]string, error) {
	found := map[string][]string{}
	pairs := map[string]any{"size": contributionsPage, "sources": []any{
		map[string]any{"source": map[string]any{"terms": map[string]any{"field": "source_id"}}},
		map[string]any{"pattern": map[string]any{"terms": map[string]any{"field": "pattern_id", "missing_bucket": true}}},
	}}
	for {
		body := map[string]any{
			"size": 0, "query": index.Term("confirmed", true), "aggs": map[string]any{"pairs": map[string]any{"composite": pairs}},
		}
		var answer struct {
			Aggregations struct {
				Pairs struct {
					After   json.RawMessage `json:"after_key"`
					Buckets []struct {
						Key struct {
							Source  string `json:"source"`
							Pattern string `json:"pattern"`
						} `json:"key"`
						Count int `json:"doc_count"`
					} `json:"buckets"`
				} `json:"pairs"`
			} `json:"aggregations"`
		}
		if err := c.client.Query(ctx, []string{c.client.AliasOf(lore.Submissions)}, body, &answer); err != nil {
			return nil, fmt.Errorf("read contributions: %w", err)
		}
		page := answer.Aggregations.Pairs
		for _, bucket := range page.Buckets {
			times := 1 // a pattern counts once
			if bucket.Key.Pattern == "" {
				times = bucket.Count
			}
			found[bucket.Key.Source] = append(found[bucket.Key.Source], slices.Repeat([]string{bucket.Key.Pattern}, times)...)
		}
		if len(page.After) == 0 || len(page.Buckets) < contributionsPage {
			return found, nil
		}
		pairs["after"] = page.After
	}
}
