package catalog

import (
	"slices"
	"strings"

	"agentlore/lore"
	"agentlore/terms"
)

// Asked is what a question asks of the catalog.
type Asked struct {
	// Assets are what the question is about, those that it names most exactly first: several where several have the name.
	Assets []lore.Asset
	// Chains are the CAIP-2 ids of the chains on which they are asked about; empty: on any.
	Chains []string
	// Address is the address that the question has, as addresses are compared; "" where it has none. Holders are the assets that have it.
	Address string
	Holders []lore.Asset

	testnets bool // it asks for test networks
}

// asking are words of questions about an asset that don't say which: with one of them, a question asks of the catalog.
var asking = setOf(`address addresses contract contracts token tokens coin mint decimals decimal symbol ticker real official genuine
	legit legitimate correct right fake scam canonical native bridged verified chain chains chainid chain-id network networks
	testnet testnets mainnet caip-2 caip2 explorer alive dead active down shut shutdown sunset ended deprecated discontinued closed
	ending end ends closing working works running exist exists available live status hacked exploited happened successor replacement replaced bridge protocol issuer`)

// beside are words that may stand beside them.
var beside = setOf(`a an the is are was were am be been it its this that these there what which who whose where when how why do does did done
	can could should would will i we you my me our use using used on in at of for to from with by as and or not no if any still
	yet anymore now today currently has have had get find know tell give show please about one same id number code called name
	stand stands belong belongs deployed erc20 erc-20 spl usd dollar stablecoin check whether safe many much evm crypto`)

func setOf(text string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}

// mostWords is how long a question about an asset is at most: what is longer tells of something else as well.
const mostWords = 30

// Read reads a question about an ecosystem; "": about any. It asks of the catalog if it names an asset, by a name, a symbol, an id or a
// contract's address, and if each other word is one of asking or beside: "is 0x8335… the real USDC on Base?". An error message has words
// of its own, so it does not: asks is false then.
func (c *Catalog) Read(text, ecosystem string) (asked Asked, asks bool) {
	words := wordsOf(text)
	if len(words) == 0 || len(words) > mostWords {
		return asked, false
	}
	var found [][]*lore.Asset // by what the question says, one list a name
	said := map[string]bool{}
	for i := 0; i < len(words); {
		word := words[i]
		length, assets := c.longestName(words[i:])
		switch {
		case terms.IsEncoded(word) && len(word) >= leastAddress:
			if asked.Address != "" && asked.Address != word {
				return asked, false
			}
			asked.Address, length = word, 1
		case length > 0:
			found = append(found, assets)
		case asking[word]:
			said[word], length = true, 1
		case beside[word]:
			length = 1
		default:
			return asked, false
		}
		i += length
	}
	assets := asked.about(found)
	if len(asked.Chains) == 0 && ecosystem != "" {
		for _, chain := range c.named[ecosystem] {
			if chain.Type == lore.TypeChain {
				asked.Chains = append(asked.Chains, chain.ChainID)
			}
		}
	}
	holders := c.addressed[asked.Address]
	switch {
	case len(assets) == 0 && len(found) > 0 && (asked.Address == "" || len(holders) == 0), len(assets) == 0 && len(holders) == 0:
		return asked, false
	case len(assets) == 0:
		assets = holders
	case isChain(assets) && (asked.Address != "" || said["bridge"] || said["protocol"] || said["token"]):
		return asked, false
	}
	assets = kind(assets, said)
	asked.testnets = said["testnet"] || said["testnets"]
	asked.Assets, asked.Holders = asked.order(assets), asked.order(holders)
	return asked, len(said) > 0 || asked.Address != "" || len(asked.Chains) > 0 && !isChain(assets)
}

// ofChains and ofTokens are words of questions about a chain, and about a token.
var (
	ofChains = setOf("chain chains chainid chain-id network networks testnet testnets mainnet caip-2 caip2 explorer")
	ofTokens = setOf("contract contracts token tokens coin mint decimals decimal symbol ticker issuer")
)

// kind leaves the chains of assets, or the tokens, where a question is about these: Linea in "explorer for Linea".
func kind(assets []*lore.Asset, said map[string]bool) []*lore.Asset {
	chains := slices.DeleteFunc(slices.Clone(assets), func(asset *lore.Asset) bool { return asset.Type != lore.TypeChain })
	others := slices.DeleteFunc(slices.Clone(assets), func(asset *lore.Asset) bool { return asset.Type == lore.TypeChain })
	saidOf := func(words map[string]bool) bool {
		for word := range said {
			if words[word] {
				return true
			}
		}
		return false
	}
	switch {
	case len(chains) == 0 || len(others) == 0:
	case saidOf(ofTokens):
		return others
	case saidOf(ofChains):
		return chains
	}
	return assets
}

// about divides what a question names into the assets that it is about, nil where it is about none or several, and the chains on which. A name that a chain and
// a token have is the chain's beside another asset: Optimism in "USDC on Optimism".
func (a *Asked) about(found [][]*lore.Asset) (assets []*lore.Asset) {
	slices.SortStableFunc(found, func(x, y []*lore.Asset) int { return chainsIn(x) - chainsIn(y) })
	for i, named := range found {
		if i == 0 {
			assets = named
			continue
		}
		if chainsIn(named) == 0 {
			return nil
		}
		for _, asset := range named {
			if asset.Type == lore.TypeChain {
				a.Chains = append(a.Chains, asset.ChainID)
			}
		}
	}
	if len(found) == 1 && isChain(assets) && a.Address != "" {
		a.Chains = append(a.Chains, assets[0].ChainID)
		return nil
	}
	if len(found) > 1 && isChain(assets) { // two chains
		return nil
	}
	return assets
}

// chainsIn returns 0 for a name of no chain, 2 for one of chains alone, and 1 for one of both.
func chainsIn(named []*lore.Asset) int {
	switch {
	case isChain(named):
		return 2
	case slices.ContainsFunc(named, func(asset *lore.Asset) bool { return asset.Type == lore.TypeChain }):
		return 1
	}
	return 0
}

// leastAddress is how long an address is at least: those of TON, XRPL and Solana have 32 characters and more, 0x and 40 digits have 42.
const leastAddress = 25

// longestName returns how many of the first words are the longest name of an asset, and which ones have it; 0: none. A word that questions
// have anyway is a name only in capitals, which words no longer are: SAFE and ONE need their address.
func (c *Catalog) longestName(words []string) (length int, found []*lore.Asset) {
	for length = min(c.longest, len(words)); length > 0; length-- {
		found = c.named[strings.Join(words[:length], " ")]
		if len(found) > 0 && (length > 1 || !beside[words[0]] && !asking[words[0]]) {
			return length, found
		}
	}
	return 0, nil
}

// isChain reports whether all assets of a name are chains.
func isChain(found []*lore.Asset) bool {
	return !slices.ContainsFunc(found, func(asset *lore.Asset) bool { return asset.Type != lore.TypeChain })
}

// order puts those that are on the asked chains first, then what an issuer with a page made, which bridges copy, then the ones on most chains.
func (a Asked) order(assets []*lore.Asset) (ordered []lore.Asset) {
	rank := func(asset lore.Asset) int {
		on := len(asset.Deployments)
		if slices.ContainsFunc(asset.Deployments, func(d lore.Deployment) bool { return slices.Contains(a.Chains, d.Chain) }) {
			on += 10_000
		}
		if asset.URL != "" {
			on += 1000
		}
		return -on
	}
	for _, asset := range assets {
		ordered = append(ordered, *asset)
	}
	slices.SortStableFunc(ordered, func(x, y lore.Asset) int { return rank(x) - rank(y) })
	return ordered
}
