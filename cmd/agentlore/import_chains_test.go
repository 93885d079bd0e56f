package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentlore/enginetest"
)

// A public catalog of chains is imported from a local copy.
func TestChainCatalogsAreImported(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const mainnet = `{"name":"Quokka Mainnet","chain":"QUO","rpc":["https://rpc.example"],"faucets":[],"nativeCurrency":{"name":"Quokka","symbol":"QUO","decimals":18},
		"infoURL":"https://quokka.example","shortName":"quo","chainId":990001,"networkId":990001,"parent":{"type":"L2","chain":"eip155-1","bridges":[{"url":"https://b.example"}]}}`
	const testnet = `{"name":"Quokka Testnet","chain":"QUO","rpc":[],"nativeCurrency":{"name":"Quokka","symbol":"QUO","decimals":18},"infoURL":"","shortName":"tquo","chainId":990002,"networkId":990002,"status":"deprecated"}`
	list := write("chains.json", "["+mainnet+","+testnet+"]")
	write("chains/eip155-990001.json", mainnet)
	write("chains/eip155-990002.json", testnet)
	write("registry/wombat/chain.json", `{"$schema":"../chain.schema.json","chain_name":"wombat","pretty_name":"Wombat Hub","chain_id":"wombat-1","chain_type":"cosmos","bech32_prefix":"wombat","network_type":"mainnet","status":"live","website":"https://wombat.example","description":"A hub of wombats"}`)
	write("registry/wombat/assetlist.json", `{"chain_name":"wombat","assets":[{"name":"Wombat","base":"uwom","symbol":"WOM","type_asset":"sdk.coin","description":"Its coin"},{"name":"Burrow","base":"cw20:wombat1qqqsyrqszg","symbol":"BUR","type_asset":"cw20"}]}`)
	write("registry/testnets/wombattest/chain.json", `{"chain_name":"wombattest","pretty_name":"Wombat Test","chain_id":"wombat-test-1","chain_type":"cosmos","network_type":"testnet","status":"killed"}`)
	write("registry/_IBC/wombat-x.json", `{"chain_1":{}}`)

	s := serve(t, enginetest.Prefix(t))
	load := func(format, path, want string) {
		t.Helper()
		args := append([]string{"import", "--collection=assets", "--format=" + format}, storeFlags(t, s.prefix)...)
		status, stdout, stderr := run(t, append(args, path)...)
		if status != 0 || !strings.Contains(stdout, want) {
			t.Fatalf("%s: %s %s", format, stdout, stderr)
		}
	}
	load("chains-json", list, "2 stored")
	load("chains-json", filepath.Join(folder, "chains"), "0 stored, 2 known already")
	load("chain-registry", filepath.Join(folder, "registry"), "4 stored")
	enginetest.Eventually(t, "all are listed", func() bool {
		return decode[page](t, s.get(t, "/assets?limit=10")).Total == 6
	})
	kinds := map[string]string{}
	for _, result := range decode[page](t, s.get(t, "/assets?limit=10")).Results {
		kinds[fmt.Sprint(result["name"])] = fmt.Sprintf("%v %v", result["type"], result["tags"])
	}
	want := map[string]string{
		"Quokka Mainnet": "chain [evm eip155:990001 quo l2]", "Quokka Testnet": "testnet [evm eip155:990002 tquo deprecated]",
		"Wombat Hub": "chain [cosmos wombat cosmos:wombat-1]", "Wombat Test": "testnet [cosmos cosmos:wombat-test-1 deprecated]",
		"Wombat": "token [wom sdk.coin]", "Burrow": "token [bur cw20]",
	}
	if !maps.Equal(kinds, want) {
		t.Errorf("assets are %v", kinds)
	}
	if got := s.searchFor(t, "eip155:990001"); len(got.Results) == 0 || got.Results[0]["summary"] == nil || !slices.Contains(got.Results[0]["matched_by"].([]any), any("exact")) {
		t.Errorf("a chain isn't found by its number: %v", got.Results)
	}
	for _, args := range [][]string{{"chain-registry", list}, {"chain-registry", filepath.Join(folder, "chains")}, {"chains-json", filepath.Join(folder, "registry")}, {"chains-json", filepath.Join(folder, "nothing")}} {
		line := append([]string{"import", "--collection=assets", "--format=" + args[0]}, storeFlags(t, s.prefix)...)
		if status, _, stderr := run(t, append(line, args[1])...); status == 0 || stderr == "" {
			t.Errorf("%v: status %d", args, status)
		}
	}
}
