package lore

import (
	"regexp"
	"slices"
	"strings"
)

// maxEntities bounds what one document keeps: a pasted address list must not turn it into the answer to everything.
const maxEntities = 200

// entityKind is a family of things that agents look up exactly. Entities are listed in this order.
type entityKind int

const (
	evmAddress entityKind = iota
	evmSelector
	bareHash
	caip2Chain
	standard // EIP, ERC, SWC, BIP, CAIP, SIMD, XLS
	cveNumber
	ghsaNumber
	errorName
	declaredError // error Name(...) and revert Name(...), as Solidity has them
	panicNumber   // Panic(0x11)
	packageVersion
	xrplAddress
	solanaAddress // addresses and signatures
	entityKinds   // how many there are
)

// anchoredRule finds entities with punctuation in them: its pattern is tried only around an anchor, since a regular
// expression over whole texts took two thirds of the time of storing a submission.
type anchoredRule struct {
	kind entityKind
	// anchors are lowercase; one of them begins an entity, or (for "@") stands inside.
	anchors []string
	before  int // how far an entity may begin before its anchor
	after   int // how far it may reach behind the anchor's beginning
	// pattern's first group is the entity; what stands around it are boundaries.
	pattern   *regexp.Regexp
	normalise func(match string) string
}

// holds reports whether a match is the anchor's own.
func (r anchoredRule) holds(start, end, anchor int) bool {
	switch {
	case r.kind == declaredError:
		return anchor < start // the anchor is the word before it
	case r.before == 1:
		return start == anchor
	}
	return start <= anchor && anchor < end
}

// anchoredRules run over scrubbed text, so that a hash written as 0x and 64 digits is gone by then.
var anchoredRules = []anchoredRule{
	{caip2Chain, []string{"eip155:", "solana:", "cosmos:", "bip122:", "xrpl:", "polkadot:", "starknet:", "stellar:", "tezos:", "hedera:", "near:", "sui:", "aptos:", "algorand:", "cardano:"}, 1, 48,
		regexp.MustCompile(`(?:^|[^0-9A-Za-z:-])((?:eip155|solana|cosmos|bip122|xrpl|polkadot|starknet|stellar|tezos|hedera|near|sui|aptos|algorand|cardano):[-_a-zA-Z0-9]{1,32})(?:$|[^0-9A-Za-z_-])`), identity},
	{standard, []string{"eip", "erc", "swc", "bip", "caip", "simd", "xls"}, 1, 12,
		regexp.MustCompile(`(?i)(?:^|[^0-9A-Za-z])((?:EIP|ERC|SWC|BIP|CAIP|SIMD|XLS)[- ]?\d{1,5})(?:$|[^0-9A-Za-z:]|:(?:$|[^0-9A-Za-z]))`), standardNumber}, // eip155:1 is no standard, "EIP-155: replay" names one
	{cveNumber, []string{"cve-"}, 1, 18, regexp.MustCompile(`(?i)(?:^|[^0-9A-Za-z])(CVE-\d{4}-\d{4,7})(?:$|[^0-9])`), strings.ToUpper},
	{ghsaNumber, []string{"ghsa-"}, 1, 22, regexp.MustCompile(`(?i)(?:^|[^0-9A-Za-z])(GHSA(?:-[0-9a-z]{4}){3})(?:$|[^0-9A-Za-z])`), strings.ToUpper},
	{declaredError, []string{"error ", "revert "}, 1, 80, regexp.MustCompile(`(?:^|[^0-9A-Za-z_])(?:error|revert) +([A-Z][a-z0-9]+[A-Z][A-Za-z0-9]*) *\(`), identity},
	{panicNumber, []string{"panic(0x"}, 1, 12, regexp.MustCompile(`(?:^|[^0-9A-Za-z_])([Pp]anic\(0x[0-9a-fA-F]{1,2}\))`), panicCode},
	// Behind a version stands no further part of a number: root@10.0.0.1 is no package.
	{packageVersion, []string{"@"}, 80, 48,
		regexp.MustCompile(`(?:^|[\s"'` + "`" + `(,\[])((?:@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._/-]*@v?\d+\.\d+(?:\.\d+)?(?:-[0-9A-Za-z.]*[0-9A-Za-z])?)(?:$|[^0-9A-Za-z.@-]|\.(?:$|[^0-9A-Za-z]))`), packageNumber},
}

// errorNamePattern holds Solidity's Contract__Error, names that end in Error, and upper-case codes as XRPL and others
// have them. It is tried on single words.
var errorNamePattern = regexp.MustCompile(`^(?:[A-Z][A-Za-z0-9]*__[A-Z][A-Za-z0-9]*|[A-Z][A-Za-z0-9]+Error|(?:ERR|tec|tef|tel|tem|ter)_?[A-Z][A-Z_]{3,})$`)

func identity(match string) string { return match }

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

// Entities returns what texts name exactly, normalised, each once, in order of kind and then of appearance: EVM addresses
// and selectors, bare hashes, CAIP-2 chains, standards' numbers, CVE and GHSA ids, custom error names, package@version,
// XRPL and Solana addresses. Case is folded only where it carries nothing. It is used on documents and on queries alike.
// At most 200 are kept. It never returns nil.
func Entities(texts ...string) []string {
	var found entityList
	for _, text := range texts {
		found.words(text)
		found.anchored(text)
	}
	entities := []string{}
	for _, kind := range found.byKind {
		entities = append(entities, kind...)
	}
	return entities[:min(len(entities), maxEntities)]
}

// NormaliseEntity returns the form under which one entity is stored, or the text itself where it is none that we know.
func NormaliseEntity(text string) string {
	if found := Entities(text); len(found) == 1 {
		return found[0]
	}
	return strings.TrimSpace(text)
}

// entityList collects entities by kind.
type entityList struct{ byKind [entityKinds][]string }

// add adds an entity once.
func (l *entityList) add(kind entityKind, entity string) {
	if entity != "" && len(l.byKind[kind]) < maxEntities && !slices.Contains(l.byKind[kind], entity) {
		l.byKind[kind] = append(l.byKind[kind], entity)
	}
}

// anchored finds the entities with punctuation in them.
func (l *entityList) anchored(text string) {
	if kinds, some := anchoredKinds(text); some {
		l.anchoredOf(text, kinds)
	}
}

// anchoredOf finds those of some kinds.
func (l *entityList) anchoredOf(text string, kinds [entityKinds]bool) {
	lower := lowerASCII(text)
	for _, rule := range anchoredRules {
		if !kinds[rule.kind] {
			continue
		}
		for _, anchor := range rule.anchors {
			for from := 0; ; {
				at := strings.Index(lower[from:], anchor)
				if at < 0 {
					break
				}
				at += from
				from = at + len(anchor)
				lo := max(0, at-rule.before)
				window := text[lo:min(len(text), at+rule.after)]
				for begin := 0; ; {
					match := rule.pattern.FindStringSubmatchIndex(window[begin:])
					if match == nil {
						break
					}
					start, end := begin+match[2], begin+match[3]
					// It must be this anchor's, and no end that the window alone makes: the next anchor finds its own.
					if rule.holds(start, end, at-lo) {
						if start > 0 || lo == 0 {
							l.add(rule.kind, rule.normalise(window[start:end]))
						}
						break
					}
					begin = end // so that one character can bound two neighbours
				}
			}
		}
	}
}
