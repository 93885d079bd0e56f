package index

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
	"agentlore/scrubber"
)

// ImportCatalog makes the stored assets of the reference library's catalog those that are given: new ones are stored, those that say
// something else are updated, and those that are no longer there are withdrawn. What operators decided on one stays. Errors:
// store_unavailable.
func (c *Client) ImportCatalog(ctx context.Context, assets []scrubber.Scrubbed[lore.Asset], now time.Time) (done ReferenceChanges, err error) {
	alias := c.AliasOf(lore.Assets)
	stored, err := ofLibrary[lore.Asset](ctx, c, alias)
	if err != nil {
		return done, err
	}
	var operations []Operation
	for _, scrubbed := range assets {
		asset := scrubbed.Value()
		held, there := stored[asset.ID]
		delete(stored, asset.ID)
		removed := there && held.Reference.RemovedAt != nil
		if decided := held.Status == lore.AssetStatus(lore.UnitWithdrawn) || held.Status == flaggedAsset; there && decided && !removed {
			asset.Status = held.Status
		}
		asset.Warnings = held.Warnings
		if there {
			asset.CreatedAt = held.CreatedAt
		}
		switch {
		case !there:
			done.Added++
		case sameAsset(held, asset):
			done.Unchanged++
			continue
		default:
			done.Updated++
		}
		operations = append(operations, Operation{Action: "index", Index: alias, ID: asset.ID, Document: asset})
	}
	gone := withdrawals(alias, stored, func(held lore.Asset) *lore.Reference { return held.Reference }, now)
	done.Withdrawn, operations = len(gone), append(operations, gone...)
	if len(operations) == 0 {
		return done, nil
	}
	if err := c.BulkAll(ctx, operations, nil); err != nil {
		return done, fmt.Errorf("store the catalog: %w", err)
	}
	return done, c.Do(ctx, esapi.IndicesRefreshRequest{Index: []string{alias}}, nil)
}

// flaggedAsset is the status of an asset that a flag took out of searches.
const flaggedAsset lore.AssetStatus = "flagged"

// sameAsset reports whether two states of an asset are stored alike.
func sameAsset(one, other lore.Asset) bool {
	textA, errA := json.Marshal(one)
	textB, errB := json.Marshal(other)
	return errA == nil && errB == nil && string(textA) == string(textB)
}

// CatalogAssets returns the assets of the reference library's catalog that are not withdrawn or flagged. Errors: store_unavailable.
func (c *Client) CatalogAssets(ctx context.Context) (assets []lore.Asset, err error) {
	body := map[string]any{
		"query": map[string]any{"bool": map[string]any{
			"filter":   map[string]any{"exists": map[string]any{"field": "reference.id"}},
			"must_not": map[string]any{"terms": map[string]any{"status": []any{lore.UnitWithdrawn, flaggedAsset}}},
		}},
		"sort": ByID, "size": ChangePage,
	}
	err = eachHit(ctx, c, c.AliasOf(lore.Assets), body, ChangePage, func(page []Hit[lore.Asset]) error {
		assets = append(assets, sources(page)...)
		return nil
	})
	return assets, err
}
