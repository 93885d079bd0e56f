package scrubber

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Classes of ASCII bytes, as bits of one table.
const (
	clsDigit uint32 = 1 << iota
	clsUpper
	clsLower
	clsHex
	clsBase58 // Bitcoin's and the XRP ledger's alphabets hold the same letters in another order
	clsURL64  // base64url: letters, digits, - and _
	clsBase64 // base64: letters, digits, + and /
	clsSpace
	clsValue     // what an unquoted secret value is made of
	clsPad       // base64 padding
	clsURL       // what a URL in running text is made of
	clsAuthority // and its authority
	clsNumbers   // an array of numbers, decimal or 0x, with its brackets
	clsTail      // what may stand between the end of a piece and the line break
	clsLead      // what may stand between the line break and the next piece
	clsPiece     // what the pieces of a token that was broken over lines are made of
	clsBech32    // the digits of bech32, in either case
	clsAzure     // a client secret of Azure
	clsOdd       // not printable ASCII, nor a tab or line break
	clsEscape    // what an escape begins with
	clsBase32    // base32: capitals, and digits from 2 to 7
	clsBoxes     // digits in boxes or rows, with letters before the rows

	clsLetter = clsUpper | clsLower
	clsAlnum  = clsLetter | clsDigit
)

var classes = func() (t [256]uint32) {
	mark := func(chars string, c uint32) {
		for i := range len(chars) {
			t[chars[i]] |= c
		}
	}
	const digits, upper, lower = "0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz"
	mark(digits, clsDigit)
	mark(upper, clsUpper)
	mark(lower, clsLower)
	mark(digits+"abcdefABCDEF", clsHex)
	mark("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", clsBase58)
	mark(digits+upper+lower+"-_", clsURL64)
	mark(digits+upper+lower+"+/", clsBase64)
	mark("qpzry9x8gf2tvdw0s3jn54khce6muaQPZRYXGFTVDWSJNKHCEMUA7lL", clsBech32)
	mark(digits+upper+lower+"._~-", clsAzure)
	mark("=", clsPad)
	mark(digits+"abcdefABCDEFxX,[] \t\r\n", clsNumbers)
	mark(" \t\r\\\"'`+,", clsTail)
	mark(" \t>|#/*+\"'`$.-", clsLead)
	mark(digits+upper+lower+"-_+/=.", clsPiece)
	mark(" \t\r\n\v\f", clsSpace)
	mark(digits+upper+lower+"-_+/=.~!$%^&*@#?:|", clsValue)
	mark("\\%&", clsEscape)
	mark(upper+"234567", clsBase32)
	mark(digits+"ABCDEFGH \t\r\n|:-.,()[]{}\"'`*/", clsBoxes)
	for c := range 256 {
		if (c < ' ' || c >= 0x7f) && strings.IndexByte("\t\n\r", byte(c)) < 0 {
			t[c] |= clsOdd
		}
		if c > ' ' && strings.IndexByte("\"'`<>()\\,", byte(c)) < 0 {
			t[c] |= clsURL
		}
		if c > ' ' && strings.IndexByte("\"'`<>()\\,/?#", byte(c)) < 0 {
			t[c] |= clsAuthority
		}
	}
	return t
}()

func is(b byte, c uint32) bool { return classes[b]&c != 0 }

// all reports whether every byte of s is of class c.
func all(s string, c uint32) bool {
	for i := range len(s) {
		if !is(s[i], c) {
			return false
		}
	}
	return true
}

// has reports whether some byte of s is of class c.
func has(s string, c uint32) bool {
	for i := range len(s) {
		if is(s[i], c) {
			return true
		}
	}
	return false
}

// forward returns the end of the stretch of class c that begins at i; back the start of the one that ends at i.
func forward(s string, i int, c uint32) int {
	for i < len(s) && is(s[i], c) {
		i++
	}
	return i
}

func back(s string, i int, c uint32) int {
	for i > 0 && is(s[i-1], c) {
		i--
	}
	return i
}

// byteAfter returns the byte at i, byteBefore the one before it; a space where there is none.
func byteAfter(s string, i int) byte {
	if i < 0 || i >= len(s) {
		return ' '
	}
	return s[i]
}

func byteBefore(s string, i int) byte { return byteAfter(s, i-1) }

// skip returns the first place from i on that has none of these characters.
func skip(s string, i int, chars string) int {
	for i < len(s) && strings.IndexByte(chars, s[i]) >= 0 {
		i++
	}
	return i
}

// stretches yields the maximal stretches of class c that have at least so many bytes. It looks at one byte in every so many,
// so prose is hardly read.
func stretches(s string, c uint32, shortest int) iter.Seq2[int, int] {
	return func(yield func(lo, hi int) bool) {
		for p := shortest - 1; p < len(s); p += shortest {
			if !is(s[p], c) {
				continue
			}
			lo, hi := back(s, p, c), forward(s, p, c)
			if hi-lo >= shortest && !yield(lo, hi) {
				return
			}
			p = hi
		}
	}
}

// fold reads a text as a person would: compatibility forms (full-width, bold, circled) and letters of other
// alphabets that look Latin become ASCII; invisible, control and invalid bytes are left out. It returns nil if that changes
// nothing.
func fold(v *view) *view {
	text := v.text
	b := builder{parent: v}
	changed := false
	for i, from := 0, 0; ; from = i {
		for i < len(text) && !is(text[i], clsOdd) {
			i++
		}
		if i == len(text) {
			if !changed {
				return nil
			}
			b.copy(from, i)
			return b.view()
		}
		if b.text.Cap() == 0 {
			b.text.Grow(len(text))
		}
		b.copy(from, i)
		if c := text[i]; c < utf8.RuneSelf {
			i = pastControl(text, i)
			changed = true
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		last := b.last()
		folded, ok := "", false
		if r >= 0xA0 && r < latinEnd {
			folded, ok = latin[r].text, latin[r].ok
		} else {
			folded, ok = foldRune(r, text[i:i+size])
		}
		switch {
		case ok:
			b.put(folded, i, i+size)
			changed = true
		case last != 0 && last < utf8.RuneSelf && unicode.In(r, unicode.Mn, unicode.Me):
			changed = true // a mark on an ASCII letter
		default:
			b.copy(i, i+size)
		}
		i += size
	}
}

// pastControl returns the end of a control character, or of the ANSI control sequence that it begins.
func pastControl(text string, i int) int {
	if !strings.HasPrefix(text[i:], "\x1b[") {
		return i + 1
	}
	for i += 2; i < len(text) && text[i] >= 0x20 && text[i] < 0x40; {
		i++
	}
	if i < len(text) && text[i] >= 0x40 && text[i] < 0x7f {
		i++
	}
	return i
}

// latin holds what foldRune returns for the letters that European text is full of.
var latin = func() (t [latinEnd]struct {
	text string
	ok   bool
}) {
	for r := rune(0xA0); r < latinEnd; r++ {
		t[r].text, t[r].ok = foldRune(r, string(r))
	}
	return t
}()

const latinEnd = 0x500

// foldRune returns what a rune is read as, if not as itself. Marks are none of its business.
func foldRune(r rune, text string) (string, bool) {
	switch {
	case r == utf8.RuneError: // also a real U+FFFD: what a broken decoder left
		return "", true
	case r >= 0x3041 && r < 0x3100 || r >= 0x3400 && r < 0xA000 || r >= 0xAC00 && r < 0xD7A4:
		return "", false // kana, ideographs and hangul have no ASCII reading
	case r == 0x85 || r == 0x2028 || r == 0x2029:
		return "\n", true
	case r < 0xA0 || invisible(r):
		return "", true
	case unicode.In(r, unicode.Mn, unicode.Me):
		return "", false
	case unicode.Is(unicode.Zs, r) || r == 0x2800:
		return " ", true
	}
	if ascii, ok := lookalikes[r]; ok {
		return ascii, true
	}
	d := norm.NFKC.PropertiesString(text).Decomposition()
	if d == nil {
		return "", false
	}
	if d[0] >= utf8.RuneSelf {
		return string(d), true
	}
	return strings.Map(func(r rune) rune { // without the marks of an ASCII letter
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, string(d)), true
}

// invisible holds for category Cf and the code points that Unicode says to ignore when they can't be shown.
// A list of the best known zero-width characters would miss U+034F, U+180E or U+3164.
func invisible(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// lookalikes are letters of the Cyrillic, Greek and Armenian alphabets, and signs, that print like ASCII.
var lookalikes = func() map[rune]string {
	m := make(map[rune]string)
	for _, alike := range [...][2]string{
		{"АВЕЅІЈКМНОРСТУХҮЗԌԛԜҺаеѕіјорсухһԁԝԍӏҽгпьбѵк", "ABESIJKMHOPCTYXY3GQWHaesijopcyxhdwglernb6vk"},
		{"ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϜαικνορτυχϲϳγ", "ABEZHIKMNOPTYXCFaikvoptuxcjy"},
		{"ՍՕօսոհցքզյ", "UOounhgpqj"},
		{"ıɡɑʋᴄᴏᴜᴠᴡᴢꞌʼ‐‑‒–—−∕⁄։∶", "igavcouvwz''------//::"},
	} {
		ascii := alike[1]
		for _, r := range alike[0] {
			m[r], ascii = ascii[:1], ascii[1:]
		}
	}
	return m
}()
