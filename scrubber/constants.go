package scrubber

import (
	_ "embed"
	"strings"
	"sync"
)

// constantLines are the published constants, each with its source: see the file.
//
//go:embed constants.txt
var constantLines string

// constants holds them as 64 lower-case hex digits.
var constants = sync.OnceValue(func() map[string]bool {
	known := make(map[string]bool)
	for line := range strings.Lines(constantLines) {
		if value, _, _ := strings.Cut(line, " "); value != "#" {
			known[value] = true
		}
	}
	return known
})

// curveOrder is the order of secp256k1 (SEC 2, section 2.4.1): private keys lie below it.
const curveOrder = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"

// noKey reports whether 64 hex digits can't be a private key, or are a published constant.
func noKey(digits string) bool {
	digits = strings.ToLower(digits)
	return digits >= curveOrder || strings.Trim(digits, "0") == "" || constants()[digits]
}
