package curator

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"

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
	said := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(said) < leastFingerprintWords {
		return ""
	}
	digest := sha256.Sum256([]byte(strings.Join(said, " ")))
	return FingerprintVersion + ":" + hex.EncodeToString(digest[:16])
}
