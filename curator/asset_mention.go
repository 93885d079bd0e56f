package curator

import (
	"regexp"
	"strings"

	"agentlore/lore"
)

// assetKinds are the types that a sentence may give to a project, by how people write them.
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
	// introduction is how a project is introduced: Name is a DEX on Base.
	introduction = regexp.MustCompile(`^(?:New \w+: )?([A-Z0-9][\w.'&-]*(?: [A-Z0-9][\w.'&-]*){0,3}) (?:is|was launched as|launched as|launches as) (?:an?|the) (?:[\w-]+ ){0,4}?` +
		`((?i:decentrali[sz]ed exchange|lending protocol|lending market|money market|smart wallet|governance token|block explorer|nft marketplace|liquid staking protocol|staking protocol|` +
		`yield aggregator|perpetuals exchange|derivatives exchange|rpc provider|layer [12]|dex|amm|bridge|oracle|wallet|stablecoin|token|blockchain|sidechain|chain|rollup|l1|l2|explorer|indexer|sdk|marketplace|launchpad|protocol))\b` +
		`(?:[^.\n]*? (?:on|for) ([A-Z][A-Za-z0-9]+(?: One| Chain)?)\b)?`)
	// trouble says that a report tells what happened. The category doesn't tell: a model that learned from reports takes an
	// introduction for anything.
	trouble = regexp.MustCompile(`(?i)\b(?:revert|fail|error|bug|exploit|broke|stuck|drain|vulnerab|attack|panic|crash|wrong|hack|scam|phish|lost|los[et]s|loss|outage|timeout|unsafe|malicious)`)
	// assetField is a field that somebody wrote out, with or without a colon.
	assetField = regexp.MustCompile(`(?i)^[\s*#-]*(?:its |the )?(name|project|type|kind|ecosystem|chain|network|contract address|address|contract|url|website|site|homepage|description)\b\**\s*([:=]?)\**\s*(.+?)[\s.]*$`)
	fieldBreak = regexp.MustCompile(`[\n;]|, `)
)

// ReadAsset returns what a text says of an asset in so many words: "Type tool, ecosystem ethereum, address 0x…", or a field a
// line. What it doesn't say is empty. Fields counts those that were found, marked those among them with a colon.
func ReadAsset(text string) (entry lore.CatalogEntry, fields, marked int) {
	seen := map[string]bool{}
	for _, part := range fieldBreak.Split(text, -1) {
		match := assetField.FindStringSubmatch(part)
		if match == nil {
			continue
		}
		name, value := strings.ToLower(match[1]), strings.Trim(match[3], "`* ")
		known := true
		switch name {
		case "name", "project":
			name, entry.Name = "name", first(entry.Name, value)
		case "type", "kind":
			name, entry.Type = "type", first(entry.Type, assetType(value))
		case "ecosystem", "chain", "network":
			name = "ecosystem"
			if len(entry.Ecosystem) == 0 {
				entry.Ecosystem = lore.StringList{value}
			}
		case "contract address", "address", "contract":
			name = "address"
			if found := strings.Fields(value); len(lore.Entities(found[0])) == 1 {
				entry.Addresses = append(entry.Addresses, found[0])
			} else {
				known = false
			}
		case "url", "website", "site", "homepage":
			name = "url"
			if found := link.FindString(value); found != "" {
				entry.URL = first(entry.URL, found)
			} else {
				known = false
			}
		case "description":
			entry.Description = first(entry.Description, value)
		}
		if known && !seen[name] {
			seen[name] = true
			fields++
			if match[2] != "" {
				marked++
			}
		}
	}
	return entry, fields, marked
}

// FindAsset returns the asset that a report is about, if it introduces one rather than telling what happened to it: fields
// written out, with name and type, or a first sentence as in "Name is a DEX on Base", with an address or a link that an operator
// can check.
func FindAsset(o lore.Observation) (lore.CatalogEntry, bool) {
	if trouble.MatchString(o.Summary + "\n" + o.Content) {
		return lore.CatalogEntry{}, false
	}
	entry, _, marked := ReadAsset(o.Content)
	if marked < 3 || entry.Name == "" || entry.Type == "" || len(entry.Ecosystem) == 0 && o.Ecosystem == "" {
		if entry = introduced(o); entry.Name == "" {
			return lore.CatalogEntry{}, false
		}
	}
	if len(entry.Ecosystem) == 0 && o.Ecosystem != "" {
		entry.Ecosystem = lore.StringList{o.Ecosystem}
	}
	entry.Normalise()
	entry.Description = "" // the suggestion has the text itself
	return entry, len(entry.Check()) == 0 && (entry.URL != "" || len(entry.Addresses) > 0) && len(entry.Ecosystem) > 0
}

// introduced reads the first sentence of content or summary.
func introduced(o lore.Observation) lore.CatalogEntry {
	text := strings.TrimSpace(o.Content)
	match := introduction.FindStringSubmatch(text)
	if match == nil {
		if match = introduction.FindStringSubmatch(strings.TrimSpace(o.Summary)); match == nil {
			return lore.CatalogEntry{}
		}
	}
	switch match[1] {
	case "This", "It", "There", "That", "The", "Here", "What", "Which": // pronouns name nothing
		return lore.CatalogEntry{}
	}
	entry := lore.CatalogEntry{Name: match[1], Type: assetType(match[2]), URL: strings.TrimRight(link.FindString(text), ".,;")}
	if match[3] != "" {
		entry.Ecosystem = lore.StringList{match[3]}
	}
	for _, entity := range lore.Entities(text) {
		if strings.HasPrefix(entity, "0x") && len(entity) == 42 {
			entry.Addresses = append(entry.Addresses, entity)
		}
	}
	return entry
}

// assetType returns the slug for a type in words, or the words as they are.
func assetType(words string) string {
	words = strings.ToLower(strings.TrimSpace(words))
	return first(assetKinds[words], words)
}

// first returns the first text that isn't empty.
func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// AssetText writes an asset as ReadAsset reads it: that is what a suggestion of one holds.
func AssetText(entry lore.CatalogEntry) string {
	var b strings.Builder
	field := func(name, value string) {
		if value != "" {
			b.WriteString(name + ": " + strings.ReplaceAll(value, "\n", " ") + "\n")
		}
	}
	field("Name", entry.Name)
	field("Type", entry.Type)
	field("Ecosystem", strings.Join(entry.Ecosystem, " "))
	for _, address := range entry.Addresses {
		field("Address", address)
	}
	field("URL", entry.URL)
	return b.String()
}
