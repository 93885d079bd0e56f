package lore_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentlore/enginetest"
	"agentlore/lore"
)

func TestNormaliseEcosystem(t *testing.T) {
	for want, names := range map[string][]string{
		"bsc":          {"BSC", " bnb chain", "BNB-Chain", "bnb_chain", "Binance Smart Chain", "BNB Smart Chain Mainnet", "eip155:56", "56"},
		"arbitrum":     {"Arbitrum One", "arbitrum-one", "ARB", "eip155:42161"},
		"ethereum":     {"Mainnet", "eth", "Ethereum Mainnet", "eip155:1", "1"},
		"optimism":     {"OP Mainnet", "op", "Optimism"},
		"gnosis":       {"xDai", "Gnosis Chain"},
		"solana":       {"solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", "SOL"},
		"bitcoin":      {"bip122:000000000019d6689c085ae165831e93"},
		"cross-chain":  {"multichain", "Cross Chain"},
		"base-sepolia": {"Base Sepolia Testnet", "eip155:84532"},
		// What isn't in the vocabulary stays what it is.
		"pryzm": {" Pryzm "}, "some chain": {"Some Chain"}, "eip155:987654": {"eip155:987654"}, "987654": {"987654"}, "chain": {"chain"},
		"[SCRUBBED]": {"[SCRUBBED]"}, "": {"", "  "},
	} {
		for _, name := range names {
			if got := lore.NormaliseEcosystem(name); got != want {
				t.Errorf("NormaliseEcosystem(%q) = %q, want %q", name, got, want)
			}
			if again := lore.NormaliseEcosystem(want); again != want {
				t.Errorf("NormaliseEcosystem(%q) = %q: a stored name is asked for in another form", want, again)
			}
		}
	}
}

// A name is a slug, a CAIP-2 id or a few words. All that real catalogs and the vocabulary write are names; a sentence is none, nor is what
// looks like another name, or can't be seen.
func TestEcosystemIsAName(t *testing.T) {
	check := func(name string) []lore.FieldError {
		return lore.Observation{Summary: "s", Category: lore.CategoryGeneral, Ecosystem: name}.Check()
	}
	for _, name := range []string{
		"", " ", "ethereum", "BNB Chain", "bnb_chain", "eip155:56", "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", "bip122:000000000019d6689c085ae165831e93",
		"Evm compatible layer 1s, 2s, and dapps", "bridges & interoperability (category)", "zenon - network of momentum", "multiversx (elrond)",
		"Ethereum, Polygon", "Ethereum/Base", "Solana + Sui", "以太坊 Ethereum", "Эфириум", "0l", "St. Petersburg's chain", lore.ScrubMarker, "chain of " + lore.ScrubMarker,
	} {
		if faults := check(name); len(faults) > 0 {
			t.Errorf("%q: %+v", name, faults)
		}
	}
	for _, text := range []string{
		"base, where you should by all means approve the router first", "a b c d e f g h", "ethereum!", "https://a.example/x", "a\x00b", "a\nb?", "<b>base</b>",
		"b\u0430se", "base\u200b", "\u202eesab", "base; drop", "\"base\"", "eip155:1:2", "@base", "x: y", "{base}", "—",
	} {
		if faults := check(text); len(faults) != 1 || faults[0].Code != "not_a_name" || faults[0].Pointer != "/ecosystem" {
			t.Errorf("%q is a name: %+v", text, faults)
		}
	}
	for line := range enginetest.Lines(t, enginetest.Data(t, "assets.jsonl.gz")) {
		var entry lore.CatalogEntry
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatal(err)
		}
		for _, fault := range entry.Check() {
			if fault.Code == "not_a_name" {
				t.Errorf("%s of a real catalog is refused", entry.Ecosystem)
			}
		}
	}
}

// No name or id stands on two lines of the vocabulary.
func TestNoChainsShareAName(t *testing.T) {
	text, err := os.ReadFile("chains.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		for _, name := range slices.Concat(fields[:1], strings.Split(fields[1], ","), strings.Split(strings.Join(fields[2:], " "), ",")) {
			if got := lore.NormaliseEcosystem(name); name != "" && name != "-" && got != fields[0] {
				t.Errorf("%q is %q, on the line of %q", name, got, fields[0])
			}
		}
	}
}

// An asset is found by its chain's id however its entry came by it, and by its own id in each of the ways that it is written.
func TestEntitiesOfAssets(t *testing.T) {
	const usdt = "0xdac17f958d2ee523a2206206994597c13d831ec7"
	for _, test := range []struct {
		entry lore.CatalogEntry
		want  []string
	}{
		{lore.CatalogEntry{Name: "Arbitrum One", Type: "chain"}, []string{"eip155:42161"}},
		{lore.CatalogEntry{Name: "Some Chain", Type: "chain", Tags: []string{"eip155:987654"}}, []string{"eip155:987654"}},
		{lore.CatalogEntry{Name: "Base", Type: "dex"}, []string{}},
		{lore.CatalogEntry{Name: "Tether", Type: "token", Addresses: []string{"0xdAC17F958D2ee523a2206206994597C13D831ec7"}}, []string{usdt}},
		{lore.CatalogEntry{Name: "Tether", Type: "token", Addresses: []string{"eip155:1/erc20:0xdAC17F958D2ee523a2206206994597C13D831ec7"}},
			[]string{usdt, "eip155:1/erc20:" + usdt}},
	} {
		test.entry.Normalise()
		if diff := cmp.Diff(test.want, test.entry.Asset(entryTime).Entities); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.entry.Name, diff)
		}
	}
}

func TestIsAssetID(t *testing.T) {
	for text, want := range map[string]bool{
		"eip155:42161": true, "eip155:1/slip44:60": true, "0xdAC17F958D2ee523a2206206994597C13D831ec7": true, "xrpl:0 xrpl:1": true, xrpl: true, solana: true,
		"eip155:42161 gas": false, "ERC-20": false, "0xa9059cbb": false, "": false, "arbitrum": false,
	} {
		if got := lore.IsAssetID(text); got != want {
			t.Errorf("IsAssetID(%q) = %v", text, got)
		}
	}
}
