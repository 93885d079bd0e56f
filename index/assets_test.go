package index

import (
	"testing"

	"agentlore/lore"
)

func TestCreateAsset(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	writer, assets := newWriter(t, client), NewCollection[lore.Asset](client, lore.Assets, "asset")
	entry := lore.CatalogEntry{
		Name: "Asset Test DEX", Type: "DEX", Ecosystem: lore.StringList{"Base", "optimism"}, Description: "Trades.", Tags: []string{"AMM"},
		Addresses: []string{" 0xAbCdEf0123456789aBcDeF0123456789abcdef01 "}, URL: "https://example.org",
	}
	if created, err := writer.CreateAsset(t.Context(), clean(t, entry), at(1)); err != nil || !created {
		t.Fatalf("created %v, %v", created, err)
	}
	id := clean(t, entry).Value().AssetID()
	read, err := assets.Get(t.Context(), id)
	if err != nil || read.Type != "dex" || read.Summary != "Asset Test DEX: Trades." || read.Tags[0] != "amm" || read.Status != lore.AssetActive {
		t.Errorf("stored as %+v, %v", read, err)
	}
	if len(read.Entities) != 1 || read.Entities[0] != "0xabcdef0123456789abcdef0123456789abcdef01" || read.Addresses[0] != "0xAbCdEf0123456789aBcDeF0123456789abcdef01" {
		t.Errorf("its address is %v and the entity %v; want the one as it came and the other normalised", read.Addresses, read.Entities)
	}
	// The same asset said otherwise is the same; another type or ecosystem is another one.
	entry.Name, entry.Ecosystem, entry.Description = "asset test dex", lore.StringList{"OPTIMISM", "base"}, "Trades more."
	if created, err := writer.CreateAsset(t.Context(), clean(t, entry), at(2)); err != nil || created {
		t.Errorf("the same asset again: created %v, %v", created, err)
	}
	entry.Type = "bridge"
	if created, err := writer.CreateAsset(t.Context(), clean(t, entry), at(2)); err != nil || !created {
		t.Errorf("another type: created %v, %v", created, err)
	}
}
