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

// ConfirmedFixes returns, for each source that has some, the keys of its fixes that others confirmed whose standing was given.
func (c *Store) ConfirmedFixes(ctx context.Context) (map[string][]string, error) {
	found := map[string][]string{}
	err := c.eachBucket(ctx, index.Term("confirmed", true), []string{"source_id", "fix_key"}, func(of map[string]string, _ int) {
		if key := of["fix_key"]; key != "" {
			found[of["source_id"]] = append(found[of["source_id"]], key)
		}
	})
	return found, err
}

// bucketPage is how many buckets one answer holds; Elasticsearch allows 65,536.
const bucketPage = 10_000

// eachBucket hands the values that submissions have in some fields, "" where one has none, to visit, with the number of submissions that
// have the same.
func (c *Store) eachBucket(ctx context.Context, query map[string]any, fields []string, visit func(of map[string]string, count int)) error {
	var sources []any
	for _, field := range fields {
		sources = append(sources, map[string]any{field: map[string]any{"terms": map[string]any{"field": field, "missing_bucket": true}}})
	}
	composite := map[string]any{"size": bucketPage, "sources": sources}
	body := map[string]any{"size": 0, "query": query, "aggs": map[string]any{"all": map[string]any{"composite": composite}}}
	for {
		var answer struct {
			Aggregations struct {
				All struct {
					After   json.RawMessage `json:"after_key"`
					Buckets []struct {
						Key   map[string]string `json:"key"` // null is ""
						Count int               `json:"doc_count"`
					} `json:"buckets"`
				} `json:"all"`
			} `json:"aggregations"`
		}
		if err := c.client.Query(ctx, []string{c.client.AliasOf(lore.Submissions)}, body, &answer); err != nil {
			return fmt.Errorf("count submissions: %w", err)
		}
		page := answer.Aggregations.All
		for _, bucket := range page.Buckets {
			visit(bucket.Key, bucket.Count)
		}
		if len(page.Buckets) < bucketPage {
			return nil
		}
		composite["after"] = page.After
	}
}
