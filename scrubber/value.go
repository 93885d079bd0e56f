package scrubber

import "strings"

// drawn tells whether a value looks as if it was drawn at random: letters and digits mixed, no slug of words. It
// is only asked about values that a keyword or a URL already calls a secret.
func drawn(s string) bool {
	digits, letters, turns := 0, 0, 0
	last := uint16(0)
	for i := range len(s) {
		c := classes[s[i]] & clsAlnum
		switch {
		case c == clsDigit:
			digits++
		case c != 0:
			letters++
		}
		if c != last && i > 0 {
			turns++
		}
		last = c
	}
	if dull(s) || placeholder(s) {
		return false
	}
	if letters == 0 {
		return digits >= 32
	}
	// Two in five neighbours of a drawn base62 value differ in class; camel case has about one in four.
	if (digits > 0 || len(s) >= 20) && turns*5 >= len(s)*2 {
		return true
	}
	return digits >= 2 && !slug(s)
}

// slug tells words joined by hyphens or underscores (what-is-a-token-2024, V2_CORE_FACTORY) from a drawn value: each
// piece is all letters or all digits, or a letter with digits.
func slug(s string) bool {
	pieces, mixedPieces := 0, 0
	for piece := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '-' || r == '_' || r == '.' || r == '/' }) {
		pieces++
		first := 0
		for first < len(piece) && is(piece[first], clsLetter) {
			first++
		}
		if first != len(piece) && !all(piece[first:], clsDigit) || len(piece)-first > 4 {
			mixedPieces++
		}
	}
	return mixedPieces == 0 && (pieces > 1 || len(s) < 24)
}

// placeholder knows the words that stand where a secret would.
func placeholder(s string) bool {
	if isMarkers(s) {
		return true
	}
	s = s[:min(len(s), 80)] // long values would make repeated names expensive
	for _, word := range [...]string{"example", "placeholder", "your", "changeme", "insert", "xxxxx", "redacted", "dummy", "123456789012345"} {
		if containsFold(s, word) {
			return true
		}
	}
	return false
}

// containsFold looks for a lower-case word without regard to ASCII case.
func containsFold(s, word string) bool {
	for i := 0; i+len(word) <= len(s); i++ {
		j := 0
		for j < len(word) && lower(s[i+j]) == word[j] {
			j++
		}
		if j == len(word) {
			return true
		}
	}
	return false
}

// chainName tells a public identifier of a chain (address, hash, selector) from a secret: 0x..., a base58 number of 20 to 34
// bytes, bech32 with a known prefix.
func chainName(s string) bool {
	if len(s) > 2 && s[0] == '0' && s[1]|0x20 == 'x' && all(s[2:], clsHex) {
		return true
	}
	if len(s) >= 25 && len(s) <= 46 && all(s, clsBase58) {
		var buf [96]byte
		data, ok := base58Decode(bitcoinDigits, s, &buf)
		if ok && (len(data) == 32 && upperLower(s) || len(data) == 34 && s[:2] == "Qm") || checkedAddress(s) {
			return true
		}
	}
	if i := strings.IndexByte(s, '1'); i > 1 && i < 12 && len(s) > 38 && strings.ToLower(s) == s && bech32Valid(s[:i], s[i+1:]) {
		return true
	}
	return false
}

// checkedAddress tells a Bitcoin, Tron or XRP ledger address by its checksum.
func checkedAddress(s string) bool {
	if len(s) < 25 || len(s) > 36 {
		return false
	}
	if data, ok := base58Check(rippleDigits, s); ok && s[0] == 'r' && len(data) <= 21 {
		return true
	}
	data, ok := base58Check(bitcoinDigits, s)
	return ok && len(data) <= 21
}
