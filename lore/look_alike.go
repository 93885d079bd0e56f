package lore

import (
	"strings"
	"unicode"

	"go.mau.fi/util/confusable"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// NameKey returns what makes two names the same: names that read alike have one key. It is the skeleton of UTS 39
// (https://www.unicode.org/reports/tr39/#Confusable_Detection) of the name as PRECIS' Nickname (RFC 8266) and case folding leave
// it. NameKey(NameKey(x)) is NameKey(x), and names of one LegacyNameKey have one NameKey. It takes any text; microseconds for a
// name. Letters of any case are compared, so i, l, I and 1 are one.
//
// Unicode changes its table of look-alikes from version to version. Stored keys are of the version that TestTableOfLookAlikes
// names: with another table, they have to be made again from the names.
func NameKey(name string) string {
	for range maxRounds {
		next := replaceLookAlikes(name)
		if next == name {
			break
		}
		name = next
	}
	return name
}

// maxRounds bounds how often NameKey begins again: what a character is replaced by may fold, compose or be replaced in turn (0 by
// O, O by o). RFC 8266 allows four rounds; no text that fuzzing found takes as many.
const maxRounds = 8

// LegacyNameKey returns the form under which names were compared before NameKey: NFKC, case folded, trimmed. The documents of
// names that were taken then are found by it, and assets have their ids by it; Unicode promises that it stays.
func LegacyNameKey(name string) string {
	return strings.TrimSpace(norm.NFKC.String(cases.Fold().String(norm.NFKC.String(name))))
}

// dotAbove is the mark that can't be seen on an i or a j.
const dotAbove = '\u0307'

// replaceLookAlikes is one round of NameKey.
func replaceLookAlikes(text string) string {
	folded := strings.Map(spaceOrSeen, LegacyNameKey(text))
	folded = norm.NFD.String(strings.Join(strings.Fields(folded), " "))
	var key strings.Builder
	var before, base rune // the character before, and the last one that isn't a mark
	for _, r := range folded {
		mark := unicode.Is(unicode.Mn, r)
		if mark && (r == before || r == dotAbove && (base == 'l' || base == 'j')) {
			continue // lies on what is there already
		}
		before = r
		alike := lookAlike(r)
		if !mark {
			base = rune(alike[len(alike)-1])
		}
		key.WriteString(alike)
	}
	return norm.NFD.String(key.String())
}

// lookAlike returns what a folded character is compared as.
func lookAlike(r rune) string {
	if r == 'i' {
		return "l" // I is i to case folding and l to the eye, so all three are one
	}
	if unicode.Is(unicode.Cherokee, r) {
		r = unicode.ToUpper(r) // cases.Fold turns either case of Cherokee into the other
	}
	alike := confusable.GetReplacement(r)
	if alike == "" {
		alike = string(r)
	}
	if r < 0x80 || alike[0] < 0x80 || unicode.Is(unicode.Latin, r) {
		return alike
	}
	// A Cyrillic в looks like no Latin letter, but a В does, and case makes no difference.
	if upper := confusable.GetReplacement(unicode.ToUpper(r)); len(upper) == 1 {
		return upper
	}
	return alike
}

// spaceOrSeen maps blanks to the space, and characters that can't be seen to nothing.
func spaceOrSeen(r rune) rune {
	switch {
	case r == brailleBlank, unicode.IsSpace(r):
		return ' '
	case unseen(r):
		return -1
	}
	return r
}

// brailleBlank is a symbol to Unicode and a blank to the eye.
const brailleBlank = '\u2800'

// unseen reports whether a character shows nothing by itself: controls, format characters, tags, variation selectors, fillers,
// unassigned ones.
func unseen(r rune) bool {
	return !unicode.IsGraphic(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
