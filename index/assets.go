package index

import (
	"context"
	"time"

	"agentlore/lore"
	"agentlore/scrubber"
)

// AssetStore stores and reads the catalog.
type AssetStore struct {
	Collection[lore.Asset]
	writer *Writer
}

// OpenAssets returns the store of assets, which writes through the writer.
func OpenAssets(client *Client, writer *Writer) *AssetStore {
	return &AssetStore{NewCollection[lore.Asset](client, lore.Assets, "asset"), writer}
}

// Create stores a catalog entry. Its id follows from what it is, so that an asset that is there already is not stored
// again: created is false then. Errors: store_unavailable.
func (s *AssetStore) Create(ctx context.Context, entry scrubber.Scrubbed[lore.CatalogEntry], now time.Time) (created bool, err error) {
	asset := entry.Value().Asset(now.UTC().Truncate(time.Millisecond))
	return isNew("store asset", s.writer.Create(ctx, s.client.AliasOf(lore.Assets), asset.ID, asset))
}
