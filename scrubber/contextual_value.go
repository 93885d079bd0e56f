package scrubber

import "strings"

// named tells whether a value is a secret under a name of that strength.
func named(value string, power strength, quoted bool) bool {
	digit := false
	for i := range len(value) {
		digit = digit || is(value[i], clsDigit)
	}
	if !digit && power != weakName || value == "" || template(value) || placeholder(value) || public(value, power) || strings.Contains(value, "://") || code(value) {
		return false
	}
	switch power {
	case loginName:
		letter := strings.IndexFunc(value, func(r rune) bool { return is(byte(r), clsLetter) }) >= 0
		return len(value) >= 8 && letter && !dull(value) && (quoted || !identifier(value))
	case keyName:
		return len(value) >= 16 && (drawn(value) || quoted && len(value) >= 32 && !dull(value) && !slug(value))
	case bareName:
		// Digests are written in plain base64, tokens in the URL's.
		return len(value) >= 64 && drawn(value) && upperLower(value) && strings.ContainsAny(value, "-_") && !identifier(value) && !slug(value)
	case weakName:
		if uuid(value) {
			return true
		}
		return len(value) >= 24 && drawn(value) && !all(value, clsHex) && upperLower(value) && !(all(value, clsAlnum) && identifier(value))
	}
	return false
}

// public tells a chain's public identifier. Behind a strong name only a proven address counts as one.
func public(value string, power strength) bool {
	if power <= weakName {
		return chainName(value)
	}
	return strings.HasPrefix(value, "0x") && all(value[2:], clsHex) || checkedAddress(value)
}

// code tells a path through code (process.env.KEY_1, config.secret) from a value.
func code(s string) bool {
	dots := 0
	for piece := range strings.SplitSeq(s, ".") {
		if piece == "" || !is(piece[0], clsLetter) && piece[0] != '_' && piece[0] != '$' || !identifier(piece) {
			return false
		}
		dots++
	}
	return dots > 1
}

// identifier: words written together, with at most three digits at an end of one.
func identifier(s string) bool {
	changes, last := 0, uint16(0)
	for i := range len(s) {
		c := classes[s[i]] & (clsDigit | clsLetter)
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

func upperLower(s string) bool {
	var seen uint16
	for i := range len(s) {
		seen |= classes[s[i]]
	}
	return seen&clsUpper != 0 && seen&clsLower != 0
}

// uuid tells 8-4-4-4-12 hex digits.
func uuid(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if s[i] != '-' {
				return false
			}
		} else if !is(s[i], clsHex) {
			return false
		}
	}
	return !dull(s)
}
