package scrubber

import (
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
)

// Private keys in text armour.
func pemRules() []rule {
	return []rule{{
		name: "pem", kind: KindPEM, anchors: []string{"PRIVATE KEY"}, find: findPEM,
		removed: []string{
			"«-----BEGIN PRIVATE KEY-----\n<b64:64>\n<b64:40>==\n-----END PRIVATE KEY-----»",
			"k=\"«-----BEGIN RSA PRIVATE KEY-----\\n<b64:64>\\n<b64:20>\\n-----END RSA PRIVATE KEY-----»\\n\"",
			"> «-----BEGIN OPENSSH PRIVATE KEY-----\n> <b64:70>\n> <b64:70>»\nThat was it.",
			"«-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n<b64:64>\n=<b64:4>\n-----END PGP PRIVATE KEY BLOCK-----»",
			"«-----BEGIN EC PRIVATE KEY----- <b64:64> <b64:64> -----END EC PRIVATE KEY-----»",
		},
		kept: []string{
			"-----BEGIN PUBLIC KEY-----\n<b64:64>\n-----END PUBLIC KEY-----",
			"-----BEGIN CERTIFICATE-----\n<b64:64>\n-----END CERTIFICATE-----",
			"-----BEGIN OPENSSH PRIVATE KEY----------END OPENSSH PRIVATE KEY-----",
			"a file that begins with -----BEGIN PRIVATE KEY----- is a secret", "the PRIVATE KEY of the owner",
		},
	}, {
		name: "putty key", kind: KindPEM, anchors: []string{"Private-Lines:"},
		pattern: regexp.MustCompile(`^Private-Lines:.{0,16}\n((?:[A-Za-z0-9+/=]{16,}\r?\n)*[A-Za-z0-9+/=]{16,})`),
		removed: []string{"Private-Lines: 2\n«<b64:64>\n<b64:64>»\nPrivate-MAC: x"},
		kept:    []string{"Private-Lines: 8", "Public-Lines: 1\n<b64:64>"},
	}, {
		name: "der private key", kind: KindPEM, run: 48, class: clsBase64, strict: true, find: findDER,
		removed: []string{"key = \"«<der:pkcs8>»\"", "«<derlines:pkcs8>»", "> «<derquoted:pkcs8>»", "0x«<derhex:pkcs8>»", "«<der:rsa>»"},
		kept:    []string{"<der:public>", "MII<b64:61>", "<derhex:public>", "MC4CAQA"},
	}, {
		name: "json web key", kind: KindPEM, anchors: []string{"kty"}, find: findJWK,
		removed: []string{
			"{\"kty\":\"EC\",\"crv\":\"secp256k1\",\"x\":\"<u64:43>\",\"y\":\"<u64:43>\",\"d\":\"«<u64:43>»\"}",
			"{\n  \"d\": \"«<u64:43>»\",\n  \"kty\": \"OKP\"\n}", "{'kty': 'oct', 'k': '«<u64:43>»'}",
			"{ kty: 'OKP', crv: 'Ed25519', x: '<u64:43>', d: '«<u64:43>»' }",
			"{\"kty\":\"RSA\",\"n\":\"<u64:342>\",\"e\":\"AQAB\",\"d\":\"«<u64:342>»\",\"p\":\"«<u64:171>»\",\"qi\":\"«<u64:171>»\"}",
		},
		kept: []string{
			"{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"<u64:43>\",\"y\":\"<u64:43>\"}",
			"{\"kty\":\"RSA\",\"n\":\"<u64:342>\",\"e\":\"AQAB\"}", "{\"d\":\"<u64:43>\"}", "{\"kty\":\"EC\",\"d\":\"...\"}",
		},
	}}
}

const longestPEM = 20 << 10

var (
	pemBase64 = regexp.MustCompile(`[A-Za-z0-9+/]{16}`)
	// pemBody is what follows BEGIN where there is no END: headers, then pieces of base64 that line breaks (also written ones),
	// spaces and quotes part; the last line may be short.
	pemBody = func() *regexp.Regexp {
		const quotes, lineBreak = "[ \t\r>|#*\"'`,+]*", `(?:\n|\\r\\n|\\n)`
		return regexp.MustCompile(`^((?:` + quotes + `(?:[\w-]+: [^\n\\]{0,80})?` + lineBreak + `){0,9}` +
			`(?:(?:` + quotes + lineBreak + `)*` + quotes + `[A-Za-z0-9+/=]{16,})+)` +
			`(?:(` + quotes + lineBreak + quotes + `[A-Za-z0-9+/=]{1,15})` + quotes + `(?:$|` + lineBreak + `))?`)
	}()
)

// findPEM removes a block from BEGIN to its END, or, without an END, the armour that follows.
func findPEM(sc *scan, lo, hi int) {
	text := sc.text
	from := max(0, lo-48)
	begin := from + strings.LastIndex(text[from:lo], "BEGIN ")
	if begin < from || strings.ContainsAny(text[begin:lo], "\n-") || !strings.HasSuffix(text[:begin], "--") {
		return
	}
	start := len(strings.TrimRight(text[:begin], "-"))
	body := pastKey(text, hi)
	if !strings.HasSuffix(text[:body], "--") {
		return
	}
	limit := min(len(text), body+longestPEM)
	if next := strings.Index(text[body:limit], "--BEGIN "); next >= 0 {
		limit = body + next
	}
	// An empty block has its END among the same dashes.
	if end := strings.Index(text[hi:limit], "--END "); end >= 0 {
		end += hi
		stop := limit
		if n := strings.Index(text[end:limit], "KEY"); n >= 0 {
			stop = min(limit, pastKey(text, end+n+len("KEY")))
		}
		if pemBase64.MatchString(text[min(body, end):end]) {
			sc.emit(KindPEM, start, stop)
		}
		sc.resume = stop
		return
	}
	if limit-body < 16 {
		return
	}
	if m := pemBody.FindStringSubmatchIndex(text[body:limit]); m != nil {
		sc.emit(KindPEM, start, body+max(m[3], m[5]))
	}
}

// pastKey returns the end of the dashes that close the line of a block's BEGIN or END after its KEY.
func pastKey(text string, i int) int {
	if strings.HasPrefix(text[i:], " BLOCK") {
		i += len(" BLOCK")
	}
	return skip(text, i, "-")
}

const shortestDER = 64 // characters of base64: an Ed25519 key in PKCS #8 has 48 bytes

// findDER: a run of base64 that begins as a private key in DER does, or one in hex digits.
func findDER(sc *scan, lo, hi int) {
	text := sc.text
	// What precedes the key may be of base64, too: a path, n of a written line break, 0x.
	if text[lo] == '0' && text[lo+1]|0x20 == 'x' {
		lo += 2
	}
	if strings.HasPrefix(text[lo:hi], "30") && hi-lo >= 96 && all(text[lo:hi], clsHex) {
		if n := privateDER(text[lo:hi]); n > 0 && hi-lo >= 2*min(n, 100) {
			sc.emit(KindPEM, lo, min(hi, lo+2*n))
		}
		return
	}
	i := strings.IndexByte(text[lo:hi], 'M')
	if i < 0 || i > 1 {
		return
	}
	lo += i
	head, err := base64.StdEncoding.DecodeString(text[lo : lo+32])
	if err != nil {
		return
	}
	if n := privateDER(hex.EncodeToString(head)); n > 0 {
		if end, size := armourEnd(text, lo, (n+2)/3*4); size >= shortestDER-4 {
			sc.emit(KindPEM, lo, end)
		}
	}
}

// derHead is the head, in hex digits, of a private key: the length, then the version and an algorithm (PKCS #8), a modulus
// (PKCS #1) or a key (SEC 1), or the algorithm of an encrypted key (PKCS #5).
var derHead = regexp.MustCompile(`(?i)^30(?:([0-7].)|81(..)|82(....))` +
	`(?:02010[01]30[0-3].06|02010002[4-9a-f].|02010[01]04(?:20|30|42)|30..06..2a864886f70d0105)`)

// privateDER returns the length in bytes of the private key that begins with so many hex digits, or 0.
func privateDER(digits string) int {
	m := derHead.FindStringSubmatch(digits[:48])
	if m == nil {
		return 0
	}
	n, _ := strconv.ParseUint(m[1]+m[2]+m[3], 16, 16)
	if n += 2 + uint64(len(m[2]+m[3]))/2; n < 44 {
		return 0
	}
	return int(n)
}

// armourEnd reads up to so many characters of base64 over line breaks, and what quotes or indents them.
func armourEnd(text string, at, longest int) (end, size int) {
	for end = at; size < longest; {
		stop := forward(text[:min(len(text), at+longest-size)], at, clsBase64|clsPad)
		if stop == at {
			break
		}
		size += stop - at
		end = stop
		at = skip(text[:min(len(text), end+16)], end, " \t\r\n\"'`+,>|\\")
	}
	return end, size
}

// jwkMember is a private member of a JSON Web Key (RFC 7518, section 6).
var jwkMember = regexp.MustCompile("(?:^|[^0-9A-Za-z])(?:d|p|q|dp|dq|qi|k)[\"' ]*:[ \t\r\n\"'`]*([\\w-]{21,})")

// findJWK looks at the object that kty stands in.
func findJWK(sc *scan, lo, hi int) {
	const longest = 4096
	text := sc.text
	from, to := max(0, lo-longest), min(len(text), hi+longest)
	from += strings.LastIndexAny(text[from:lo], "{}") + 1
	if i := strings.IndexAny(text[hi:to], "{}"); i >= 0 {
		to = hi + i
	}
	for _, m := range jwkMember.FindAllStringSubmatchIndex(text[from:to], -1) {
		if value, end := from+m[2], from+m[3]; !repetitive(text[value:end]) {
			sc.emit(KindPEM, value, end)
		}
	}
	sc.resume = to
}
