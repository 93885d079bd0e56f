package index

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
)

// findAccounts returns the documents of the accounts that pass all filters, in the order of their last change: one that is changed
// meanwhile comes again, none is left out.
func findAccounts(ctx context.Context, c *Client, filter ...any) ([]storedAccount, error) {
	var found []storedAccount
	body := map[string]any{
		"query": map[string]any{"bool": map[string]any{"filter": filter}}, "sort": []any{map[string]any{"_seq_no": "asc"}},
		"size": changePage, "track_total_hits": false, "seq_no_primary_term": true,
	}
	for {
		var answer struct {
			Hits struct {
				Hits []struct {
					storedAccount
					Sort []json.RawMessage `json:"sort"`
				} `json:"hits"`
			} `json:"hits"`
		}
		if err := c.search(ctx, []string{c.alias(accounts)}, body, &answer); err != nil {
			return nil, fmt.Errorf("read accounts: %w", err)
		}
		for _, hit := range answer.Hits.Hits {
			found = append(found, hit.storedAccount)
			body["search_after"] = hit.Sort
		}
		if len(answer.Hits.Hits) < changePage {
			return found, nil
		}
	}
}

// getAccounts reads documents of the accounts by id, as they are now; those that aren't there are left out.
func getAccounts(ctx context.Context, c *Client, ids []string) (map[string]storedAccount, error) {
	body, err := json.Marshal(map[string]any{"ids": ids})
	if err != nil {
		return nil, err
	}
	var answer struct {
		Docs []struct {
			storedAccount
			Found bool            `json:"found"`
			Error json.RawMessage `json:"error"`
		} `json:"docs"`
	}
	if err := c.Do(ctx, esapi.MgetRequest{Index: c.alias(accounts), Body: bytes.NewReader(body)}, &answer); err != nil {
		return nil, err
	}
	found := make(map[string]storedAccount, len(ids))
	for _, one := range answer.Docs {
		if len(one.Error) > 0 {
			return nil, lore.StoreUnavailable(errors.New("a shard of the accounts could not be read"))
		}
		if one.Found {
			found[one.ID] = one.storedAccount
		}
	}
	return found, nil
}
