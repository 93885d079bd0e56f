package scrubber

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
)

// Solana keypairs: 64 bytes, the second half of which is the public key of the first. Signatures,
// digests and random arrays of the same size fail that proof and are kept with certainty.
func solanaRules() []rule {
	return []rule{{
		name: "keypair in base58 or hex", kind: KindSolanaKeypair, run: 86, strict: true, find: findKeypairRun,
		removed: []string{"«<keypair58>»", "key: \"«<keypair58>»\"", "«<keypairhex>»"},
		kept:    []string{"<b58:88>", "<b58:87>", "<hex:128>"},
	}, {
		name: "keypair as numbers", kind: KindSolanaKeypair, run: 127, class: clsNumbers, find: findKeypairNumbers,
		removed: []string{
			"[«<keypairints>»]", "«<keypairints>»", "Uint8Array.from([«<keypairints>»])", "[\n  «<keypairspaced>»\n]", "[«<keypairbytes>»]",
		},
		kept: []string{"[<ints:64>]", "[<ints:32>]", "[<ints:200>]"},
	}, {
		name: "keypair in base64", kind: KindSolanaKeypair, run: 86, class: clsBase64 | clsURL64, strict: true, find: findKeypairBase64,
		removed: []string{"k: \"«<keypair64>»\"", "'«<keypair64>»'"},
		kept:    []string{"\"<b64:86>==\"", "\"<b64:22>==\""},
	}}
}

const keypairSize = ed25519.SeedSize + ed25519.PublicKeySize

// keypair proves or refutes 64 bytes.
func (sc *scan) keypair(b []byte) bool {
	if len(b) != keypairSize || !mixed(b[ed25519.SeedSize:]) {
		return false
	}
	public := [32]byte(b[ed25519.SeedSize:]) // views show the same bytes again
	if sc.refuted[public] {
		return false
	}
	if !sc.afford(costKeypair) || bytes.Equal(ed25519.NewKeyFromSeed(b[:ed25519.SeedSize]), b) {
		return true
	}
	if sc.refuted == nil {
		sc.refuted = make(map[[32]byte]bool)
	}
	sc.refuted[public] = true
	return false
}

// mixed refuses counting and constant arrays before the expensive proof. A public key is as good as random: 32
// of its bytes hold 30 distinct values on average, and fewer than 16 once in 2^60.
func mixed(key []byte) bool {
	var seen [256]bool
	distinct := 0
	for _, c := range key {
		if !seen[c] {
			seen[c] = true
			distinct++
		}
	}
	return distinct >= 16
}

func findKeypairRun(sc *scan, lo, hi int) {
	var key []byte
	switch run := sc.text[lo:hi]; {
	case len(run) == 2*keypairSize && all(run, clsHex):
		key, _ = hex.DecodeString(run)
	case len(run) <= 88:
		key = base58(bitcoinAlphabet, run)
	}
	if sc.keypair(key) {
		sc.emit(KindSolanaKeypair, lo, hi)
	}
}

// findKeypairBase64: 86 characters and two signs of padding.
func findKeypairBase64(sc *scan, lo, hi int) {
	text, from := sc.text, hi-86
	if !strings.HasPrefix(text[hi:], "==") || from > lo && is(text[from-1], clsBase64) && !sc.seam(from) {
		return
	}
	for _, encoding := range [...]*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if key, err := encoding.DecodeString(text[from:hi]); err == nil && sc.keypair(key) {
			sc.emit(KindSolanaKeypair, from, hi+2)
		}
	}
}

// number is one item of an array.
type number struct {
	value  byte
	lo, hi int
}

// findKeypairNumbers reads the numbers of a stretch by hand (a counted regular expression takes more than a second on a
// megabyte of "1,") and looks for keypairs in each unbroken sequence.
func findKeypairNumbers(sc *scan, lo, hi int) {
	text := sc.text
	var numbers []number
	for i := lo; i < hi; {
		end := forward(text[:hi], i, clsAlnum)
		digits, base := text[i:end], 10
		if len(digits) > 2 && digits[1]|0x20 == 'x' {
			digits, base = digits[2:], 16
		}
		value, err := strconv.ParseUint(digits, base, 8)
		switch {
		case end > i && err == nil:
			numbers = append(numbers, number{byte(value), i, end})
		case end > i || text[i] == '[' || text[i] == ']':
			sc.sequence(numbers)
			numbers = numbers[:0]
		}
		i = max(end, i+1)
	}
	sc.sequence(numbers)
}

// sequence tries every window of a short sequence. A long one is a table of data: it is tried in steps of 32, from both ends, as
// keypairs in it would stand one after another.
func (sc *scan) sequence(numbers []number) {
	last := len(numbers) - keypairSize
	for i := 0; i <= last; i++ {
		if last > keypairSize && i%32 != 0 && (last-i)%32 != 0 {
			continue
		}
		var key [keypairSize]byte
		for k := range key {
			key[k] = numbers[i+k].value
		}
		if sc.keypair(key[:]) {
			sc.emit(KindSolanaKeypair, numbers[i].lo, numbers[i+keypairSize-1].hi)
			i += keypairSize - 1
		}
	}
}
