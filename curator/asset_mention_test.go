package curator

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentlore/lore"
)

func TestFindAsset(t *testing.T) {
	const address = "0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24"
	for name, c := range map[string]struct {
		report lore.Observation
		want   *lore.CatalogEntry
	}{
		"a sentence": {
			lore.Observation{Content: "Quokkaswap is a decentralized exchange on Base. Router: " + address + ", docs at https://quokkaswap.example."},
			&lore.CatalogEntry{Name: "Quokkaswap", Type: "dex", Ecosystem: lore.StringList{"base"}, URL: "https://quokkaswap.example", Tags: []string{}, Addresses: []string{"0x4752ba5dbc23f44d87826276bf6fd6b1c372ad24"}},
		},
		"fields": {
			lore.Observation{Content: "Name: Wombat Bridge\nType: bridge\nChain: Arbitrum\nWebsite: https://wombat.example/app\nIt has been live since May."},
			&lore.CatalogEntry{Name: "Wombat Bridge", Type: "bridge", Ecosystem: lore.StringList{"arbitrum"}, URL: "https://wombat.example/app", Tags: []string{}, Addresses: []string{}},
		},
		"the ecosystem given beside": {
			lore.Observation{Content: "Numbat is a lending protocol, see https://numbat.example", Ecosystem: "solana"},
			&lore.CatalogEntry{Name: "Numbat", Type: "lending", Ecosystem: lore.StringList{"solana"}, URL: "https://numbat.example", Tags: []string{}, Addresses: []string{}},
		},
		"nothing to check it by": {lore.Observation{Content: "Quokkaswap is a DEX on Base."}, nil},
		"what happened to it":    {lore.Observation{Content: "Quokkaswap is a DEX on Base whose router " + address + " reverts."}, nil},
		"a pronoun":              {lore.Observation{Content: "This is a bridge on Base: https://x.example"}, nil},
		"an ordinary report":     {lore.Observation{Content: "The bridge on Base takes 20 minutes, see https://x.example"}, nil},
	} {
		got, found := FindAsset(c.report)
		if found != (c.want != nil) {
			t.Errorf("%s: found %v: %+v", name, found, got)
		} else if found {
			if diff := cmp.Diff(*c.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
}

// What a suggestion holds is read back as it was.
func TestAssetTextIsReadBack(t *testing.T) {
	want := lore.CatalogEntry{Name: "Wombat Bridge", Type: "bridge", Ecosystem: lore.StringList{"arbitrum"}, URL: "https://wombat.example/app", Addresses: []string{"0x4752ba5dbc23f44d87826276bf6fd6b1c372ad24"}}
	got, fields, marked := ReadAsset(AssetText(want) + "\nmore: words, of somebody")
	if diff := cmp.Diff(want, got); diff != "" || fields != 5 || marked != 5 {
		t.Errorf("%d fields, %d marked (-want +got):\n%s", fields, marked, diff)
	}
	loose, _, _ := ReadAsset("Type tool, ecosystem ethereum, address 0x000000000022D473030F116dDEE9F6B43aC78BA3.")
	if loose.Type != "tool" || loose.Ecosystem[0] != "ethereum" || len(loose.Addresses) != 1 {
		t.Errorf("without colons: %+v", loose)
	}
}
