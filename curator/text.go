package curator

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"iter"
	"regexp"
	"strings"

	"agentlore/lore"
	"agentlore/terms"
)

// link is a web address.
var link = regexp.MustCompile(`(?:https?|ipfs)://[^\s<>()\[\]"'` + "`" + `]+`)

// withoutLinks puts a space in place of web addresses.
func withoutLinks(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	return link.ReplaceAllString(text, " ")
}

// marker is what the scrubber puts in place of a secret, as a word.
const marker = "SCRUBBED"

// isPlaceholder reports whether a word differs between reports of one thing: an address, hash or key, or what the scrubber put in
// place of one.
func isPlaceholder(word string) bool { return terms.IsEncoded(word) || word == marker }

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func isWordByte(b byte) bool {
	return b == '_' || isDigit(b) || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// eachPart ranges over the parts of a text's words in lower case, but for numbers and what differs between reports of one thing.
func eachPart(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, word := range terms.Words(text) {
			if isPlaceholder(word) {
				continue
			}
			for _, part := range terms.Parts(word) {
				if !isDigit(part[0]) && !yield(strings.ToLower(part)) {
					return
				}
			}
		}
	}
}

// FingerprintVersion begins every fingerprint. It rises with any change of what Fingerprint takes for equal or of what reports are
// compared by: all are compared anew then.
const FingerprintVersion = "v4"

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
