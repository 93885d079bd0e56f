// Package catalog answers questions about assets: which token an address is, where a token's contract is, whether a bridge still works.
// It reads the question by the catalog that the reference library ships. It does no I/O.
package catalog

import (
	"slices"
	"strings"

	"agentlore/lore"
	"agentlore/terms"
)

// Catalog finds assets by what people call them. It doesn't change.
type Catalog struct {
	named     map[string][]*lore.Asset // by the key of a name or symbol
	addressed map[string][]*lore.Asset // by the key of a contract's address
	chains    map[string]*lore.Asset   // by CAIP-2 id
	longest   int                      // words in the longest name
}

// New returns a catalog of assets.
func New(assets []lore.Asset) *Catalog {
	c := &Catalog{named: map[string][]*lore.Asset{}, addressed: map[string][]*lore.Asset{}, chains: map[string]*lore.Asset{}}
	for i := range assets {
		asset := &assets[i]
		names := append([]string{asset.Name, asset.ChainID}, asset.Also...)
		if asset.Type != lore.TypeChain { // ETH is the token, and not each chain whose fees it pays
			names = append(names, asset.Symbol)
		} else {
			names = append(names, strings.TrimPrefix(asset.ChainID, "eip155:"))
			names = append(names, asset.Ecosystem...)
			c.chains[asset.ChainID] = asset
		}
		for _, name := range names {
			c.name(name, asset)
		}
		for _, address := range asset.Addresses {
			key := addressKey(address)
			c.addressed[key] = append(c.addressed[key], asset)
		}
	}
	return c
}

// name adds an asset under a name.
func (c *Catalog) name(name string, asset *lore.Asset) {
	words := wordsOf(name)
	key := strings.Join(words, " ")
	if key == "" || slices.Contains(c.named[key], asset) {
		return
	}
	c.named[key] = append(c.named[key], asset)
	c.longest = max(c.longest, len(words))
}

// Chain returns the name of a chain, or its id where the catalog doesn't have it.
func (c *Catalog) Chain(id string) string {
	if chain := c.chains[id]; chain != nil {
		return chain.Name
	}
	return id
}

// addressKey writes an address as addresses are compared: hexadecimal ones without letter case.
func addressKey(address string) string {
	if strings.HasPrefix(address, "0x") || strings.HasPrefix(address, "0X") {
		return strings.ToLower(address)
	}
	return address
}

// wordsOf returns the words of a name or question, in lower case but for addresses.
func wordsOf(text string) []string {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n,;?!\"'`()[]{}<>|=", r) })
	for i, word := range words {
		word = strings.Trim(word, ".:-/#")
		if !terms.IsEncoded(word) {
			word = strings.ToLower(word)
		}
		words[i] = addressKey(word)
	}
	return slices.DeleteFunc(words, func(word string) bool { return word == "" })
}
