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
		header := map[string]any{"index": c.AliasOf(collection), "allow_partial_search_results": false}
		if err := encoder.Encode(header); err != nil {
			return nil, err
		}
		if err := encoder.Encode(map[string]any{"size": 0, "track_total_hits": true}); err != nil {
			return nil, err
		}
	}
	var answer struct {
		Responses []struct {
			SearchAnswer[struct{}]
			Status int             `json:"status"`
			Error  json.RawMessage `json:"error"`
		} `json:"responses"`
	}
	if err := c.Do(ctx, esapi.MsearchRequest{Body: &body}, &answer); err != nil {
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
	flat, missing := true, true
	request := esapi.IndicesGetSettingsRequest{Index: aliases, Name: []string{"index.blocks.*"}, FlatSettings: &flat, IgnoreUnavailable: &missing}
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

// buckets is Elasticsearch's answer to a terms or histogram aggregation.
type buckets struct {
	Buckets []bucket `json:"buckets"`
}

type bucket struct {
	Key         json.RawMessage `json:"key"`
	KeyAsString string          `json:"key_as_string"`
	Count       int64           `json:"doc_count"`
}

// value returns the bucket's key as text.
func (b bucket) value() string {
	if b.KeyAsString != "" {
		return b.KeyAsString
	}
	var text string
	if json.Unmarshal(b.Key, &text) == nil {
		return text
	}
	return string(b.Key)
}

// FacetCounts reads the values and counts of an aggregation's answer.
func FacetCounts(answer json.RawMessage) ([]lore.FacetCount, error) {
	var parsed buckets
	if err := json.Unmarshal(answer, &parsed); err != nil {
		return nil, fmt.Errorf("read aggregation: %w", err)
	}
	counts := make([]lore.FacetCount, 0, len(parsed.Buckets))
	for _, bucket := range parsed.Buckets {
		counts = append(counts, lore.FacetCount{Value: bucket.value(), Count: bucket.Count})
	}
	return counts, nil
}
