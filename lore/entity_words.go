package lore

import "strings"

// Classes of bytes in the words that entities are made of.
const (
	byteDigit = 1 << iota
	byteHex
	byteBase58
	byteUpper
	byteLower
	byteWord  // letters, digits and _
	byteJoint // _
)

// byteClasses is the table of classes: one look a byte decides what a word can be.
var byteClasses = func() (classes [256]uint8) {
	const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz" // no 0, I, O and l
	set := func(bytes string, class uint8) {
		for i := range len(bytes) {
			classes[bytes[i]] |= class
		}
	}
	const digits, upper, lower = "0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz"
	set(digits, byteDigit)
	set(digits+"abcdefABCDEF", byteHex)
	set(base58, byteBase58)
	set(upper, byteUpper)
	set(lower, byteLower)
	set(digits+upper+lower+"_", byteWord)
	set("_", byteJoint)
	return classes
}()

// Lengths of what stands in a word alone.
const (
	evmAddressLength  = 42 // 0x and 20 bytes in hex
	evmSelectorLength = 10 // 0x and 4 bytes
	hashLength        = 64 // 32 bytes, as Bitcoin, XRPL and Cosmos write them
	shortestErrorName = 5
)

// words finds the entities that are single words: maximal runs of letters and digits, or with _ for error names.
func (l *entityList) words(text string) {
	for start := 0; start < len(text); {
		if byteClasses[text[start]]&byteWord == 0 {
			start++
			continue
		}
		end, some := start, uint8(0)
		for end < len(text) && byteClasses[text[end]]&byteWord != 0 {
			some |= byteClasses[text[end]]
			end++
		}
		// Of small letters alone, as most words are, nothing is made but a hash, one in 10^13.
		if length := end - start; length >= shortestErrorName && (some&(byteDigit|byteUpper|byteJoint) != 0 || length == hashLength) {
			l.word(text[start:end])
		}
		start = end
	}
}

// word looks at one word; addresses and hashes may be joined to others by _.
func (l *entityList) word(word string) {
	if mayBeErrorName(word) && errorNamePattern.MatchString(word) {
		l.add(errorName, word)
		return
	}
	for part := range strings.SplitSeq(word, "_") {
		if len(part) >= evmSelectorLength {
			l.encoded(part)
		}
	}
}

// mayBeErrorName is a cheap look before the pattern.
func mayBeErrorName(word string) bool {
	switch {
	case strings.HasSuffix(word, "Error"), strings.HasPrefix(word, "ERR"), strings.Contains(word, "__"):
		return true
	case word[0] == 't' && word[1] == 'e':
		return word[3] == '_' || byteClasses[word[3]]&byteUpper != 0
	}
	return false
}

// encoded tells what kind of bytes a run of letters and digits encodes, if any.
func (l *entityList) encoded(run string) {
	all, some := ^uint8(0), uint8(0)
	hex := run
	if strings.HasPrefix(run, "0x") || strings.HasPrefix(run, "0X") {
		hex = run[2:]
	}
	for i := range len(hex) {
		all, some = all&byteClasses[hex[i]], some|byteClasses[hex[i]]
	}
	switch {
	case len(hex) < len(run) && all&byteHex != 0 && len(run) == evmAddressLength:
		l.add(evmAddress, strings.ToLower(run))
	case len(hex) < len(run) && all&byteHex != 0 && len(run) == evmSelectorLength && run[1] == 'x':
		l.add(evmSelector, strings.ToLower(run))
	case len(hex) < len(run):
	case all&byteHex != 0 && len(run) == hashLength:
		l.add(bareHash, strings.ToLower(run))
	// Encoded bytes mix digits and both cases but for one in thousands; long identifiers lack digits, hex digests a case.
	case all&byteBase58 == 0 || some&byteDigit == 0 || some&byteUpper == 0 || some&byteLower == 0:
	case run[0] == 'r' && len(run) >= 25 && len(run) <= 35:
		l.add(xrplAddress, xrplAccount(run))
	case len(run) >= 32 && len(run) <= 44, len(run) >= 86 && len(run) <= 88:
		l.add(solanaAddress, solanaValue(run))
	}
}

// lowerASCII returns the text with ASCII letters lowercased and every byte in its place.
func lowerASCII(text string) string {
	bytes := []byte(text)
	for i, b := range bytes {
		if 'A' <= b && b <= 'Z' {
			bytes[i] = b + ('a' - 'A')
		}
	}
	return string(bytes)
}
