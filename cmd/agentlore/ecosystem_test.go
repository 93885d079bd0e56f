package main

import (
	"net/http"
	"testing"

	"agentlore/enginetest"
	"agentlore/lore"
)

// A chain has one name wherever it is written and asked for: in a report, an import, an agent's own entry, a filter, a facet.
func TestChainsHaveOneName(t *testing.T) {
	t.Parallel()
	prefix := enginetest.Prefix(t)
	s := serve(t, prefix)
	agent := map[string]any{"name": "chain-namer", "type": "agent", "owner": "o", "ecosystem": []string{"bnb chain"}}
	token := decode[registered](t, s.send(t, http.MethodPost, "/intake/register", agent).want(t, http.StatusCreated)).APIToken
	for i, name := range []string{"BNB Chain", "bsc", "eip155:56"} {
		body := map[string]any{"summary": "A report of PancakeSwap " + string(rune('a'+i)), "category": "failure", "ecosystem": name}
		s.send(t, http.MethodPost, "/intake/submit", body, "Authorization", "Bearer "+token).want(t, http.StatusCreated)
	}
	for collection, lines := range map[string]string{
		"submissions": `{"source":"importer","summary":"An imported report of PancakeSwap","ecosystem":"Binance Smart Chain"}`,
		"assets":      `{"name":"PancakeSwap","type":"dex","ecosystem":["bnb-chain"]}`,
	} {
		file := writeFile(t, collection, []byte(lines))
		if status, _, stderr := run(t, append([]string{"import", "--collection", collection, file}, storeFlags(t, prefix)...)...); status != 0 {
			t.Fatalf("import: %s", stderr)
		}
	}
	enginetest.Elasticsearch(t, "POST", "/"+prefix+"-*/_refresh", "")
	for path, want := range map[string]int64{
		"/submissions?ecosystem=Binance%20Smart%20Chain": 4, "/submissions?ecosystem=56": 4, "/assets?ecosystem=bnb-chain": 1, "/sources?ecosystem=BSC": 1,
		"/search/all?q=pancakeswap&ecosystem=bnb": 5, "/submissions?ecosystem=opbnb": 0,
	} {
		if got := decode[lore.Page[map[string]any]](t, s.get(t, path)).Total; got != want {
			t.Errorf("%s finds %d, want %d", path, got, want)
		}
	}
	facets := decode[struct {
		Facets map[string][]lore.FacetCount `json:"facets"`
	}](t, s.get(t, "/search/all?q=pancakeswap&facets=true")).Facets["ecosystem"]
	if len(facets) != 1 || facets[0] != (lore.FacetCount{Value: "bsc", Count: 5}) {
		t.Errorf("the facet is %+v, want bsc alone", facets)
	}
}
