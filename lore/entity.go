package lore

import (
	"regexp"
	"slices"
	"strings"
)

// maxEntities bounds what one document keeps: a pasted address list must not turn it into the answer to everything.
const maxEntities = 200

// entityRule finds one family of things that agents look up exactly.
type entityRule struct {
	name    string // for tests and the documentation
	pattern *regexp.Regexp
	// normalise returns the form that is stored and compared, or "" when the match is not one after all.
	normalise func(match string) string
}

// entityRules are tried in this order. Each pattern's first group is the entity; what stands around it are boundaries.
// They run over scrubbed text, so that a hash written as 0x and 64 digits is gone by then.
var entityRules = []entityRule{
	{"evm_address", regexp.MustCompile(`(?:^|[^0-9A-Za-z])(0[xX][0-9a-fA-F]{40})(?:$|[^0-9A-Za-z])`), strings.ToLower},
	{"evm_selector", regexp.MustCompile(`(?:^|[^0-9A-Za-z])(0x[0-9a-fA-F]{8})(?:$|[^0-9A-Za-z])`), strings.ToLower},
	{"hash", regexp.MustCompile(`(?:^|[^0-9A-Za-z])([0-9a-fA-F]{64})(?:$|[^0-9A-Za-z])`), strings.ToLower},
	{"caip2", regexp.MustCompile(`(?:^|[^0-9A-Za-z:-])((?:eip155|solana|cosmos|bip122|xrpl|polkadot|starknet|stellar|tezos|hedera|near|sui|aptos|algorand|cardano):[-_a-zA-Z0-9]{1,32})(?:$|[^0-9A-Za-z_-])`), identity},
	{"standard", regexp.MustCompile(`(?i)(?:^|[^0-9A-Za-z])((?:EIP|ERC|SWC|BIP|CAIP|SIMD|XLS)[- ]?\d{1,5})(?:$|[^0-9A-Za-z:])`), standardNumber},
	{"cve", regexp.MustCompile(`(?i)(?:^|[^0-9A-Za-z])(CVE-\d{4}-\d{4,7})(?:$|[^0-9])`), strings.ToUpper},
	{"ghsa", regexp.MustCompile(`(?i)(?:^|[^0-9A-Za-z])(GHSA(?:-[0-9a-z]{4}){3})(?:$|[^0-9A-Za-z])`), strings.ToUpper},
	{"error_name", regexp.MustCompile(`(?:^|[^0-9A-Za-z_])([A-Z][A-Za-z0-9]*__[A-Z][A-Za-z0-9]*|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)*Error|(?:ERR|tec|tef|tel|tem|ter)_?[A-Z][A-Z_]{3,})(?:$|[^0-9A-Za-z_])`), identity},
	{"package", regexp.MustCompile(`(?:^|[\s"'` + "`" + `(,\[])((?:@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._/-]*@v?\d+\.\d+(?:\.\d+)?(?:-[0-9A-Za-z.]+)?)`), strings.ToLower},
	{"xrpl_address", regexp.MustCompile(`(?:^|[^0-9A-Za-z])(r[1-9A-HJ-NP-Za-km-z]{24,34})(?:$|[^0-9A-Za-z])`), mixedBase58},
	{"solana_address", regexp.MustCompile(`(?:^|[^0-9A-Za-z])([1-9A-HJ-NP-Za-km-z]{32,44}|[1-9A-HJ-NP-Za-km-z]{86,88})(?:$|[^0-9A-Za-z])`), mixedBase58},
}

func identity(match string) string { return match }

// standardNumber writes EIP 1559, eip-1559 and EIP1559 alike.
func standardNumber(match string) string {
	digits := strings.IndexAny(match, "0123456789")
	return strings.ToUpper(strings.TrimRight(match[:digits], "- ")) + "-" + match[digits:]
}

// mixedBase58 keeps what looks like encoded bytes: it mixes digits, upper and lower case, as a random base58 value of
// this length does but for one in thousands, while long identifiers lack digits and hex digests lack upper case.
func mixedBase58(match string) string {
	if strings.ContainsAny(match, "123456789") && strings.ToLower(match) != match && strings.ToUpper(match) != match {
		return match
	}
	return ""
}

// Entities returns what texts name exactly, normalised, each once, in order of first appearance by rule: EVM addresses
// and selectors, bare hashes, CAIP-2 chains, standards' numbers, CVE and GHSA ids, custom error names, package@version,
// XRPL and Solana addresses. Case is folded only where it carries nothing. It is used on documents and on queries alike.
// At most 200 are kept. It never returns nil.
func Entities(texts ...string) []string {
	found := []string{}
	for _, rule := range entityRules {
		for _, text := range texts {
			found = rule.find(text, found)
		}
	}
	return found[:min(len(found), maxEntities)]
}

// find appends the rule's entities in text. It goes on right after each entity instead of after its right boundary,
// so that one character can bound two neighbours.
func (r entityRule) find(text string, found []string) []string {
	for start := 0; start < len(text); {
		match := r.pattern.FindStringSubmatchIndex(text[start:])
		if match == nil {
			break
		}
		entity := r.normalise(text[start+match[2] : start+match[3]])
		if entity != "" && !slices.Contains(found, entity) {
			found = append(found, entity)
		}
		if len(found) > maxEntities {
			break
		}
		start += match[3]
	}
	return found
}

// NormaliseEntity returns the form under which one entity is stored, or the text itself where it is none that we know.
func NormaliseEntity(text string) string {
	if found := Entities(text); len(found) == 1 {
		return found[0]
	}
	return strings.TrimSpace(text)
}
