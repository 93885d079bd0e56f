package importer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"agentlore/lore"
)

// Catalogs of chains, read from a local copy, become lines of the import format: what can be said of an entry in the file
// is what can be said of it here.

// lines sends what a walk of a catalog finds as NDJSON.
func lines(walk func(add func(lore.CatalogEntry) error) error) io.ReadCloser {
	reader, writer := io.Pipe()
	go func() {
		encoder := json.NewEncoder(writer)
		writer.CloseWithError(walk(func(entry lore.CatalogEntry) error {
			entry.Tags = slices.DeleteFunc(entry.Tags, func(tag string) bool { return tag == "" })
			entry.Addresses = slices.DeleteFunc(entry.Addresses, func(address string) bool { return address == "" })
			return encoder.Encode(entry)
		}))
	}()
	return reader
}

// listedChain is an entry of ethereum-lists' chains.json, as far as the catalog holds it.
type listedChain struct {
	Name           string `json:"name"`
	Title          string `json:"title"`
	Chain          string `json:"chain"`
	ShortName      string `json:"shortName"`
	ChainID        int64  `json:"chainId"`
	InfoURL        string `json:"infoURL"`
	Status         string `json:"status"`
	NativeCurrency struct {
		Name     string `json:"name"`
		Symbol   string `json:"symbol"`
		Decimals int    `json:"decimals"`
	} `json:"nativeCurrency"`
	Parent struct {
		Type  string `json:"type"`
		Chain string `json:"chain"`
	} `json:"parent"`
	Testnet bool `json:"testnet"`
}

// ChainsJSON reads the EVM chains of ethereum-lists: a chains.json with all of them, or a folder with one file a chain (the
// repository's _data/chains).
func ChainsJSON(path string) (io.ReadCloser, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		var chains []listedChain
		if err := readJSON(path, &chains); err != nil {
			return nil, err
		}
		return lines(func(add func(lore.CatalogEntry) error) error {
			for _, chain := range chains {
				if err := add(chain.entry()); err != nil {
					return err
				}
			}
			return nil
		}), nil
	}
	names, err := filepath.Glob(filepath.Join(path, "eip155-*.json"))
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("%s holds no eip155-*.json", path)
	}
	return lines(func(add func(lore.CatalogEntry) error) error {
		for _, name := range names {
			var chain listedChain
			if err := readJSON(name, &chain); err != nil {
				return err
			}
			if err := add(chain.entry()); err != nil {
				return err
			}
		}
		return nil
	}), nil
}

// entry returns the chain as a catalog entry.
func (c listedChain) entry() lore.CatalogEntry {
	kind, number := "chain", "eip155:"+strconv.FormatInt(c.ChainID, 10)
	if c.Testnet || strings.Contains(strings.ToLower(c.Name+" "+c.Title), "testnet") {
		kind = "testnet"
	}
	description := "EVM chain " + number
	if c.Title != "" && c.Title != c.Name {
		description += ", " + c.Title
	}
	if c.NativeCurrency.Symbol != "" {
		description += fmt.Sprintf(", native currency %s (%s, %d decimals)", c.NativeCurrency.Name, c.NativeCurrency.Symbol, c.NativeCurrency.Decimals)
	}
	tags := []string{"evm", number, c.ShortName}
	if c.Parent.Chain != "" {
		description += fmt.Sprintf(", %s of %s", strings.ToUpper(c.Parent.Type), strings.Replace(c.Parent.Chain, "eip155-", "eip155:", 1))
		tags = append(tags, strings.ToLower(c.Parent.Type))
	}
	if c.Status == "deprecated" {
		tags = append(tags, c.Status)
	}
	return lore.CatalogEntry{
		Name: c.Name, Type: kind, Ecosystem: lore.StringList{"ethereum"}, Description: description, URL: c.InfoURL, Tags: tags,
		Origin: "ethereum-lists/chains",
	}
}

// cosmosChain is a chain.json of the Cosmos chain registry, as far as the catalog holds it.
type cosmosChain struct {
	Name        string `json:"chain_name"`
	Pretty      string `json:"pretty_name"`
	ID          string `json:"chain_id"`
	Prefix      string `json:"bech32_prefix"`
	Network     string `json:"network_type"`
	Status      string `json:"status"`
	Website     string `json:"website"`
	Description string `json:"description"`
	Type        string `json:"chain_type"`
}

// cosmosAssets is an assetlist.json of the Cosmos chain registry, as far as the catalog holds it.
type cosmosAssets struct {
	Chain  string `json:"chain_name"`
	Assets []struct {
		Name        string `json:"name"`
		Symbol      string `json:"symbol"`
		Base        string `json:"base"`
		Kind        string `json:"type_asset"`
		Address     string `json:"address"`
		Description string `json:"description"`
	} `json:"assets"`
}

// ChainRegistry reads a copy of the Cosmos chain registry: every chain.json and assetlist.json below the folder.
func ChainRegistry(folder string) (io.ReadCloser, error) {
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return nil, errors.Join(fmt.Errorf("%s is not the folder of a chain registry", folder), err)
	}
	return lines(func(add func(lore.CatalogEntry) error) error {
		found := 0
		err := filepath.WalkDir(folder, func(path string, item fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case item.IsDir() && path != folder && strings.HasPrefix(item.Name(), "."):
				return filepath.SkipDir
			case item.Name() == "chain.json":
				found++
				return addCosmosChain(path, add)
			case item.Name() == "assetlist.json":
				found++
				return addCosmosAssets(path, add)
			}
			return nil
		})
		if err == nil && found == 0 {
			err = fmt.Errorf("%s holds no chain.json and no assetlist.json", folder)
		}
		return err
	}), nil
}

func addCosmosChain(path string, add func(lore.CatalogEntry) error) error {
	var chain cosmosChain
	if err := readJSON(path, &chain); err != nil {
		return err
	}
	kind := "chain"
	if chain.Network == "testnet" || chain.Network == "devnet" {
		kind = "testnet"
	}
	tags := []string{chain.Type, chain.Prefix}
	if chain.ID != "" && chain.Type != "eip155" {
		tags = append(tags, "cosmos:"+chain.ID)
	} else if chain.ID != "" {
		tags = append(tags, "eip155:"+chain.ID)
	}
	if chain.Status == "killed" {
		tags = append(tags, "deprecated")
	}
	name := chain.Pretty
	if name == "" {
		name = chain.Name
	}
	return add(lore.CatalogEntry{
		Name: name, Type: kind, Ecosystem: lore.StringList{chain.Name}, Description: cut(chain.Description), URL: chain.Website, Tags: tags,
		Origin: "cosmos/chain-registry",
	})
}

func addCosmosAssets(path string, add func(lore.CatalogEntry) error) error {
	var list cosmosAssets
	if err := readJSON(path, &list); err != nil {
		return err
	}
	for _, asset := range list.Assets {
		address := asset.Address
		if kind, rest, there := strings.Cut(asset.Base, ":"); address == "" && there && (kind == "cw20" || kind == "erc20") {
			address = rest
		}
		err := add(lore.CatalogEntry{
			Name: asset.Name, Type: "token", Ecosystem: lore.StringList{list.Chain}, Description: cut(asset.Description),
			Tags: []string{asset.Symbol, asset.Kind}, Addresses: []string{address}, Origin: "cosmos/chain-registry",
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// maxDescription is how long an entry's description may be; a registry's own may be longer.
const maxDescription = 2000

func cut(text string) string { return lore.CutAtWord(strings.TrimSpace(text), maxDescription) }

// readJSON reads one file.
func readJSON(path string, v any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
