package scrubber

import (
	"bytes"
	"crypto/sha256"
	"math/big"
)

// digits maps a base58 character to its value, or 0xFF.
type digits [256]byte

func newDigits(alphabet string) (d digits) {
	for i := range d {
		d[i] = 0xFF
	}
	for i := range len(alphabet) {
		d[alphabet[i]] = byte(i)
	}
	return d
}

const (
	rippleAlphabet  = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz"
	bitcoinAlphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
)

var (
	rippleDigits  = newDigits(rippleAlphabet)
	bitcoinDigits = newDigits(bitcoinAlphabet)
)

// base58Decode reads s into dst, most significant byte first, and returns the number's bytes without leading
// zeros, or false if s holds a foreign character or the number does not fit. It does not allocate.
func base58Decode(d digits, s string, dst *[96]byte) ([]byte, bool) {
	used := 0 // bytes in use at the end of dst
	for i := 0; i < len(s); {
		// Take five digits at a time: 58^5 fits 32 bits beside a carry.
		chunk, scale := uint64(0), uint64(1)
		for n := 0; n < 5 && i < len(s); n++ {
			v := d[s[i]]
			if v == 0xFF {
				return nil, false
			}
			chunk = chunk*58 + uint64(v)
			scale *= 58
			i++
		}
		for k := 1; k <= used || chunk > 0; k++ {
			if k > len(dst) {
				return nil, false
			}
			if k > used {
				dst[len(dst)-k] = 0
				used = k
			}
			chunk += uint64(dst[len(dst)-k]) * scale
			dst[len(dst)-k] = byte(chunk)
			chunk >>= 8
		}
	}
	return dst[len(dst)-used:], true
}

// base58Check returns the payload (with its version bytes) of a string whose last four bytes are the
// double SHA-256 of what precedes them.
func base58Check(d digits, s string) ([]byte, bool) {
	var buf [96]byte
	data, ok := base58Decode(d, s, &buf)
	if !ok || len(data) < 5 {
		return nil, false
	}
	payload := data[:len(data)-4]
	sum := sha256.Sum256(payload)
	sum = sha256.Sum256(sum[:])
	if !bytes.Equal(sum[:4], data[len(data)-4:]) {
		return nil, false
	}
	return append([]byte(nil), payload...), true
}

// digitRange is the range of strings of one length that can begin with certain version bytes: a cheap test
// before the hash.
type digitRange struct {
	d        digits
	min, max string
}

// holds compares digit by digit, in the order of the alphabet.
func (r *digitRange) holds(s string) bool {
	return r.compare(s, r.min) >= 0 && r.compare(s, r.max) <= 0
}

func (r *digitRange) compare(a, b string) int {
	for i := range len(a) {
		if x, y := r.d[a[i]], r.d[b[i]]; x != y {
			return int(x) - int(y)
		}
	}
	return 0
}

// newDigitRange is the range of size bytes that begin with version, written in length digits.
func newDigitRange(alphabet string, d digits, version []byte, size, length int) digitRange {
	fill := func(rest byte) string {
		b := bytes.Repeat([]byte{rest}, size)
		copy(b, version)
		n, radix := new(big.Int).SetBytes(b), big.NewInt(58)
		out := make([]byte, length)
		for i := length - 1; i >= 0; i-- {
			var m big.Int
			n.DivMod(n, radix, &m)
			out[i] = alphabet[m.Int64()]
		}
		return string(out)
	}
	return digitRange{d, fill(0x00), fill(0xFF)}
}

// seedRange holds every 29-character seed: version 0x21, 16 bytes, 4 bytes of checksum.
var seedRange = newDigitRange(rippleAlphabet, rippleDigits, []byte{0x21}, 21, 29)
