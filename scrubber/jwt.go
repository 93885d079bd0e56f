package scrubber

import (
	"encoding/base64"
	"unicode/utf8"
)

// JSON web tokens.
func jwtRules() []rule {
	return []rule{{
		name: "jwt", kind: KindJWT, anchors: []string{"eyJ"}, strict: true, find: findJWT,
		removed: []string{"«<jwt>»", "Bearer «<jwt>».", "x=«eyJ<u64:20>.<u64:30>.»", "«eyJ<u64:20>.<u64:30>.<u64:40>.<u64:16>.<u64:22>»", "«eyJ<u64:5>.<u64:4>.<u64:7>-»", "zz«<jwt>»"},
		kept:    []string{"eyJ<u64:20>", "keyJson.value.length", "eyJ", "surveyJoin.a.b"},
	}}
}

// findJWT: eyJ and further parts joined by dots; a third part may be empty. There is no boundary on the right, since a
// token may end in a hyphen. Glued to a letter on the left (keyJson.a.b) the header must decode to a JSON object.
func findJWT(sc *scan, lo, _ int) int {
	text := sc.text
	header := forward(text, lo, clsURL64)
	if header+1 >= len(text) || text[header] != '.' || !is(text[header+1], clsURL64) {
		return header
	}
	if lo > 0 && is(text[lo-1], clsAlnum) && !sc.seam(lo) && !jsonHeader(text[lo:header]) {
		return lo + 1
	}
	end := forward(text, header+1, clsURL64)
	for end < len(text) && text[end] == '.' {
		part := forward(text, end+1, clsURL64)
		end = part
	}
	for text[end-1] == '.' && text[end-2] == '.' { // an ellipsis is not an empty signature
		end--
	}
	sc.emit(KindJWT, lo, end)
	return end
}

// jsonHeader tells whether a token's first part decodes to text that ends an object.
func jsonHeader(part string) bool {
	const longest = 2048
	if len(part) > longest {
		return true
	}
	var buf [longest]byte
	var src [longest]byte
	n, err := base64.RawURLEncoding.Decode(buf[:], src[:copy(src[:], part)])
	return err == nil && n > 2 && buf[n-1] == '}' && utf8.Valid(buf[:n])
}
