package search

import (
	"fmt"
	"strings"
	"testing"

	"agentlore/index/indextest"
	"agentlore/lore"
)

// A catalog of short entries stands beside the reports. Who types the name of a protocol finds its entry, however often reports
// speak of it; who asks a question isn't given entries that share a word of it.
func TestEntriesAmongReports(t *testing.T) {
	t.Parallel()
	var reports []lore.Submission
	for i := range 60 {
		reports = append(reports, observed(fmt.Sprintf("Harbor vault %d rounds shares down", i),
			"The Harbor vault rounds the shares of a deposit down, Harbor says so itself. A parallel deposit isn't harmed."))
	}
	for i := range 40 {
		reports = append(reports, observed(fmt.Sprintf("Keepers settle an auction twice in round %d", i), "Two keepers settle the bids in parallel."))
	}
	reports = append(reports, observed("The auction house of a house", "An auction house has a house for each auction of the house: auction house, auction house."))
	searcher := searchStore(t, reports...)
	var entries []any
	for _, name := range []string{"Harbor", "Parallel", "Parallel Swap", "Auction House", "Keeper Market"} {
		entries = append(entries, lore.CatalogEntry{Name: name, Type: "protocol"}.Asset(indextest.At(1)))
	}
	for i := range 400 {
		entries = append(entries, lore.CatalogEntry{Name: fmt.Sprintf("Coin of number %d", i), Type: "token"}.Asset(indextest.At(1)))
	}
	indextest.Put(t, searcher.client, lore.Assets, entries...)
	for q, want := range map[string]string{
		"Harbor":                     "Harbor",
		"harbr":                      "Harbor",
		"parallel swap":              "Parallel Swap",
		"auction house":              "Auction House",
		"keepers settle in parallel": "Keepers settle an auction twice",
	} {
		if found := find(t, searcher, lore.SearchQuery{Text: q}); len(found.Results) == 0 || !strings.HasPrefix(found.Results[0].Summary, want) {
			t.Errorf("%q finds %+v first, want %q", q, found.Results, want)
		}
	}
	only := find(t, searcher, lore.SearchQuery{Text: "keeper of the parallel", Types: []lore.ItemType{lore.TypeAsset}})
	if len(only.Results) != 3 {
		t.Errorf("%d entries have one of the words, want 3: %+v", len(only.Results), only.Results)
	}
}

// An address or a chain's id, asked for by itself, is the asset that it belongs to, before all that names it and is trusted more.
func TestAssetsByTheirIDs(t *testing.T) {
	t.Parallel()
	const token = "0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B"
	unit := lore.KnowledgeUnit{
		ID: lore.NewID(), Summary: "On eip155:42161 the token " + token + " reverts", Category: lore.CategoryFailure, Tier: lore.TierCanonical, Confidence: 1,
		Status: lore.UnitActive, Ecosystem: []string{}, Tags: []string{}, Entities: lore.Entities("eip155:42161 " + token), CreatedAt: daysAgo(0),
		Outcomes: lore.Outcomes{Worked: 50},
	}
	searcher := searchStore(t, observed("A transfer of "+token+" on eip155:42161 fails", token), observed("eip155:42161 "+token, ""))
	indextest.Put(t, searcher.client, lore.KnowledgeUnits, unit)
	indextest.Put(t, searcher.client, lore.Assets,
		lore.CatalogEntry{Name: "Coin", Type: "token", Ecosystem: lore.StringList{"ethereum"}, Addresses: []string{token}}.Asset(indextest.At(1)),
		lore.CatalogEntry{Name: "Arbitrum One", Type: "chain", Ecosystem: lore.StringList{"arbitrum"}}.Asset(indextest.At(1)),
		lore.CatalogEntry{Name: "Feed of eip155:42161", Type: "oracle", Description: "eip155:42161 eip155:42161", Tags: []string{"eip155:42161"}}.Asset(indextest.At(1)))
	for q, want := range map[string]string{
		"eip155:42161": "Arbitrum One", token: "Coin", "eip155:42161/erc20:" + token: "Coin", token + " reverts": unit.Summary,
	} {
		for _, gathered := range []bool{false, true} {
			if found := summaries(find(t, searcher, lore.SearchQuery{Text: q, ByProblem: gathered})); len(found) == 0 || found[0] != want {
				t.Errorf("%q finds %q, want %q first", q, found, want)
			}
		}
	}
}
