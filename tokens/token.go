package tokens

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"regexp"
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
)

var form = regexp.MustCompile(fmt.Sprintf("^%s([0-9a-z]{%d})([0-9a-z]{%d})$", head, bodyLength, checksumLength))

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
	secret, err := rand.Int(rand.Reader, new(big.Int).Exp(big.NewInt(36), big.NewInt(secretLength), nil))
	if err != nil {
		return "", err
	}
	body := accountKey + padded(secret.Text(36), secretLength)
	token := head + body + padded(strconv.FormatUint((checksum(body)+checksumOffset)%checksumPrime, 36), checksumLength)
	if key, ok := Read(token); !ok || key != accountKey {
		return "", errors.New("tokens: an account's key is 13 lowercase letters and digits")
	}
	return token, nil
}

// padded returns a number of base 36 with zeros before it.
func padded(digits string, length int) string {
	return strings.Repeat("0", length-len(digits)) + digits
}

// Read reports whether a token may be one of ours, which spares a look-up for what can't be, and returns the key of the account
// that it carries: empty for one of before tokens carried any. It takes no care to run in constant time: the checksum is no secret,
// and tokens are compared only through their SHA-256.
func Read(token string) (accountKey string, ok bool) {
	parts := form.FindStringSubmatch(token)
	if parts == nil {
		return "", false
	}
	body, want := parts[1], checksum(parts[1])
	given, _ := strconv.ParseUint(parts[2], 36, 64) // it has the form
	if given == (want+checksumOffset)%checksumPrime {
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

// checksum returns a body as a number of base 36 modulo checksumPrime. What is no such number has no certain checksum.
func checksum(body string) uint64 {
	number := new(big.Int)
	number.SetString(body, 36)
	return number.Mod(number, big.NewInt(checksumPrime)).Uint64()
}
