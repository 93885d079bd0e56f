package reference

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/goccy/go-yaml"

	"agentlore/lore"
)

//go:embed assets/*.yaml
var assetFiles embed.FS

// Chain is a chain of the catalog.
type Chain struct {
	ID        string `yaml:"id"` // CAIP-2
	Name      string `yaml:"name"`
	Ecosystem string `yaml:"ecosystem"` // its name in lore/chains.txt; empty: it isn't there
	Currency  string `yaml:"currency"`  // the symbol of what fees are paid in
	Decimals  int    `yaml:"decimals"`
	TestnetOf string `yaml:"testnet_of"` // the CAIP-2 id of the chain that it tests
	Explorer  string `yaml:"explorer"`
	URL       string `yaml:"url"`
	Status    string `yaml:"status"`
	Ended     string `yaml:"ended"` // day or month; only where it is sunset
	Common    `yaml:",inline"`
}

// Token is a token of the catalog: what was bridged is another token than what its issuer made.
type Token struct {
	Symbol string       `yaml:"symbol"`
	Name   string       `yaml:"name"`
	URL    string       `yaml:"url"` // the issuer's page
	On     []Deployment `yaml:"on"`
	Common `yaml:",inline"`
}

// Deployment is a token's contract on a chain.
type Deployment struct {
	Chain    string `yaml:"chain"` // CAIP-2
	Address  string `yaml:"address"`
	Decimals int    `yaml:"decimals"`
}

// Protocol is a protocol, bridge or service of the catalog.
type Protocol struct {
	Name      string   `yaml:"name"`
	Type      string   `yaml:"type"` // bridge, dex, lending and so on
	Ecosystem []string `yaml:"ecosystem"`
	URL       string   `yaml:"url"`
	Status    string   `yaml:"status"`
	Since     string   `yaml:"since"` // day or month from which on it is sunset or exploited
	Common    `yaml:",inline"`
}

// Common is what all parts of the catalog have.
type Common struct {
	Note   string   `yaml:"note"`   // what an agent must know before it uses it
	Also   []string `yaml:"also"`   // former and short names
	Source []string `yaml:"source"` // keys of sources.yaml
}

// Catalog is the chains, tokens and protocols that the service ships.
type Catalog struct {
	Chains    []Chain
	Tokens    []Token
	Protocols []Protocol
}

// ReadCatalog returns the catalog; callers share it and don't change it. It fails on a file that isn't well-formed: the tests see to that.
func ReadCatalog() (Catalog, error) { return readCatalog() }

var readCatalog = sync.OnceValues(func() (c Catalog, err error) {
	for _, file := range []struct {
		name string
		into any
	}{{"chains", &c.Chains}, {"tokens", &c.Tokens}, {"protocols", &c.Protocols}} {
		text, err := assetFiles.ReadFile("assets/" + file.name + ".yaml")
		if err != nil {
			return c, err
		}
		if err := yaml.UnmarshalWithOptions(text, file.into, yaml.Strict()); err != nil {
			return c, fmt.Errorf("reference: assets/%s.yaml: %w", file.name, err)
		}
	}
	return c, nil
})

// Assets returns the catalog as it is stored. It fails where a source has no key in sources.yaml.
func (c Catalog) Assets(now time.Time) ([]lore.Asset, error) {
	sources, err := Sources()
	if err != nil {
		return nil, err
	}
	named := map[string]Chain{}
	for _, chain := range c.Chains {
		named[chain.ID] = chain
	}
	var assets []lore.Asset
	add := func(key, kind string, of Common, entry lore.CatalogEntry, facts lore.CatalogFacts, status string) error {
		entry.Normalise()
		entry.Type, entry.Origin = kind, "agentlore"
		asset := entry.Asset(now.UTC().Truncate(time.Millisecond))
		asset.ID, asset.CatalogFacts, asset.Status = lore.DerivedID("catalog", key), facts, lore.AssetStatus(status)
		asset.Also = of.Also
		asset.Entities = lore.Entities(slices.Concat([]string{asset.ChainID}, asset.Addresses, of.Also)...)
		asset.Reference = &lore.Reference{ID: "catalog." + key, Checked: checkedLast}
		for i, cited := range of.Source {
			source, known := sources[cited]
			if !known {
				return fmt.Errorf("reference: %s: no source has the key %q", key, cited)
			}
			if asset.Reference.Checked = max(asset.Reference.Checked, source.Day); i == 0 {
				asset.Reference.URL = source.Home()
			} else {
				asset.Reference.Further = append(asset.Reference.Further, source.Home())
			}
		}
		assets = append(assets, asset)
		return nil
	}
	for _, chain := range c.Chains {
		facts := lore.CatalogFacts{
			Symbol: chain.Currency, ChainID: chain.ID, Decimals: chain.Decimals, TestnetOf: chain.TestnetOf, Explorer: chain.Explorer, Since: chain.Ended,
		}
		entry := lore.CatalogEntry{Name: chain.Name, URL: chain.URL, Description: chain.describe(named), Ecosystem: ecosystems(chain.Ecosystem)}
		if err := add("chain:"+chain.ID, lore.TypeChain, chain.Common, entry, facts, chain.Status); err != nil {
			return nil, err
		}
	}
	for _, token := range c.Tokens {
		facts := lore.CatalogFacts{Symbol: token.Symbol}
		entry := lore.CatalogEntry{Name: token.Name, URL: token.URL, Description: token.describe(named)}
		for _, on := range token.On {
			facts.Deployments = append(facts.Deployments, lore.Deployment(on))
			entry.Addresses = append(entry.Addresses, on.Address)
			entry.Ecosystem = append(entry.Ecosystem, ecosystems(named[on.Chain].Ecosystem)...)
		}
		if err := add(token.key(), "token", token.Common, entry, facts, string(lore.AssetActive)); err != nil {
			return nil, err
		}
	}
	for _, protocol := range c.Protocols {
		facts := lore.CatalogFacts{Since: protocol.Since}
		entry := lore.CatalogEntry{Name: protocol.Name, URL: protocol.URL, Description: protocol.describe(), Ecosystem: protocol.Ecosystem}
		if err := add("protocol:"+protocol.Name, protocol.Type, protocol.Common, entry, facts, protocol.Status); err != nil {
			return nil, err
		}
	}
	return assets, nil
}

// checkedLast is the least day on which a row's sources were read.
const checkedLast = "2026-11-27"

// key identifies a token: two of one symbol differ in their first contract. To the scrubber, "token:" stands before a secret.
func (t Token) key() string { return "asset:" + t.Symbol + ":" + t.On[0].Chain + ":" + t.On[0].Address }

// ecosystems returns a chain's ecosystem as a list, empty where it has none.
func ecosystems(name string) []string {
	if name == "" {
		return nil
	}
	return []string{name}
}

// describe says in words what a reader of the chain's page looks for.
func (c Chain) describe(named map[string]Chain) string {
	text := "Chain " + c.ID + "."
	if c.TestnetOf != "" {
		text = "Test network " + c.ID + " of " + named[c.TestnetOf].nameOr(c.TestnetOf) + "."
	}
	if c.Currency != "" {
		text += " Fees are paid in " + c.Currency + "."
	}
	return text + ended(c.Status, c.Ended) + said(c.Note)
}

// nameOr returns the chain's name, or what stands for it where it isn't in the catalog.
func (c Chain) nameOr(id string) string {
	if c.Name == "" {
		return id
	}
	return c.Name
}

// describe says where the token is. Where it is on many chains, the addresses stand in its deployments alone.
func (t Token) describe(named map[string]Chain) string {
	var on []string
	for _, d := range t.On {
		on = append(on, named[d.Chain].nameOr(d.Chain))
	}
	return t.Symbol + ", a token on " + strings.Join(on, ", ") + "." + said(t.Note)
}

// describe says what the protocol is and whether it ended.
func (p Protocol) describe() string {
	return strings.ToUpper(p.Type[:1]) + p.Type[1:] + "." + ended(p.Status, p.Since) + said(p.Note)
}

// ended says that something is no longer in use.
func ended(status, since string) string {
	text := map[string]string{string(lore.AssetSunset): " It has ended", string(lore.AssetExploited): " It was exploited and did not come back"}[status]
	switch {
	case text == "":
		return ""
	case since == "" && status == string(lore.AssetSunset):
		return text + " or is being ended."
	case since == "":
		return text + "."
	}
	return text + ": " + since + "."
}

func said(note string) string {
	if note == "" {
		return ""
	}
	return " " + strings.TrimSpace(note)
}
