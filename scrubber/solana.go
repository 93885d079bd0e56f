package scrubber

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
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
		name: "keypair as numbers", kind: KindSolanaKeypair, find: findKeypairNumbers,
		removed: []string{"[«<keypairints>»]", "«<keypairints>»", "Uint8Array.from([«<keypairints>»])", "[\n  «<keypairspaced>»\n]", "[«<keypairbytes>»]"},
		kept:    []string{"[<ints:64>]", "[<ints:32>]", "[<ints:200>]"},
	}, {
		name: "keypair in base64", kind: KindSolanaKeypair, strict: true, find: findKeypairBase64,
		removed: []string{"k: \"«<keypair64>»\"", "'«<keypair64>»'"},
		kept:    []string{"\"<b64:86>==\"", "\"<b64:22>==\""},
	}}
}

// keypair proves or refutes 64 bytes.
func (sc *scan) keypair(b []byte) bool {
	if len(b) != ed25519.SeedSize+ed25519.PublicKeySize || !mixed(b) {
		return false
	}
	public := [32]byte(b[ed25519.SeedSize:]) // views show the same bytes again
	if sc.refuted[public] {
		return false
	}
	if sc.curve--; sc.curve < 0 {
		return true
	}
	key := ed25519.NewKeyFromSeed(b[:ed25519.SeedSize])
	if bytes.Equal(key[ed25519.SeedSize:], public[:]) {
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
func mixed(b []byte) bool {
	var seen [256]bool
	distinct := 0
	for _, c := range b[ed25519.SeedSize:] {
		if !seen[c] {
			seen[c] = true
			distinct++
		}
	}
	return distinct >= 16
}

func findKeypairRun(sc *scan, lo, hi int) int {
	run := sc.text[lo:hi]
	if hi-lo == 128 && all(run, clsHex) {
		var b [64]byte
		if _, err := hex.Decode(b[:], []byte(run)); err == nil && sc.keypair(b[:]) {
			sc.emit(KindSolanaKeypair, lo, hi)
		}
		return hi
	}
	if hi-lo > 88 || !all(run, clsBase58) {
		return hi
	}
	var buf [96]byte
	data, ok := base58Decode(bitcoinDigits, run, &buf)
	if !ok {
		return hi
	}
	for n := 0; n < len(run) && run[n] == '1' && len(data) < 64; n++ { // leading ones are leading zeros
		data = buf[len(buf)-len(data)-1:]
		data[0] = 0
	}
	if sc.keypair(data) {
		sc.emit(KindSolanaKeypair, lo, hi)
	}
	return hi
}

func findKeypairBase64(sc *scan, _, _ int) int {
	const length = 86 // and two signs of padding
	text := sc.text
	for at := 0; ; at += 2 {
		j := strings.Index(text[at:], "==")
		if j < 0 {
			return len(text)
		}
		at += j
		from := at - length
		if from < 0 || !all(text[from:at], clsBase64|clsURL64) || from > 0 && is(text[from-1], clsBase64) && !sc.seam(from) {
			continue
		}
		for _, encoding := range [...]*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			var b [66]byte
			if n, err := encoding.Decode(b[:], []byte(text[from:at])); err == nil && n == 64 && sc.keypair(b[:64]) {
				sc.emit(KindSolanaKeypair, from, at+2)
			}
			if all(text[from:at], clsAlnum) {
				break // the two alphabets agree
			}
		}
	}
}

// number is one item of an array.
type number struct {
	value  byte
	lo, hi int
}

// findKeypairNumbers parses stretches of digits and separators by hand: a counted regular expression takes more
// than a second on a megabyte of "1,". 64 numbers take more than 127 bytes, so one probe in 64 meets each array.
func findKeypairNumbers(sc *scan, _, _ int) int {
	text := sc.text
	const step, shortest = 64, 127
	for p := step - 1; p < len(text); {
		if !is(text[p], clsNumbers) {
			p += step
			continue
		}
		lo, hi := back(text, p, clsNumbers), forward(text, p, clsNumbers)
		if hi-lo >= shortest {
			sc.numbers = sc.arrays(lo, hi, sc.numbers[:0])
		}
		p = hi + step
	}
	return len(text)
}

// arrays reads text[lo:hi] into numbers and looks for keypairs in each unbroken sequence.
func (sc *scan) arrays(lo, hi int, numbers []number) []number {
	text := sc.text
	flush := func() {
		sc.sequence(numbers)
		numbers = numbers[:0]
	}
	for i := lo; i < hi; {
		c := text[i]
		switch {
		case c == '[' || c == ']':
			flush()
			i++
		case !is(c, clsAlnum):
			i++
		default:
			end := forward(text[:hi], i, clsAlnum)
			if v, ok := byteValue(text[i:end]); ok {
				numbers = append(numbers, number{v, i, end})
			} else {
				flush()
			}
			i = end
		}
	}
	flush()
	return numbers
}

func byteValue(s string) (byte, bool) {
	if len(s) > 2 && s[0] == '0' && s[1]|0x20 == 'x' {
		if len(s) == 3 && is(s[2], clsHex) {
			return nibble(s[2]), true
		}
		if len(s) == 4 {
			return hexByte(s[2:])
		}
		return 0, false
	}
	if len(s) > 3 || !all(s, clsDigit) {
		return 0, false
	}
	v := 0
	for i := range len(s) {
		v = v*10 + int(s[i]-'0')
	}
	return byte(v), v < 256
}

// sequence tries every window of a short sequence. A long one is a table of data: it is tried in steps of 32, from both ends, as
// keypairs in it would stand one after another.
func (sc *scan) sequence(numbers []number) {
	const size = 64
	if len(numbers) < size {
		return
	}
	try := func(i int) bool {
		var b [size]byte
		for k := range b {
			b[k] = numbers[i+k].value
		}
		if sc.keypair(b[:]) {
			sc.emit(KindSolanaKeypair, numbers[i].lo, numbers[i+size-1].hi)
			return true
		}
		return false
	}
	if len(numbers) <= 2*size {
		for i := 0; i+size <= len(numbers); i++ {
			if try(i) {
				i += size - 1
			}
		}
		return
	}
	for i := 0; i+size <= len(numbers); i += size / 2 {
		try(i)
	}
	if rest := len(numbers) % (size / 2); rest != 0 {
		for i := rest; i+size <= len(numbers); i += size / 2 {
			try(i)
		}
	}
}
