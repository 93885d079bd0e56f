package scrubber

import (
	"encoding/base64"
	"strings"
)

// Private keys in DER without the lines that a PEM file has around it.
func derRules() []rule {
	return []rule{{
		name: "der private key", kind: KindPEM, strict: true, find: findDER,
		removed: []string{"key = \"«<der:pkcs8>»\"", "«<der:ed25519>»", "k: «<der:sec1>»", "«<derlines:pkcs8>»", "> «<derquoted:pkcs8>»", "«<derhex:ed25519>»", "0x«<derhex:pkcs8>»", "«<der:rsa>»"},
		kept:    []string{"<der:public>", "MII<b64:61>", "<derhex:public>", "MC4CAQA"},
	}}
}

const shortestDER = 64 // characters of base64: an Ed25519 key in PKCS #8 has 48 bytes

// findDER probes for long runs of base64 that begin as a private key in DER does. A run in hex digits is looked at as such.
func findDER(sc *scan, _, _ int) int {
	text := sc.text
	const shortest = 48 // of the first line
	for p := shortest - 1; p < len(text); {
		if !is(text[p], clsBase64) {
			p += shortest
			continue
		}
		lo, hi := back(text, p, clsBase64), forward(text, p, clsBase64)
		p = hi + shortest
		if hi-lo < shortest {
			continue
		}
		// What precedes the key may be of base64, too: a path, n of a written line break, 0x.
		if text[lo] == '0' && hi-lo > 2 && text[lo+1]|0x20 == 'x' {
			lo += 2
		}
		if text[lo] == '3' && strings.HasPrefix(text[lo:], "30") && hi-lo >= 96 && all(text[lo:hi], clsHex) {
			var head [24]byte
			for i := range head {
				head[i], _ = hexByte(text[lo+2*i:])
			}
			if n := privateDER(head[:]); n > 0 && hi-lo >= 2*min(n, 100) {
				sc.emit(KindPEM, lo, min(hi, lo+2*n))
			}
			continue
		}
		i := strings.IndexByte(text[lo:hi], 'M')
		if i < 0 || i > 1 {
			continue
		}
		lo += i
		var head [24]byte
		if _, err := base64.StdEncoding.Decode(head[:], []byte(text[lo:lo+32])); err != nil {
			continue
		}
		if n := privateDER(head[:]); n > 0 {
			if end, size := armourEnd(text, lo, (n+2)/3*4); size >= shortestDER-4 {
				sc.emit(KindPEM, lo, end)
				p = max(p, end)
			}
		}
	}
	return len(text)
}

// privateDER tells the head of a private key in PKCS #8, PKCS #1 or SEC 1, also encrypted, and returns the key's whole length, or 0.
func privateDER(b []byte) int {
	if b[0] != 0x30 {
		return 0
	}
	n, body := int(b[1]), b[2:]
	switch {
	case n == 0x81:
		n, body = int(b[2])+3, b[3:]
	case n == 0x82:
		n, body = int(b[2])<<8+int(b[3])+4, b[4:]
	case n < 0x80:
		n += 2
	default:
		return 0
	}
	const pbes = "\x2a\x86\x48\x86\xf7\x0d\x01\x05" // PKCS #5
	switch {
	case n < 44:
		return 0
	case body[0] == 0x02 && body[1] == 1 && body[2] <= 1: // the version, then
		switch tag, size := body[3], body[4]; {
		case tag == 0x30 && size < 0x40 && body[5] == 0x06, // an algorithm: PKCS #8
			tag == 0x02 && size >= 0x40 && body[2] == 0,                   // a modulus: PKCS #1
			tag == 0x04 && (size == 0x20 || size == 0x30 || size == 0x42): // a key: SEC 1
			return n
		}
	case body[0] == 0x30 && body[2] == 0x06 && string(body[4:4+len(pbes)]) == pbes:
		return n
	}
	return 0
}

// armourEnd reads up to so many characters of base64 over line breaks, and what quotes or indents them.
func armourEnd(text string, at, longest int) (end, size int) {
	end = at
	for at < len(text) && size < longest {
		stop := at
		for stop < len(text) && size < longest && is(text[stop], clsBase64|clsPad) {
			stop++
			size++
		}
		if stop == at {
			return end, size
		}
		end, at = stop, stop
		for at < min(len(text), end+16) && strings.IndexByte(" \t\r\n\"'`+,>|\\", text[at]) >= 0 {
			at++
		}
	}
	return end, size
}
