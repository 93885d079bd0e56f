package lore

import (
	"bytes"
	"crypto/sha256"
	"math/big"
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
	caip2Chain // and CAIP-19 assets
	standard   // EIP, ERC, SWC, BIP, CAIP, SIMD, XLS
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

// Entities returns what texts name exactly, normalised, each once, in order of kind and then of appearance: EVM addresses
// and selectors, bare hashes, CAIP-2 chains and CAIP-19 assets, standards'
// numbers, CVE and GHSA ids, custom error names, package@version, XRPL and Solana addresses. Case is folded only where it carries
// nothing. It is used on documents and on queries alike. At most 200 are kept. It never returns nil.
func Entities(texts ...string) []string {
	var found entityList
	for _, text := range texts {
		found.read(text)
	}
	entities := []string{}
	for _, kind := range found {
		entities = append(entities, kind...)
	}
	return entities[:min(len(entities), maxEntities)]
}

// NormaliseEntity returns the form under which one entity is stored, or the text itself where it is none that we know.
func NormaliseEntity(text string) string {
	text = strings.TrimSpace(text)
	found := Entities(text)
	for _, entity := range found {
		if len(found) == 1 || strings.EqualFold(entity, text) { // an asset's id has its address in it
			return entity
		}
	}
	return text
}

// IsAssetID reports whether a text is nothing but addresses, CAIP-2 chains and CAIP-19 assets: ids of assets, and not only a mention.
func IsAssetID(text string) bool {
	words := strings.Fields(text)
	for _, word := range words {
		var found entityList
		found.read(word)
		ids := slices.Concat(found[evmAddress], found[caip2Chain], found[xrplAddress], found[solanaAddress])
		if !slices.ContainsFunc(ids, func(id string) bool { return strings.EqualFold(id, word) }) {
			return false
		}
	}
	return len(words) > 0
}

// entityList collects entities by kind.
type entityList [entityKinds][]string

// add adds an entity once.
func (l *entityList) add(kind entityKind, entity string) {
	if entity != "" && len(l[kind]) < maxEntities && !slices.Contains(l[kind], entity) {
		l[kind] = append(l[kind], entity)
	}
}

// read finds the entities of a text, word by word: maximal runs of letters and digits, or with _ for error names.
func (l *entityList) read(text string) {
	for start := 0; start < len(text); {
		if byteClasses[text[start]]&byteWord == 0 {
			if text[start] == '@' {
				l.packageAt(text, start)
			}
			start++
			continue
		}
		end := start
		for end < len(text) && byteClasses[text[end]]&byteWord != 0 {
			end++
		}
		word := text[start:end]
		isError := mayBeErrorName(word) && errorNamePattern.MatchString(word)
		if isError {
			l.add(errorName, word)
		}
		for part := range strings.SplitSeq(word, "_") { // addresses and hashes may be joined to others by _
			l.beginsWith(text, start)
			if !isError {
				l.encoded(part)
			}
			start += len(part) + 1
		}
		start = end
	}
}

// beginsWith tries the rules whose letters begin at a place.
func (l *entityList) beginsWith(text string, start int) {
	var letters [longestLetters]byte
	n := 0
	for ; start+n < len(text) && byteClasses[text[start+n]]&(byteUpper|byteLower) != 0; n++ {
		if n == len(letters) {
			return
		}
		letters[n] = text[start+n] | 0x20
	}
	for _, rule := range rulesByLetters[string(letters[:n])] {
		if start > 0 && strings.IndexByte(rule.before, text[start-1]) >= 0 {
			continue
		}
		if match := rule.pattern.FindStringSubmatch(text[start:min(len(text), start+rule.longest)]); match != nil {
			l.add(rule.kind, rule.normalise(match[1]))
		}
	}
}

// packageAt adds the package whose version stands behind the @ at a place.
func (l *entityList) packageAt(text string, at int) {
	const before, behind = 80, 48
	if digits := strings.TrimPrefix(text[at+1:min(len(text), at+3)], "v"); digits == "" || byteClasses[digits[0]]&byteDigit == 0 {
		return
	}
	lo := max(0, at-before)
	window := text[lo:min(len(text), at+behind)]
	for begin := 0; ; { // so that one character can bound two neighbours
		match := packagePattern.FindStringSubmatchIndex(window[begin:])
		if match == nil {
			return
		}
		start, end := begin+match[2], begin+match[3]
		if end > at-lo {
			if start > 0 || lo == 0 { // it begins in the text, not where the window does
				l.add(packageVersion, packageNumber(window[start:end]))
			}
			return
		}
		begin = end
	}
}

// mayBeErrorName is a cheap look before the pattern.
func mayBeErrorName(word string) bool {
	const shortest = 5
	if len(word) < shortest {
		return false
	}
	return strings.HasSuffix(word, "Error") || strings.HasPrefix(word, "ERR") || strings.Contains(word, "__") ||
		word[:2] == "te" && byteClasses[word[3]]&byteLower == 0
}

// encoded tells what kind of bytes a run of letters and digits encodes, if any.
func (l *entityList) encoded(run string) {
	const selectorLength, addressLength, hashLength = 10, 42, 64 // 4 and 20 bytes behind 0x, 32 bytes as Bitcoin, XRPL and Cosmos write them
	if len(run) < selectorLength {
		return
	}
	hex, prefixed := strings.CutPrefix(run, "0x")
	if !prefixed {
		hex, prefixed = strings.CutPrefix(run, "0X")
	}
	all, some := ^uint8(0), uint8(0)
	for i := range len(hex) {
		all, some = all&byteClasses[hex[i]], some|byteClasses[hex[i]]
	}
	const mixed = byteDigit | byteUpper | byteLower
	switch {
	case prefixed && all&byteHex != 0 && len(run) == addressLength:
		l.add(evmAddress, strings.ToLower(run))
	case prefixed && all&byteHex != 0 && len(run) == selectorLength && run[1] == 'x':
		l.add(evmSelector, strings.ToLower(run))
	case prefixed:
	case all&byteHex != 0 && len(run) == hashLength:
		l.add(bareHash, strings.ToLower(run))
	// Encoded bytes mix digits and both cases but for one in thousands; long identifiers lack digits, hex digests a case.
	case all&byteBase58 == 0 || some&mixed != mixed:
	case run[0] == 'r' && len(run) >= 25 && len(run) <= 35:
		l.add(xrplAddress, xrplAccount(run))
	case len(run) >= 32 && len(run) <= 44, len(run) >= 86 && len(run) <= 88:
		if size := len(base58(run, bitcoinAlphabet)); size == 32 || size == 64 {
			l.add(solanaAddress, run)
		}
	}
}

// Classes of bytes in the words that entities are made of.
const (
	byteDigit = 1 << iota
	byteHex
	byteBase58
	byteUpper
	byteLower
	byteWord // letters, digits and _
)

var byteClasses = func() (classes [256]uint8) {
	for class, bytes := range map[uint8]string{
		byteDigit: "0123456789", byteHex: "0123456789abcdefABCDEF", byteBase58: bitcoinAlphabet,
		byteUpper: "ABCDEFGHIJKLMNOPQRSTUVWXYZ", byteLower: "abcdefghijklmnopqrstuvwxyz",
		byteWord: "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_",
	} {
		for i := range len(bytes) {
			classes[bytes[i]] |= class
		}
	}
	return classes
}()

// Alphabets of base 58. XRPL orders its own so that account addresses begin with r.
const (
	bitcoinAlphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	xrplAlphabet    = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz"
)

// base58 decodes a value, or returns nil where it has a character of no base 58.
func base58(value, alphabet string) []byte {
	number, base := new(big.Int), big.NewInt(58)
	for i := range len(value) {
		digit := strings.IndexByte(alphabet, value[i])
		if digit < 0 {
			return nil
		}
		number.Add(number.Mul(number, base), big.NewInt(int64(digit)))
	}
	zeros := len(value) - len(strings.TrimLeft(value, alphabet[:1]))
	return append(make([]byte, zeros), number.Bytes()...)
}

// xrplAccount keeps a value whose checksum is right: a version byte of 0, 20 bytes of account id, and the first 4 of a
// double SHA-256 over both. A mistyped address is therefore no entity at all.
func xrplAccount(match string) string {
	decoded := base58(match, xrplAlphabet)
	if len(decoded) != 25 || decoded[0] != 0 {
		return ""
	}
	first := sha256.Sum256(decoded[:21])
	second := sha256.Sum256(first[:])
	if !bytes.Equal(decoded[21:], second[:4]) {
		return ""
	}
	return match
}
