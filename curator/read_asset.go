package curator

import (
	"cmp"
	"regexp"
	"strings"

	"agentlore/lore"
)

// assetKinds are the types that a suggestion may give to a project, by how people write them.
var assetKinds = map[string]string{
	"dex": "dex", "decentralized exchange": "dex", "decentralised exchange": "dex", "amm": "dex", "bridge": "bridge", "oracle": "oracle",
	"lending protocol": "lending", "lending market": "lending", "money market": "lending", "wallet": "wallet", "smart wallet": "wallet",
	"stablecoin": "token", "token": "token", "governance token": "token", "chain": "chain", "blockchain": "chain", "rollup": "chain",
	"layer 1": "chain", "layer 2": "chain", "l1": "chain", "l2": "chain", "sidechain": "chain", "block explorer": "tool", "explorer": "tool",
	"indexer": "tool", "sdk": "tool", "rpc provider": "tool", "nft marketplace": "marketplace", "marketplace": "marketplace",
	"liquid staking protocol": "staking", "staking protocol": "staking", "yield aggregator": "yield", "launchpad": "launchpad",
	"perpetuals exchange": "derivatives", "derivatives exchange": "derivatives", "protocol": "protocol",
}

var (
	// assetField is a field that somebody wrote out, with or without a colon.
	assetField = regexp.MustCompile(`(?i)^[\s*#-]*(?:its |the )?(name|project|type|kind|ecosystem|chain|network|contract address|address|contract|url|website|site|homepage|description)\b\**\s*[:=]?\**\s*(.+?)[\s.]*$`)
	fieldBreak = regexp.MustCompile(`[\n;]|, `)
)

// ReadAsset returns what a text says of an asset in so many words: "Type tool, ecosystem ethereum, address 0x…", or a field a
// line. What it doesn't say is empty.
func ReadAsset(text string) (entry lore.CatalogEntry) {
	for _, part := range fieldBreak.Split(text, -1) {
		match := assetField.FindStringSubmatch(part)
		if match == nil {
			continue
		}
		switch value := strings.Trim(match[2], "`* "); strings.ToLower(match[1]) {
		case "name", "project":
			entry.Name = cmp.Or(entry.Name, value)
		case "type", "kind":
			value = strings.ToLower(value)
			entry.Type = cmp.Or(entry.Type, assetKinds[value], value)
		case "ecosystem", "chain", "network":
			if len(entry.Ecosystem) == 0 {
				entry.Ecosystem = lore.StringList{value}
			}
		case "contract address", "address", "contract":
			if found := strings.Fields(value); len(lore.Entities(found[0])) == 1 {
				entry.Addresses = append(entry.Addresses, found[0])
			}
		case "url", "website", "site", "homepage":
			entry.URL = cmp.Or(entry.URL, link.FindString(value))
		case "description":
			entry.Description = cmp.Or(entry.Description, value)
		}
	}
	return entry
}
