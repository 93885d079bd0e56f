package index

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
)

// Counts returns the exact number of items of each collection, in one round trip. A new item counts when it can be
// searched, within a second. Errors: store_unavailable.
func (c *Client) Counts(ctx context.Context, collections ...lore.Collection) (map[lore.Collection]int64, error) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	for _, collection := range collections {
		header := map[string]any{"index": c.aliasOf(collection), "allow_partial_search_results": false}
		if err := encoder.Encode(header); err != nil {
			return nil, err
		}
		if err := encoder.Encode(map[string]any{"size": 0, "track_total_hits": true}); err != nil {
			return nil, err
		}
	}
	var answer struct {
		Responses []struct {
			searchAnswer[struct{}]
			Status int             `json:"status"`
			Error  json.RawMessage `json:"error"`
		} `json:"responses"`
	}
	if err := c.do(ctx, esapi.MsearchRequest{Body: &body}, &answer); err != nil {
		return nil, err
	}
	if len(answer.Responses) != len(collections) {
		return nil, fmt.Errorf("asked for %d counts, got %d", len(collections), len(answer.Responses))
	}
	counts := make(map[lore.Collection]int64, len(collections))
	for i, response := range answer.Responses {
		if response.Status != 200 {
			return nil, lore.StoreUnavailable(fmt.Errorf("count of %s: status %d", collections[i], response.Status))
		}
		counts[collections[i]] = response.Hits.Total.Value
	}
	return counts, nil
}

// pingTimeout is how long Elasticsearch may wait for an index that it doesn't know to appear.
const pingTimeout = time.Second

// Ping reports whether what every request needs can be read and written: accounts, sources and submissions are there, with
// every primary shard. Errors: store_unavailable.
func (c *Client) Ping(ctx context.Context) error {
	var health struct {
		Status string `json:"status"`
	}
	request := esapi.ClusterHealthRequest{
		Index: []string{c.alias(accounts), c.aliasOf(lore.Sources), c.aliasOf(lore.Submissions)}, Timeout: pingTimeout,
	}
	if err := c.do(ctx, request, &health); err != nil {
		return lore.StoreUnavailable(err)
	}
	if health.Status == "red" {
		return lore.StoreUnavailable(fmt.Errorf("a primary shard is missing"))
	}
	return nil
}
