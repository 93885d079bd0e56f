package lore

import (
	"bytes"
	"crypto/sha256"
	"math/big"
	"strings"
)

// Alphabets of base 58. XRPL orders its own so that account addresses begin with r.
const (
	bitcoinAlphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	xrplAlphabet    = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz"
)

// base58 decodes a value, or returns nil where it has a character of no base 58.
func base58(value, alphabet string) []byte {
	number, base := new(big.Int), big.NewInt(58)
	for i := range len(value) {
		digit := strings.IndexByte(alphabet, value[i])
		if digit < 0 {
			return nil
		}
		number.Add(number.Mul(number, base), big.NewInt(int64(digit)))
	}
	zeros := len(value) - len(strings.TrimLeft(value, alphabet[:1]))
	return append(make([]byte, zeros), number.Bytes()...)
}

// xrplAccount keeps a value whose checksum is right: a version byte of 0, 20 bytes of account id, and the first 4 of a
// double SHA-256 over both. A mistyped address is therefore no entity at all.
func xrplAccount(match string) string {
	decoded := base58(match, xrplAlphabet)
	if len(decoded) != 25 || decoded[0] != 0 {
		return ""
	}
	first := sha256.Sum256(decoded[:21])
	second := sha256.Sum256(first[:])
	if !bytes.Equal(decoded[21:], second[:4]) {
		return ""
	}
	return match
}

// solanaValue keeps what decodes to the 32 bytes of an address or the 64 of a signature.
func solanaValue(match string) string {
	if size := len(base58(match, bitcoinAlphabet)); size == 32 || size == 64 {
		return match
	}
	return ""
}
