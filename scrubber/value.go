package scrubber

import (
	"regexp"
	"strings"
)

// What values look like. These are only asked about values that a keyword, a prefix or a URL already calls a secret.

// looksRandom reports whether a value looks as if it was drawn at random: letters and digits mixed, no slug of words.
func looksRandom(s string) bool {
	digits, letters := 0, 0
	for i := range len(s) {
		switch c := classes[s[i]] & clsAlnum; {
		case c == clsDigit:
			digits++
		case c != 0:
			letters++
		}
	}
	if repetitive(s) || placeholder(s) {
		return false
	}
	if letters == 0 {
		return digits >= 32
	}
	return (digits > 0 || len(s) >= 20) && varied(s) || digits >= 2 && !slug(s)
}

// varied: two in five neighbours of a drawn base62 value differ in class; camel case has about one in four.
func varied(s string) bool {
	turns := 0
	for i := 1; i < len(s); i++ {
		if classes[s[i]]&clsAlnum != classes[s[i-1]]&clsAlnum {
			turns++
		}
	}
	return turns*5 >= len(s)*2
}

// repetitive tells a placeholder (xxxx, 0000, 123412341234) from a drawn key: it has few distinct characters.
func repetitive(s string) bool {
	var seen [128]bool
	distinct, n := 0, 0
	for i := range len(s) {
		c := s[i] & 127
		if !is(c, clsAlnum) {
			continue
		}
		n++
		if !seen[c] {
			seen[c] = true
			distinct++
		}
	}
	return distinct < min(7, n/2+1)
}

// slug tells words joined by hyphens or underscores (what-is-a-token-2024, V2_CORE_FACTORY) from a drawn value: each
// piece is all letters or all digits, or letters with up to four digits.
func slug(s string) bool {
	pieces := 0
	for piece := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune("-_./", r) }) {
		pieces++
		first := forward(piece, 0, clsLetter)
		if !all(piece[first:], clsDigit) || len(piece)-first > 4 {
			return false
		}
	}
	return pieces > 1 || len(s) < 24
}

// placeholder knows the words that stand where a secret would.
func placeholder(s string) bool {
	if isMarkers(s) {
		return true
	}
	s = strings.ToLower(s[:min(len(s), 80)]) // long values would make repeated names expensive
	for _, word := range [...]string{
		"example", "placeholder", "your", "changeme", "insert", "xxxxx", "redacted", "dummy", "123456789012345",
	} {
		if strings.Contains(s, word) {
			return true
		}
	}
	return false
}

// template tells a place to be filled in (${PASS}, <password>, {{ x }}, $PASS, ****) from a value.
func template(s string) bool {
	switch s[0] {
	case '<', '{', '*', '[':
		return true
	case '$', '%':
		return len(s) < 2 || s[1] == '{' || s[1] == '(' || is(s[1], clsUpper) && variableName(strings.Trim(s, "$%")) ||
			s[0] == '%' && len(s) == 2
	}
	return strings.Trim(s, "*.xX") == "" || isMarkers(s)
}

// variableName tells the name of a variable of an environment.
func variableName(s string) bool { return all(strings.ReplaceAll(s, "_", ""), clsUpper|clsDigit) }

// chainName tells a public identifier of a chain (address, hash, selector) from a secret: 0x..., a base58 number of 20 to 34
// bytes, or the form of bech32.
func chainName(s string) bool {
	if len(s) > 2 && s[0] == '0' && s[1]|0x20 == 'x' && all(s[2:], clsHex) {
		return true
	}
	if len(s) >= 25 && len(s) <= 46 {
		switch len(base58(bitcoinAlphabet, s)) {
		case 32:
			return upperLower(s)
		case 34:
			return s[:2] == "Qm"
		}
		if checkedAddress(s) {
			return true
		}
	}
	i := strings.IndexByte(s, '1')
	return i > 1 && i < 12 && len(s) > 38 && !has(s, clsUpper) && all(s[i+1:], clsBech32)
}

// checkedAddress tells a Bitcoin, Tron or XRP ledger address by its checksum.
func checkedAddress(s string) bool {
	const size = 21
	return len(s) >= 25 && len(s) <= 36 &&
		(s[0] == 'r' && len(base58Check(rippleAlphabet, s)) == size || len(base58Check(bitcoinAlphabet, s)) == size)
}

// code tells a path through code (process.env.KEY_1, config.secret) from a value.
func code(s string) bool {
	pieces := 0
	for piece := range strings.SplitSeq(s, ".") {
		if piece == "" || !is(piece[0], clsLetter) && piece[0] != '_' && piece[0] != '$' || !identifier(piece) {
			return false
		}
		pieces++
	}
	return pieces > 1
}

// identifier: words written together, which turn from letters to digits or back at most twice.
func identifier(s string) bool {
	changes, last := 0, uint32(0)
	for i := range len(s) {
		c := classes[s[i]] & clsAlnum
		if s[i] == '_' || s[i] == '$' {
			c = last
		} else if c == 0 {
			return false
		}
		if c&clsDigit != last&clsDigit && i > 0 {
			changes++
		}
		last = c
	}
	return changes <= 2
}

func upperLower(s string) bool { return has(s, clsUpper) && has(s, clsLower) }

var uuidForm = regexp.MustCompile(`^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$`)

// programName tells words of a program written together (signTransactionMessageWithSigners, sendUSDCToTreasury) from letters drawn at
// random: capitals begin words or stand together in a short name, a third of the letters at most are capitals, and words can be spoken.
func programName(s string) bool {
	const longestWord, mostConsonants = 16, 4
	words, short, capitals := 0, 0, 0
	for at := 0; at < len(s); {
		from := at
		at = forward(s, at, clsUpper)
		capitals += at - from
		if at-from > 1 && at < len(s) { // the last capital begins the next word: NFTOwner
			at--
			capitals--
		}
		if at-from < 2 {
			at = forward(s, max(at, from), clsLower)
		}
		word := s[from:at]
		words++
		switch {
		case word == "" || len(word) > longestWord: // a digit, or no word
			return false
		case has(word, clsLower):
			if len(word) < 3 {
				short++
			}
			silent, vowels := 0, 0
			for i := range len(word) {
				if strings.IndexByte("aeiouyAEIOUY", word[i]) >= 0 {
					silent, vowels = 0, vowels+1
				} else if silent++; silent > mostConsonants {
					return false
				}
			}
			if (from == 0 || len(word) > 4) && 7*vowels < len(word) {
				return false
			}
		case len(word) > 4 || len(word) == 1 && at < len(s):
			return false
		}
	}
	return words > 1 && short < 3 && 2*len(s) >= 7*words && len(s) >= 3*capitals
}
