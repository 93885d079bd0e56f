package scrubber

import (
	"iter"
	"strings"
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
