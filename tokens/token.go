package tokens

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
)

// Prefix begins every token. No English word ends in it, so a scrub rule for tokens never takes a piece of prose.
const Prefix = "agl"

// A token is Prefix, a hyphen, the key of its account (13 base-36 characters), 21 random ones (108 bits) and a checksum of 6. Those
// issued before tokens carried a key have 34 random ones instead, and a checksum without checksumOffset.
const (
	keyLength      = 13
	secretLength   = 21
	bodyLength     = keyLength + secretLength
	checksumLength = 6
	head           = Prefix + "-"
	tokenLength    = len(head) + bodyLength + checksumLength
	alphabet       = "0123456789abcdefghijklmnopqrstuvwxyz"
)

// checksumPrime is the largest prime below 36^6. The checksum is the random part, read as a number of base 36, modulo this.
// A changed character alters that number by d * 36^k with 0 < |d| < 36, two neighbours that changed places by
// d * 35 * 36^k; the prime divides neither, so every such error in the random part is found for certain, and a change within
// the checksum of course. Anything else passes once in about 2,000 million times. The checksum is for typing errors; it
// proves nothing: it can be computed without any secret.
const checksumPrime = 2_176_782_317

// checksumOffset is added to the checksum of tokens that carry an account's key, which distinguishes them from older ones.
const checksumOffset = 1_000_000_007

// Mint returns a new token of the account with this key (see lore.AccountKey). It must be shown to its owner once and kept nowhere;
// Hash is what is stored. It fails for what is no key, and when the system has no randomness to give.
func Mint(accountKey string) (string, error) {
	if _, ok := checksum(accountKey); !ok || len(accountKey) != keyLength {
		return "", errors.New("tokens: an account's key is 13 lowercase letters and digits")
	}
	body := []byte(accountKey)
	var random [secretLength * 2]byte
	for len(body) < bodyLength {
		if _, err := rand.Read(random[:]); err != nil {
			return "", err
		}
		for _, b := range random {
			// 252 is 7 * 36: the four values above it would make some characters likelier, so they are thrown away.
			if b < 252 && len(body) < bodyLength {
				body = append(body, alphabet[b%36])
			}
		}
	}
	sum, _ := checksum(body)
	digits := strconv.FormatUint((sum+checksumOffset)%checksumPrime, 36)
	return head + string(body) + strings.Repeat("0", checksumLength-len(digits)) + digits, nil
}

// Read reports whether a token may be one of ours, which spares a look-up for what can't be, and returns the key of the account
// that it carries: empty for one of before tokens carried any. It takes no care to run in constant time: the checksum is no secret,
// and tokens are compared only through their SHA-256.
func Read(token string) (accountKey string, ok bool) {
	if len(token) != tokenLength || token[:len(head)] != head {
		return "", false
	}
	body, digits := token[len(head):len(head)+bodyLength], token[len(head)+bodyLength:]
	want, ok := checksum(body)
	if !ok {
		return "", false
	}
	given, err := strconv.ParseUint(digits, 36, 64)
	switch {
	case err != nil || given >= checksumPrime || digits != strings.ToLower(digits): // a number has one spelling
		return "", false
	case given == (want+checksumOffset)%checksumPrime:
		return body[:keyLength], true
	}
	return "", given == want
}

// Hash returns the hex SHA-256 of token, 64 characters: what stores, Redis and logs may hold in its place. A token has 108
// random bits and more, so its plain hash can't be guessed and needs neither salt nor stretching.
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
