package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentlore/lore"
)

// Finding is what the catalog says to a question.
type Finding struct {
	Asset lore.Asset
	// Title answers the question in one line, Facts say more, Then is what to do with it.
	Title, Facts, Then string
	// Sure says that the catalog has what was asked: one asset is meant.
	Sure bool
}

// Answer returns what the catalog says to a question, the likeliest asset first.
func (c *Catalog) Answer(asked Asked) (found []Finding) {
	meant := asked.Assets
	if onChain := slices.DeleteFunc(slices.Clone(meant), func(asset lore.Asset) bool { return len(asked.on(asset)) == 0 }); len(onChain) > 0 {
		meant = onChain // that others are on other chains is not what was asked
	}
	for _, asset := range meant {
		f := Finding{Asset: asset, Facts: asset.Description, Sure: len(meant) == 1}
		switch {
		case asset.Type == lore.TypeChain && asked.testnets && asset.TestnetOf == "":
			f.Title, f.Then = c.testnets(asset)
		case asset.Type == lore.TypeChain:
			f.Title = asset.Name + " is " + asset.ChainID + state(asset)
			if asset.Explorer != "" {
				f.Then = "Explorer: " + asset.Explorer
			}
		case len(asset.Deployments) == 0:
			f.Title = asset.Name + state(asset)
		default:
			c.token(asked, &f)
		}
		found = append(found, f)
	}
	return found
}

// testnets names the test networks of a chain that are in use, with their explorers.
func (c *Catalog) testnets(of lore.Asset) (title, explorers string) {
	var names []string
	for _, id := range slices.Sorted(maps.Keys(c.chains)) {
		if chain := c.chains[id]; chain.TestnetOf == of.ChainID && chain.Status == lore.AssetActive {
			names = append(names, chain.Name+" ("+id+")")
			if chain.Explorer != "" {
				explorers += chain.Name + ": " + chain.Explorer + ". "
			}
		}
	}
	if len(names) == 0 {
		return "The catalog has no test network of " + of.Name + " that is in use", ""
	}
	return "Test networks of " + of.Name + ": " + strings.Join(names, ", "), strings.TrimSpace(explorers)
}

// compare is what to do before an address is used.
const compare = "Compare the whole address with the one that you have, not its first and last digits alone, before you send or approve anything."

// token answers a question about a token.
func (c *Catalog) token(asked Asked, f *Finding) {
	asset, name := f.Asset, f.Asset.Symbol+" ("+f.Asset.Name+")"
	on := asked.on(asset)
	f.Then = compare
	switch holder, held := asked.holder(asset); {
	case held && (len(asked.Chains) == 0 || slices.Contains(asked.Chains, holder.Chain)):
		f.Title, f.Sure = fmt.Sprintf("%s is %s on %s, %d decimals", holder.Address, name, c.Chain(holder.Chain), holder.Decimals), true
	case asked.Address != "" && len(on) > 0:
		f.Title = fmt.Sprintf("The address asked about is not %s on %s: that is %s", name, c.Chain(on[0].Chain), on[0].Address) + asked.other(c)
	case asked.Address != "" && len(asked.Chains) == 0:
		f.Then += " It is " + c.list(asset.Deployments) + "."
		f.Title = "The address asked about is no contract of " + name + " that the catalog has" + asked.other(c)
	case len(on) > 0:
		f.Title = fmt.Sprintf("%s on %s is %s, %d decimals", name, c.Chain(on[0].Chain), on[0].Address, on[0].Decimals)
	case len(asked.Chains) > 0:
		f.Title, f.Sure = "The catalog has no "+name+" on "+c.Chain(asked.Chains[0]), false
		f.Then = "It has it on other chains: " + c.list(asset.Deployments) + ". What another chain calls " + asset.Symbol + " may be a bridged or a false one."
	default:
		f.Title = name + " is " + c.list(asset.Deployments[:1])
		if len(asset.Deployments) > 1 {
			f.Then = compare + " It is " + c.list(asset.Deployments) + "."
			f.Title += fmt.Sprintf(", and on %d other chains", len(asset.Deployments)-1)
		}
	}
}

// on returns a token's contracts on the chains that were asked about.
func (a Asked) on(asset lore.Asset) (on []lore.Deployment) {
	for _, d := range asset.Deployments {
		if slices.Contains(a.Chains, d.Chain) {
			on = append(on, d)
		}
	}
	return on
}

// holder returns the contract of an asset that has the asked address, on an asked chain if there is one.
func (a Asked) holder(asset lore.Asset) (holder lore.Deployment, held bool) {
	for _, d := range asset.Deployments {
		if a.Address != "" && addressKey(d.Address) == a.Address && (!held || slices.Contains(a.Chains, d.Chain)) {
			holder, held = d, true
		}
	}
	return holder, held
}

// other says what else has the asked address.
func (a Asked) other(c *Catalog) string {
	for _, asset := range a.Holders {
		if holder, held := a.holder(asset); held {
			return fmt.Sprintf("; it is %s (%s) on %s", asset.Symbol, asset.Name, c.Chain(holder.Chain))
		}
	}
	return ""
}

// list writes contracts with their chains.
func (c *Catalog) list(deployments []lore.Deployment) string {
	var items []string
	for _, d := range deployments {
		items = append(items, fmt.Sprintf("%s on %s", d.Address, c.Chain(d.Chain)))
	}
	return strings.Join(items, ", ")
}

// state says whether an asset is in use.
func state(asset lore.Asset) string {
	text := map[lore.AssetStatus]string{
		lore.AssetActive: ", in use", lore.AssetSunset: " has ended", lore.AssetDeprecated: " is deprecated",
		lore.AssetExploited: " was exploited and did not come back",
	}[asset.Status]
	if asset.Status == lore.AssetSunset && asset.Since == "" {
		text += " or is being ended"
	}
	if asset.Type == lore.TypeChain && asset.Status != lore.AssetActive {
		text = ", which" + text
	}
	if asset.Since != "" {
		text += " (" + asset.Since + ")"
	}
	return text
}
