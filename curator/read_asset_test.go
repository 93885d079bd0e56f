package curator

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentlore/lore"
)

// What a suggestion says of an asset is read with and without colons, a field a line or in one.
func TestReadAsset(t *testing.T) {
	const address = "0x4752ba5dbc23f44d87826276bf6fd6b1c372ad24"
	for text, want := range map[string]lore.CatalogEntry{
		"Name: Wombat Bridge\nType: bridge\nChain: Arbitrum\nAddress: " + address + "\nWebsite: https://wombat.example\nmore: words, of somebody": {
			Name: "Wombat Bridge", Type: "bridge", Ecosystem: lore.StringList{"Arbitrum"}, URL: "https://wombat.example", Addresses: []string{address},
		},
		"Type decentralized exchange, ecosystem base, address " + address + ".": {Type: "dex", Ecosystem: lore.StringList{"base"}, Addresses: []string{address}},
	} {
		if diff := cmp.Diff(want, ReadAsset(text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
