package scrubber

import (
	"encoding/base32"
	"encoding/base64"
	"regexp"
	"strconv"
	"strings"
)

// Private keys of 32 bytes (or 64, with the public key behind) that are not written as one run of hex digits. Each is only asked about
// right behind a name or a call that says private key: what it is in itself, a digest is as well.

// spelledKey reads the key that begins at a place, in any spelling, and returns its parts; none if there is no key.
func (sc *scan) spelledKey(at int) (parts []part) {
	text := sc.text
	if strings.HasPrefix(text[at:], `\x`) {
		return one(escapedKey(text, at))
	}
	if !is(text[at], clsAlnum) {
		return nil
	}
	if end := decimalKey(text, at); end > at {
		return one(at, end)
	}
	if lo, hi := keyNumbers(text, at); hi > lo {
		return one(lo, hi)
	}
	if end := encodedKey(text, at); end > at {
		return one(at, end)
	}
	return keyPieces(text, at)
}

// part is a stretch of a view.
type part struct{ lo, hi int }

func one(lo, hi int) []part {
	if hi <= lo {
		return nil
	}
	return []part{{lo, hi}}
}

// escapedKey: \x4c\x08..., 32 bytes.
func escapedKey(text string, at int) (lo, hi int) {
	end := at
	for strings.HasPrefix(text[end:], `\x`) && len(text) >= end+4 && all(text[end+2:end+4], clsHex) {
		end += 4
	}
	if n := (end - at) / 4; n != 32 && n != 64 {
		return at, at
	}
	return at, end
}

// decimalKey: a number of 70 to 78 digits that a key can be; JavaScript's end in n.
func decimalKey(text string, at int) int {
	end := forward(text, at, clsDigit)
	if n := end - at; n < 70 || n > 78 || repetitive(text[at:end]) {
		return at
	}
	if end < len(text) && text[end] == 'n' {
		end++
	}
	if end < len(text) && is(text[end], clsAlnum) {
		return at
	}
	return end
}

// keyNumbers: 32 or 64 numbers below 256, decimal or 0x4c, with commas between.
func keyNumbers(text string, at int) (lo, hi int) {
	const most = 64
	var bytes [most]byte
	n, end := 0, at
	for i := at; n < most; n++ {
		stop := forward(text, i, clsAlnum)
		digits, base := strings.TrimPrefix(text[i:stop], "0x"), 10
		if len(digits) < stop-i {
			base = 16
		}
		digits = strings.TrimSuffix(digits, "u8")
		if len(digits) > 3 || !all(digits, clsHex) { // no error is made of every word
			break
		}
		value, err := strconv.ParseUint(digits, base, 8)
		if err != nil {
			break
		}
		bytes[n], end = byte(value), stop
		comma := skip(text[:min(len(text), stop+4)], stop, " ")
		if byteAfter(text, comma) != ',' {
			n++
			break
		}
		i = skip(text[:min(len(text), comma+40)], comma+1, " \t\r\n")
	}
	if n != 32 && n != most || !mixed(bytes[:n]) {
		return at, at
	}
	return at, end
}

// encodedKey: base64 of 32 or 64 bytes or of hex digits, or base32 of 32 bytes.
func encodedKey(text string, at int) int {
	const longest = 128
	end := forward(text[:min(len(text), at+longest)], at, clsBase64|clsURL64)
	run := text[at:end]
	stop := forward(text[:min(len(text), end+6)], end, clsPad)
	switch len(run) {
	case 52, 103:
		if key, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ToUpper(run)); err == nil && mixed(key) {
			return stop
		}
	case 43, 86, 88:
		if !has(run, clsUpper) || !has(run, clsLower) {
			return at
		}
		encoding := base64.RawStdEncoding
		if strings.ContainsAny(run, "-_") {
			encoding = base64.RawURLEncoding
		}
		if key, err := encoding.DecodeString(run); err == nil && (len(run) < 88 && mixed(key) || keyWord(string(key))) {
			return stop
		}
	}
	return at
}

const (
	keyDigits  = 64
	mostPieces = 6  // of different lengths
	pieceGap   = 24 // bytes between two pieces
	partGap    = 72 // and between two that have names
)

// keyPieces: hex digits in pieces (4c 08 83, "4c08" + "83...", a line each) that make 64 together, or with a zero byte before.
func keyPieces(text string, at int) (parts []part) {
	if text[at] == '0' && at+1 < len(text) && text[at+1]|0x20 == 'x' { // 0x before the first, or "0x" + "4c08..."
		at = nextPiece(text, at+2)
	}
	first, total, even, named := 0, 0, true, false
	for lo := at; lo < len(text); {
		hi := forward(text, lo, clsHex)
		n := hi - lo
		if n < 2 || hi < len(text) && is(text[hi], clsAlnum) {
			return nil
		}
		if first == 0 {
			first = n
		}
		even = even && n == first
		total += n
		if k := len(parts) - 1; k >= 0 && !named {
			parts[k].hi = hi
		} else {
			parts = append(parts, part{lo, hi})
		}
		if total >= keyDigits {
			break
		}
		next := nextPiece(text, hi)
		if named = next == hi && n >= 16; named {
			next = nextPart(text, hi)
		}
		if next == hi {
			return nil
		}
		lo = next
	}
	if !even && total/max(first, 1) > mostPieces && first < 8 {
		return nil
	}
	if zero := total == keyDigits+2 && strings.HasPrefix(text[at:], "00"); total != keyDigits && !zero || first >= keyDigits {
		return nil
	}
	return parts
}

// nextPiece returns where the next piece begins if nothing but signs is between, else i.
func nextPiece(text string, i int) int {
	next := skip(text[:min(len(text), i+pieceGap)], i, " \t\r\n\"'`+,:.\\_-&|>/;()")
	end := forward(text, next, clsHex)
	if next == i || end < next+2 || end < len(text) && is(text[end], clsAlnum) { // a word: and
		return i
	}
	return next
}

// partName is what stands between two parts of a key that have names: PRIVATE_KEY_2=, and the second half is.
var partName = regexp.MustCompile("(?i)^[\"'`,;.&|\\s]*(?:and (?:then )?|then )?(?:the )?(?:export |const |let |var |set )?[\"'`]?" +
	"(?:[a-z_ -]{0,20}(?:key|pk|part|half|piece|share|rest|remainder|second|other)[a-z_ -]{0,20}[ _]?\\(?\\d{0,2}(?:/\\d|of \\d)?\\)?)" +
	"[\"'`]? ?(?:is|was|[:=])[\\s\"'`:=]*|(?i)^[\"'`,;.]* ?(?:and then|and|then) [\"'`]?")

// nextPart returns where the next part of a key begins that has a name, or i.
func nextPart(text string, i int) int {
	gap := text[i:min(len(text), i+partGap)]
	if !strings.ContainsAny(gap, ":=") && !holdsAny(gap, []string{" is ", " was ", "and ", "then "}) {
		return i
	}
	next := i + len(partName.FindString(gap))
	if next == len(text) || !is(text[next], clsHex) {
		return i
	}
	return next
}
