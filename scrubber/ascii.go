package scrubber

// Classes of ASCII bytes, as bits of one table.
const (
	clsDigit uint16 = 1 << iota
	clsUpper
	clsLower
	clsHex
	clsBase58 // Bitcoin's and the XRP ledger's alphabets hold the same letters in another order
	clsURL64  // base64url: letters, digits, - and _
	clsBase64 // base64: letters, digits, + and /
	clsSpace
	clsValue   // what an unquoted secret value is made of
	clsPad     // base64 padding
	clsURLEnd  // what ends a URL in running text
	clsURLPart // what ends a URL's authority
	clsNumbers // an array of numbers, decimal or 0x, with its brackets
	clsTail    // what may stand between the end of a piece and the line break
	clsLead    // what may stand between the line break and the next piece
	clsPiece   // what the pieces of a token that was broken over lines are made of

	clsLetter = clsUpper | clsLower
	clsAlnum  = clsLetter | clsDigit
)

var classes = func() (t [256]uint16) {
	mark := func(chars string, c uint16) {
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
	mark("=", clsPad)
	mark("\"'`<>()\\,", clsURLEnd)
	mark("/?#", clsURLPart)
	mark(digits+"abcdefABCDEFxX,[] \t\r\n", clsNumbers)
	mark(" \t\r\\\"'`+,", clsTail)
	mark(" \t>|#/*+\"'`$.-", clsLead)
	mark(digits+upper+lower+"-_+/=.", clsPiece)
	mark(" \t\r\n\v\f", clsSpace)
	mark(digits+upper+lower+"-_+/=.~!$%^&*@#?:|", clsValue)
	return t
}()

func is(b byte, c uint16) bool { return classes[b]&c != 0 }

func lower(b byte) byte {
	if is(b, clsUpper) {
		return b | 0x20
	}
	return b
}

// all tells whether every byte of s is of class c.
func all(s string, c uint16) bool {
	for i := range len(s) {
		if !is(s[i], c) {
			return false
		}
	}
	return true
}

// forward returns the end of the stretch of class c that begins at i; back the start of the one that ends at i.
func forward(s string, i int, c uint16) int {
	for i < len(s) && is(s[i], c) {
		i++
	}
	return i
}

func back(s string, i int, c uint16) int {
	for i > 0 && is(s[i-1], c) {
		i--
	}
	return i
}
