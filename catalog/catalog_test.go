package catalog_test

import (
	"strings"
	"testing"

	"agentlore/catalog"
	"agentlore/lore"
)

const (
	usdcBase   = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
	usdcMain   = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
	bridgedUSD = "0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA"
	usdcSolana = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
)

func on(chain, address string, decimals int) lore.Deployment {
	return lore.Deployment{Chain: chain, Address: address, Decimals: decimals}
}

func testCatalog() *catalog.Catalog {
	chain := func(name, id, currency string, also ...string) lore.Asset {
		return lore.Asset{ID: id, Name: name, Type: lore.TypeChain, Status: lore.AssetActive, CatalogFacts: lore.CatalogFacts{ChainID: id, Symbol: currency, Also: also}}
	}
	token := func(symbol, name string, deployments ...lore.Deployment) lore.Asset {
		asset := lore.Asset{ID: symbol + name, Name: name, Type: "token", Status: lore.AssetActive, CatalogFacts: lore.CatalogFacts{Symbol: symbol, Deployments: deployments}}
		for _, d := range deployments {
			asset.Addresses = append(asset.Addresses, d.Address)
		}
		return asset
	}
	goerli := chain("Goerli", "eip155:5", "ETH")
	goerli.Status, goerli.Since, goerli.TestnetOf = lore.AssetSunset, "2024-04", "eip155:1"
	baseSepolia := chain("Base Sepolia", "eip155:84532", "ETH")
	baseSepolia.TestnetOf = "eip155:8453"
	tether := token("USDT", "Tether USD", on("eip155:1", "0xdAC17F958D2ee523a2206206994597C13D831ec7", 6))
	tether.URL = "https://tether.to/"
	tetherElsewhere := token("USDT0", "USDT0", on("eip155:534352", "0x4444444444444444444444444444444444444444", 6),
		on("eip155:10", "0x4444444444444444444444444444444444444445", 6))
	tetherElsewhere.Also = []string{"USDT"}
	return catalog.New([]lore.Asset{baseSepolia,
		chain("Ethereum", "eip155:1", "ETH", "Ethereum Mainnet"), chain("Base", "eip155:8453", "ETH"), chain("OP Mainnet", "eip155:10", "ETH", "Optimism"),
		chain("Scroll", "eip155:534352", "ETH"), goerli, chain("Solana", "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", "SOL"),
		token("USDC", "USD Coin", on("eip155:1", usdcMain, 6), on("eip155:8453", usdcBase, 6),
			on("solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", usdcSolana, 6)),
		token("USDbC", "USD Base Coin", on("eip155:8453", bridgedUSD, 6)),
		token("USDT", "Bridged USDT", on("eip155:10", "0x3333333333333333333333333333333333333330", 6),
			on("eip155:8453", "0x3333333333333333333333333333333333333333", 6)),
		tether, tetherElsewhere,
		token("OP", "Optimism", on("eip155:10", "0x4200000000000000000000000000000000000042", 18)),
		token("CAT", "Cat One", on("eip155:1", "0x1111111111111111111111111111111111111111", 18)),
		token("CAT", "Cat Two", on("eip155:8453", "0x2222222222222222222222222222222222222222", 9)),
		{ID: "multichain", Name: "Multichain", Type: "bridge", Status: lore.AssetExploited, CatalogFacts: lore.CatalogFacts{Since: "2023-07-06", Also: []string{"Anyswap"}}},
	})
}

// What asks for an asset is answered from the catalog: each question by what its first line says, and whether it is sure.
func TestQuestionsAboutAssetsAreAnswered(t *testing.T) {
	c := testCatalog()
	for question, want := range map[string]string{
		"is " + usdcBase + " the real USDC on Base?":                 "! is USDC (USD Coin) on Base, 6 decimals",
		"Is " + strings.ToLower(usdcBase) + " USDC":                  "!" + usdcBase + " is USDC (USD Coin) on Base",
		"is " + bridgedUSD + " the real USDC on Base?":               "!is not USDC (USD Coin) on Base: that is " + usdcBase + "; it is USDbC",
		"is 0x1234567890123456789012345678901234567890 USDC on base": "!is not USDC (USD Coin) on Base: that is " + usdcBase,
		"is 0x1234567890123456789012345678901234567890 real USDC":    "!is no contract of USDC",
		"which token is " + usdcMain + "?":                           "!" + usdcMain + " is USDC (USD Coin) on Ethereum",
		"what is the USDC contract address on Base mainnet":          "!USDC (USD Coin) on Base is " + usdcBase,
		"usdc mint solana":                       "!USDC (USD Coin) on Solana is " + usdcSolana,
		"USDC on Scroll":                         "The catalog has no USDC (USD Coin) on Scroll",
		"USDC on Optimism":                       "The catalog has no USDC (USD Coin) on OP Mainnet",
		"OP token address on Optimism":           "!OP (Optimism) on OP Mainnet is 0x4200",
		"what is the chain id of Base?":          "!Base is eip155:8453, in use",
		"which chain is 8453":                    "!Base is eip155:8453",
		"is goerli still working":                "!Goerli is eip155:5, which has ended (2024-04)",
		"Is the Multichain bridge still active?": "!Multichain was exploited and did not come back (2023-07-06)",
		"what happened to anyswap":               "!Multichain was exploited",
		"USDT address":                           "USDT (Tether USD) is 0xdAC17F",
		"address of USDT on Scroll":              "!USDT0 (USDT0) on Scroll is 0x4444",
		"address of USDT on Base":                "!USDT (Bridged USDT) on Base is 0x3333",
		"CAT token address":                      "CAT (Cat One) is 0x1111",
		"CAT address on Base":                    "!CAT (Cat Two) on Base is 0x2222",
		"how many decimals does USDC have":       "!USDC (USD Coin) is " + usdcMain,
		"is " + usdcBase + " on Base a scam?":    "!is USDC (USD Coin) on Base",
		"address of USD Coin":                    "!USDC (USD Coin) is " + usdcMain + " on Ethereum, and on 2 other chains",
		"USDC":                                   "",
		"Base":                                   "",
		"execution reverted: ERC20: transfer amount exceeds balance USDC":     "",
		"USDC transfer fails on Base":                                         "",
		"bridge USDC from Ethereum to Base stuck":                             "",
		"insufficient funds for gas on Base":                                  "",
		"is the Base bridge still active":                                     "",
		"is 0x1234567890123456789012345678901234567890 a scam":                "",
		"goerli eth faucet":                                                   "",
		"what does 0x08c379a0 mean":                                           "",
		"USDC CAT address":                                                    "",
		strings.Repeat("is USDC real ", 20):                                   "",
		"explorer of Optimism":                                                "!OP Mainnet is eip155:10",
		"which testnet does Base have":                                        "!Test networks of Base: Base Sepolia (eip155:84532)",
		"is there a testnet of Ethereum":                                      "!The catalog has no test network of Ethereum that is in use",
		"Error: call revert exception on Base contract " + usdcBase + " USDC": "",
	} {
		asked, asks := c.Read(question, "")
		if !asks {
			if want != "" {
				t.Errorf("%q does not ask of the catalog", question)
			}
			continue
		}
		found := c.Answer(asked)
		title, sure := found[0].Title, strings.HasPrefix(want, "!")
		if text := strings.TrimPrefix(want, "!"); want == "" || !strings.Contains(title, text) || sure != found[0].Sure {
			t.Errorf("%q: %q (sure %v), want %q", question, title, found[0].Sure, want)
		}
	}
}

// The ecosystem of a question stands for the chain that its words lack.
func TestTheAskersEcosystemIsTheChain(t *testing.T) {
	c := testCatalog()
	asked, asks := c.Read("USDC address", "base")
	if found := c.Answer(asked); !asks || !strings.Contains(found[0].Title, "on Base is "+usdcBase) {
		t.Errorf("%v %+v", asks, found)
	}
}
