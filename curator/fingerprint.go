package curator

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"

	"agentlore/lore"
	"agentlore/terms"
)

// FingerprintVersion begins every fingerprint. It rises with any change of what Fingerprint takes for equal or of what reports are
// compared by: all are compared anew then.
const FingerprintVersion = "v3"

// leastFingerprintWords is how many words must be left for a fingerprint to say anything: "test" or "it reverts" of two
// strangers are no pattern. Our guess, after the short-text guards of near-duplicate finders.
const leastFingerprintWords = 4

// Fingerprint returns the digest of what an observation says in words: summary, content and resolution, scrubbed, without
// addresses, hashes, numbers, case, punctuation and space. Reports with equal fingerprints are of one pattern. It is
// empty, and then equal to none, where fewer than four words are left.
func Fingerprint(o lore.Observation) string {
	digest, count := sha256.New(), 0
	for _, word := range terms.Words(strings.Join([]string{o.Summary, o.Content, o.Resolution}, "\n")) {
		if !isPlaceholder(word) && !isDigit(word[0]) {
			io.WriteString(digest, strings.ToLower(word)+" ")
			count++
		}
	}
	if count < leastFingerprintWords {
		return ""
	}
	return FingerprintVersion + ":" + hex.EncodeToString(digest.Sum(nil)[:16])
}
