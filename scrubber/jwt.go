package scrubber

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// JSON web tokens.
func jwtRules() []rule {
	return []rule{{
		name: "jwt", kind: KindJWT, anchors: []string{"eyJ"}, strict: true, find: findJWT,
		removed: []string{"«<jwt>»", "Bearer «<jwt>».", "x=«eyJ<u64:20>.<u64:30>.»", "«eyJ<u64:20>.<u64:30>.<u64:40>.<u64:16>.<u64:22>»", "«eyJ<u64:5>.<u64:4>.<u64:7>-»", "«eyJ<u64:20>..<u64:16>.<u64:40>.<u64:22>», then", "zz«<jwt>»"},
		kept:    []string{"eyJ<u64:20>", "keyJson.value.length", "eyJ", "surveyJoin.a.b"},
	}}
}

// findJWT: eyJ and further parts joined by dots; a third part may be empty. There is no boundary on the right, since a
// token may end in a hyphen. Glued to a letter on the left (keyJson.a.b) the header must decode to a JSON object.
func findJWT(sc *scan, lo, _ int) int {
	text := sc.text
	header := forward(text, lo, clsURL64)
	payload := header + 1
	if payload < len(text) && text[payload] == '.' { // JWE with a direct key: its second part is empty
		payload++
	}
	if payload >= len(text) || text[header] != '.' || !is(text[payload], clsURL64) {
		return header
	}
	if lo > 0 && is(text[lo-1], clsAlnum) && !sc.seam(lo) && !jsonHeader(text[lo:header]) {
		return lo + 1
	}
	end := forward(text, payload, clsURL64)
	for parts := 2; end < len(text) && text[end] == '.' && parts < 5; parts++ {
		next := forward(text, end+1, clsURL64)
		if next == end+1 && parts > 2 { // the full stop of a sentence
			break
		}
		end = next
	}
	if text[end-1] == '.' && end < len(text) && text[end] == '.' { // an ellipsis is no empty signature
		end--
	}
	if sc.strict {
		end = sc.wrappedJWT(lo, header, end)
	}
	sc.emit(KindJWT, lo, end)
	return end
}

// wrappedJWT finds where a token that runs over line breaks ends: a word on the next line would look like more of its
// signature. The length of the signature tells; if none fits and the first line does not hold all
// three parts, everything goes.
func (sc *scan) wrappedJWT(lo, header, end int) int {
	if !jsonHeader(sc.text[lo:header]) {
		return lo
	}
	const shortest = 4 // as for this service's tokens
	signature := strings.LastIndexByte(sc.text[lo:end], '.') + lo + 1
	first := end // where the first line ends
	for i := end - 1; i > lo; i-- {
		if sc.seam(i) {
			first = i
		}
	}
	for stop := end; stop > signature; stop-- {
		if stop < end && !sc.seam(stop) || sc.seam(stop-1) || sc.seam(stop-2) || sc.seam(stop-shortest+1) {
			continue
		}
		switch stop - signature {
		case 43, 64, 86, 128, 171, 176, 342, 512, 683:
			return stop
		}
	}
	if signature < first { // three parts on one line: they were taken from the text as it came
		return lo
	}
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
