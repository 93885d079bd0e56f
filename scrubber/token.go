package scrubber

// This service's own tokens.
func tokenRules(prefix string) []rule {
	return []rule{{
		name: "service token", kind: KindServiceToken, anchors: []string{prefix + "-"}, strict: true, find: findToken,
		removed: []string{"«" + prefix + "-<b36:40>»", "token=«" + prefix + "-<b36:3>»,", "x«" + prefix + "-<b36:40>»", "«" + prefix + "-<b36:40>»_", "\"«" + prefix + "-<b36:8>»\""},
		kept:    []string{prefix + "-", prefix + " <b36:40>", prefix + "_<b36:40>", prefix + "-<TOKEN>"},
	}}
}

// tokenLength is how long the part after the hyphen is in the tokens that this service makes.
const tokenLength = 40

// findToken: the prefix, a hyphen and every lowercase letter or digit after it; over line breaks only as
// many as a token has.
func findToken(sc *scan, lo, hi int) int {
	end := forward(sc.text, hi, clsDigit|clsLower)
	if sc.strict {
		const shortest = 4 // a single letter on the next line is more likely a word than the rest of a token
		stop := hi + tokenLength
		if end < stop {
			return end
		}
		for i := stop - 1; i > stop-shortest; i-- {
			if sc.seam(i) {
				return end
			}
		}
		end = stop
	}
	if end > hi {
		sc.emit(KindServiceToken, lo, end)
	}
	return end
}
