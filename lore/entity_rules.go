package lore

import (
	"regexp"
	"strings"
)

// entityRule finds entities with punctuation in them by the letters that they begin with: a regular expression over whole texts
// took two thirds of the time of storing a submission.
type entityRule struct {
	kind    entityKind
	letters []string // in lower case
	before  string   // signs that must not stand before it; letters and digits never may
	longest int      // bytes that the pattern may look at
	// pattern begins where the letters do. Its first group is the entity.
	pattern   *regexp.Regexp
	normalise func(match string) string
}

// entityRules run over scrubbed text, so that a hash written as 0x and 64 digits is gone by then.
var entityRules = []entityRule{
	// A CAIP-2 chain, or a CAIP-19 asset of one, whose namespace and reference follow behind a slash.
	{caip2Chain, strings.Fields("eip solana cosmos bip xrpl polkadot starknet stellar tezos hedera near sui aptos algorand cardano cip tvm tron stacks mvx"), ":-", 160,
		regexp.MustCompile(`^((?:eip155|solana|cosmos|bip122|xrpl|polkadot|starknet|stellar|tezos|hedera|near|sui|aptos|algorand|cardano|cip34|` +
			`tvm|tron|stacks|mvx):[-_a-zA-Z0-9]{1,32}(?:/(?:erc20|erc721|erc1155|bep20|slip44|token|nft|ibc|cw20|fa2|asset|native|jetton)` +
			`:[.%a-zA-Z0-9](?:[-.%a-zA-Z0-9]{0,126}[a-zA-Z0-9])?)?)(?:$|[^0-9A-Za-z_-])`), chainOrAsset},
	// eip155:1 is no standard and neither is its beginning, eip155:, but "EIP-155: replay" names one.
	{standard, strings.Fields("eip erc swc bip caip simd xls"), "", 12,
		regexp.MustCompile(`^([A-Za-z]+[- ]?\d{1,5})(?:$|[^0-9A-Za-z:]|:[^0-9A-Za-z])`), standardNumber},
	{cveNumber, []string{"cve"}, "", 18, regexp.MustCompile(`^(...-\d{4}-\d{4,7})(?:$|[^0-9])`), strings.ToUpper},
	{ghsaNumber, []string{"ghsa"}, "", 22, regexp.MustCompile(`^(....(?i:-[0-9a-z]{4}){3})(?:$|[^0-9A-Za-z])`), strings.ToUpper},
	{declaredError, []string{"error", "revert"}, "_", 80, regexp.MustCompile(`^[a-z]+ +([A-Z][a-z0-9]+[A-Z][A-Za-z0-9]*) *\(`), identity},
	{panicNumber, []string{"panic"}, "_", 12, regexp.MustCompile(`^([Pp]anic\(0x[0-9a-fA-F]{1,2}\))`), panicCode},
}

// rulesByLetters finds the rules whose entities begin with certain letters.
var rulesByLetters = func() map[string][]*entityRule {
	rules := make(map[string][]*entityRule)
	for i := range entityRules {
		for _, letters := range entityRules[i].letters {
			rules[letters] = append(rules[letters], &entityRules[i])
		}
	}
	return rules
}()

const longestLetters = len("polkadot")

// packagePattern holds name@version. Behind a version stands no further part of a number: root@10.0.0.1 is no package.
var packagePattern = regexp.MustCompile("(?:^|[\\s\"'`(,\\[])" + `((?:@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._/-]*@v?\d+\.\d+(?:\.\d+)?` +
	`(?:-[0-9A-Za-z.]*[0-9A-Za-z])?)(?:$|[^0-9A-Za-z.@-]|\.(?:$|[^0-9A-Za-z]))`)

// errorNamePattern holds Solidity's Contract__Error, names that end in Error, and upper-case codes as XRPL and others
// have them. It is tried on single words.
var errorNamePattern = regexp.MustCompile(`^(?:[A-Z][A-Za-z0-9]*__[A-Z][A-Za-z0-9]*|[A-Z][A-Za-z0-9]+Error|(?:ERR|tec|tef|tel|tem|ter)_?[A-Z][A-Z_]{3,})$`)

func identity(match string) string { return match }

// chainOrAsset writes an asset of an EVM chain in small letters: the case of its address is a checksum. The address is an entity too,
// and the chain is none: it is the asset that is named.
func chainOrAsset(match string) string {
	if strings.HasPrefix(match, "eip155:") && strings.Contains(match, "/") {
		return strings.ToLower(match)
	}
	return match
}

// standardNumber writes EIP 1559, eip-1559 and EIP1559 alike.
func standardNumber(match string) string {
	digits := strings.IndexAny(match, "0123456789")
	return strings.ToUpper(strings.TrimRight(match[:digits], "- ")) + "-" + match[digits:]
}

// panicCode writes Panic(0x1), panic(0x1) and Panic(0x01) alike.
func panicCode(match string) string {
	code := strings.ToLower(strings.TrimSuffix(match[len("Panic(0x"):], ")"))
	if len(code) == 1 {
		code = "0" + code
	}
	return "Panic(0x" + code + ")"
}

// packageNumber writes lodash@v4.17.0 and lodash@4.17.0 alike, and leaves scopes such as @vue as they are.
func packageNumber(match string) string {
	match = strings.ToLower(match)
	at := strings.LastIndexByte(match, '@') + 1
	return match[:at] + strings.TrimPrefix(match[at:], "v")
}
