package tokens

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
)

// Prefix begins every token. No English word ends in it, so a scrub rule for tokens never takes a piece of prose.
const Prefix = "agl"

// A token is Prefix, a hyphen, 34 random base-36 characters (175 bits) and a checksum of 6.
const (
	randomLength   = 34
	checksumLength = 6
	head           = Prefix + "-"
	tokenLength    = len(head) + randomLength + checksumLength
	alphabet       = "0123456789abcdefghijklmnopqrstuvwxyz"
)

// checksumPrime is the largest prime below 36^6. The checksum is the random part, read as a number of base 36, modulo this.
// A changed character alters that number by d * 36^k with 0 < |d| < 36, two neighbours that changed places by
// d * 35 * 36^k; the prime divides neither, so every such error in the random part is found for certain, and a change within
// the checksum of course. Anything else passes once in about 2,000 million times. The checksum is for typing errors; it
// proves nothing, since anybody can compute it.
const checksumPrime = 2_176_782_317

// Mint returns a new token. It must be shown to its owner once and kept nowhere; Hash is what is stored. It fails only
// when the system has no randomness to give, and then crypto/rand ends the process first.
func Mint() (string, error) {
	token := make([]byte, 0, tokenLength)
	token = append(token, head...)
	var random [randomLength * 2]byte
	for len(token) < len(head)+randomLength {
		if _, err := rand.Read(random[:]); err != nil {
			return "", err
		}
		for _, b := range random {
			// 252 is 7 * 36: the four values above it would make some characters likelier, so they are thrown away.
			if b < 252 && len(token) < len(head)+randomLength {
				token = append(token, alphabet[b%36])
			}
		}
	}
	sum, _ := checksum(token[len(head):])
	var digits [checksumLength]byte
	for i := checksumLength - 1; i >= 0; i-- {
		digits[i] = alphabet[sum%36]
		sum /= 36
	}
	return string(append(token, digits[:]...)), nil
}

// WellFormed reports whether token may be one of ours, which spares a look-up for what can't be. It takes no care to run in
// constant time, and nothing here does: the checksum is no secret, and tokens are compared only through their SHA-256, as a
// key of a map or a store. Whoever times that learns about a hash that can't be steered towards another one.
func WellFormed(token string) bool {
	if len(token) != tokenLength || token[:len(head)] != head {
		return false
	}
	want, ok := checksum(token[len(head) : len(head)+randomLength])
	if !ok {
		return false
	}
	given, ok := checksum(token[len(head)+randomLength:])
	return ok && given == want && canonical(token[len(head)+randomLength:])
}

// Hash returns the hex SHA-256 of token, 64 characters: what stores, Redis and logs may hold in its place. A token has 175
// random bits, so its plain hash can't be guessed and needs neither salt nor stretching.
func Hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// checksum returns digits as a number of base 36 modulo checksumPrime, and whether all of them are base-36 digits.
func checksum[T string | []byte](digits T) (uint64, bool) {
	var sum uint64
	for i := range len(digits) {
		c := digits[i]
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'z':
			c -= 'a' - 10
		default:
			return 0, false
		}
		sum = (sum*36 + uint64(c)) % checksumPrime
	}
	return sum, true
}

// canonical reports whether the checksum's digits are below the prime: 19 values of six digits are not, and would stand
// for the same number as 19 others.
func canonical(digits string) bool {
	const largest = "zzzzzg" // checksumPrime - 1; digits sort before letters, as in the alphabet
	return digits <= largest
}
