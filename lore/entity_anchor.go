package lore

import "strings"

// anchorHints are the characters that tell where an anchored entity may stand: one of them is in each, or right behind its
// anchor.
var anchorHints = func() (hints [256]bool) {
	for _, b := range []byte(":-( @0123456789") {
		hints[b] = true
	}
	return hints
}()

// anchoredKinds returns the kinds of anchored entities that may stand in a text: it may name one too many, never one too few.
// Most texts hold hardly any, and one look at each character is a tenth of looking for each anchor.
func anchoredKinds(text string) (kinds [entityKinds]bool, some bool) {
	mark := func(kind entityKind, may bool) {
		if may {
			kinds[kind], some = true, true
		}
	}
	for i := range len(text) {
		if !anchorHints[text[i]] {
			continue
		}
		switch text[i] {
		case ':':
			mark(caip2Chain, !kinds[caip2Chain] && endsInAny(text[:i+1], anchorsOf[caip2Chain]))
		case '-':
			mark(cveNumber, endsIn(text[:i], "cve") && isDigit(text, i+1))
			mark(ghsaNumber, endsIn(text[:i], "ghsa"))
		case '(':
			mark(panicNumber, endsIn(text[:i], "panic"))
		case ' ':
			mark(declaredError, hasClass(text, i+1, byteUpper) && !kinds[declaredError] && endsDeclaration(text[:i]))
		case '@':
			mark(packageVersion, isDigit(text, i+1) || i+1 < len(text) && text[i+1] == 'v' && isDigit(text, i+2))
		default: // the number of a standard, by its first digit
			if i > 0 && isDigit(text, i-1) {
				continue
			}
			end := i
			if end > 0 && (text[end-1] == ' ' || text[end-1] == '-') {
				end--
			}
			mark(standard, !kinds[standard] && endsInAny(text[:end], anchorsOf[standard]))
		}
	}
	return kinds, some
}

// endsDeclaration reports whether a text ends with the word before a declared error's name, with any spaces behind it.
func endsDeclaration(text string) bool {
	text = strings.TrimRight(text, " ")
	return endsIn(text, "error") || endsIn(text, "revert")
}

// anchorsOf are the anchors of each kind.
var anchorsOf = func() (of [entityKinds][]string) {
	for _, rule := range anchoredRules {
		of[rule.kind] = rule.anchors
	}
	return of
}()

func isDigit(text string, at int) bool { return hasClass(text, at, byteDigit) }

// hasClass reports whether a text has a byte of a class at a place.
func hasClass(text string, at int, class uint8) bool {
	return at < len(text) && byteClasses[text[at]]&class != 0
}

// endsIn reports whether a text ends in an anchor, whatever its case.
func endsIn(text, anchor string) bool {
	if len(text) < len(anchor) {
		return false
	}
	const lower = 'a' - 'A' // this bit makes a letter a small one; digits and punctuation of anchors have it
	for i := len(anchor) - 1; i >= 0; i-- {
		if text[len(text)-len(anchor)+i]|lower != anchor[i] {
			return false
		}
	}
	return true
}

func endsInAny(text string, anchors []string) bool {
	for _, anchor := range anchors {
		if endsIn(text, anchor) {
			return true
		}
	}
	return false
}
