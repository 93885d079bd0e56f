package lore_test

import (
	"testing"

	"agentlore/lore"
)

// A catalog's addresses are followed by its readers: what a browser would run is none.
func TestAnAssetsAddressIsOfTheWeb(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"": true, "https://example.org/app": true, "http://example.org": true, "www.example.org": true,
		"javascript:alert(1)": false, "data:text/html,x": false, "https://exa mple.org": false,
	} {
		if faults := (lore.CatalogEntry{Name: "x", Type: "tool", URL: address}).Check(); (len(faults) == 0) != want {
			t.Errorf("%q: %v", address, faults)
		}
	}
}
