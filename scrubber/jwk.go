package scrubber

import "strings"

// Private members of JSON Web Keys (RFC 7517, RFC 7518 section 6).
func jwkRules() []rule {
	return []rule{{
		name: "json web key", kind: KindPEM, anchors: []string{"kty"}, find: findJWK,
		removed: []string{
			"{\"kty\":\"EC\",\"crv\":\"secp256k1\",\"x\":\"<u64:43>\",\"y\":\"<u64:43>\",\"d\":\"«<u64:43>»\"}", "{\n  \"d\": \"«<u64:43>»\",\n  \"kty\": \"OKP\"\n}", "{'kty': 'oct', 'k': '«<u64:43>»'}",
			"{ kty: 'OKP', crv: 'Ed25519', x: '<u64:43>', d: '«<u64:43>»' }", "{\"kty\":\"RSA\",\"n\":\"<u64:342>\",\"e\":\"AQAB\",\"d\":\"«<u64:342>»\",\"p\":\"«<u64:171>»\",\"qi\":\"«<u64:171>»\"}",
		},
		kept: []string{"{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"<u64:43>\",\"y\":\"<u64:43>\"}", "{\"kty\":\"RSA\",\"n\":\"<u64:342>\",\"e\":\"AQAB\"}", "{\"d\":\"<u64:43>\"}", "{\"kty\":\"EC\",\"d\":\"...\"}"},
	}}
}

// findJWK: the values of d, p, q, dp, dq, qi and k in the object that kty stands in.
func findJWK(sc *scan, lo, hi int) int {
	const longest = 4096
	text := sc.text
	from := max(0, lo-longest)
	if i := strings.LastIndexAny(text[from:lo], "{}"); i >= 0 {
		from += i
	}
	to := min(len(text), hi+longest)
	if i := strings.IndexAny(text[hi:to], "{}"); i >= 0 {
		to = hi + i
	}
	for at := from; at < to; {
		colon := strings.IndexByte(text[at:to], ':')
		if colon < 0 {
			break
		}
		at += colon + 1
		end := at - 1
		for end > from && strings.IndexByte(" \"'", text[end-1]) >= 0 {
			end--
		}
		name := text[back(text, end, clsAlnum):end]
		value := skip(text, at, " \t\r\n\"'`")
		stop := forward(text, value, clsURL64)
		switch name {
		case "d", "p", "q", "dp", "dq", "qi", "k":
			if stop-value >= 21 && !dull(text[value:stop]) {
				sc.emit(KindPEM, value, stop)
			}
		}
		at = max(at, stop)
	}
	return to
}
