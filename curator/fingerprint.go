package curator

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"agentlore/lore"
)

// FingerprintVersion begins every fingerprint. It rises with any change of what Fingerprint takes for equal; fingerprints
// of different versions never match, so stored reports stay where they are.
const FingerprintVersion = "v1"

// leastFingerprintWords is how many words must be left for a fingerprint to say anything: "test" or "it reverts" of two
// strangers are no pattern. Our guess, after the short-text guards of near-duplicate finders.
const leastFingerprintWords = 4

// Fingerprint returns the digest of what an observation says in words: summary, content and resolution, scrubbed, without
// addresses, hashes, numbers, case, punctuation and space. Reports with equal fingerprints are of one pattern. It is
// empty, and then equal to none, where fewer than four words are left.
func Fingerprint(o lore.Observation) string {
	text := withoutPlaceholders(strings.Join([]string{o.Summary, o.Content, o.Resolution}, "\n"))
	said, words := lowerWords(text)
	if words < leastFingerprintWords {
		return ""
	}
	digest := sha256.Sum256(said)
	return FingerprintVersion + ":" + hex.EncodeToString(digest[:16])
}

// lowerWords returns the runs of letters and digits of a text in lower case, with one space between them, and how many there
// are.
func lowerWords(text string) (said []byte, words int) {
	said = make([]byte, 0, len(text)+len(text)/8)
	inside := false
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		switch {
		case isLower(text[i]) || digit(text[i]):
		case isUpper(text[i]):
			r += 'a' - 'A'
		case r < utf8.RuneSelf:
			r = -1
		default:
			r, size = utf8.DecodeRuneInString(text[i:])
			if r = unicode.ToLower(r); !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				r = -1
			}
		}
		i += size
		if r >= 0 && !inside {
			if words++; words > 1 {
				said = append(said, ' ')
			}
		}
		if inside = r >= 0; inside {
			said = utf8.AppendRune(said, r)
		}
	}
	return said, words
}
