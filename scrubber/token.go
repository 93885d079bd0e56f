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
		removed: []string{
			"«<jwt>»", "Bearer «<jwt>».", "x=«eyJ<u64:20>.<u64:30>.»", "«eyJ<u64:20>.<u64:30>.<u64:40>.<u64:16>.<u64:22>»",
			"«eyJ<u64:5>.<u64:4>.<u64:7>-»", "«eyJ<u64:20>..<u64:16>.<u64:40>.<u64:22>», then", "zz«<jwt>»",
		},
		kept: []string{"eyJ<u64:20>", "keyJson.value.length", "eyJ", "surveyJoin.a.b"},
	}}
}

// findJWT: eyJ and further parts joined by dots; a third part may be empty. There is no boundary on the right, since a
// token may end in a hyphen. Glued to a letter on the left (keyJson.a.b) the header must decode to a JSON object.
func findJWT(sc *scan, lo, _ int) {
	text := sc.text
	header := forward(text, lo, clsURL64)
	payload := header + 1
	if payload < len(text) && text[payload] == '.' { // JWE with a direct key: its second part is empty
		payload++
	}
	if payload >= len(text) || text[header] != '.' || !is(text[payload], clsURL64) {
		sc.resume = header
		return
	}
	if lo > 0 && is(text[lo-1], clsAlnum) && !sc.seam(lo) && !jsonHeader(text[lo:header]) {
		return
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

// jsonHeader reports whether a token's first part decodes to text that ends an object.
func jsonHeader(part string) bool {
	if len(part) > 2048 { // a look at each letter of it would take long
		return true
	}
	header, err := base64.RawURLEncoding.DecodeString(part)
	return err == nil && len(header) > 2 && header[len(header)-1] == '}' && utf8.Valid(header)
}

// This service's own tokens, which package tokens makes. No word ends in agl, so prose is safe.
func tokenRules() []rule {
	return []rule{{
		name: "service token", kind: KindServiceToken, anchors: []string{"agl-"}, strict: true, find: findToken,
		removed: []string{
			"«agl-<b36:40>»", "token=«agl-<b36:3>»,", "x«agl-<b36:40>»", "«agl-<b36:40>»_", "\"«agl-<b36:8>»\"",
		},
		kept: []string{"agl-", "agl <b36:40>", "agl_<b36:40>", "agl-<TOKEN>"},
	}}
}

// tokenLength is how long the part after the hyphen is in the tokens that this service makes.
const tokenLength = 40

// findToken: the prefix, a hyphen and every lowercase letter or digit after it; over line breaks only as
// many as a token has.
func findToken(sc *scan, lo, hi int) {
	end := forward(sc.text, hi, clsDigit|clsLower)
	if sc.strict {
		const shortest = 4 // a single letter on the next line is more likely a word than the rest of a token
		stop := hi + tokenLength
		if end < stop {
			return
		}
		for i := stop - 1; i > stop-shortest; i-- {
			if sc.seam(i) {
				return
			}
		}
		end = stop
	}
	if end > hi {
		sc.emit(KindServiceToken, lo, end)
	}
}
