package scrubber

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"math/big"
	"strings"
)

// Keys that carry a checksum of their own: no false alarms.
func checksummedRules() []rule {
	return []rule{{
		name: "key in base58 with a checksum", run: 29, strict: true, find: findChecked,
		removed: []string{
			"x<b58:9>«<seed>»<b58:9>", "«<edseed>»", "<b58:40>«<edseed>»", "«<wif>»", "key=«<wifcompressed>»;", "x0«<wif>»0", "«<xprv>»",
			"\"«<xprv>»\"", "a«<xprv>»",
		},
		kept: []string{
			"<b58:44>", "<b58:88>", "<b58:120>", "5<b58:50>", "K<b58:51>", "L<b58:51>", "xprv<b58:107>", "xpub<b58:107>", "xprv9s21",
		},
	}, {
		name: "key in bech32", fold: true, strict: true, find: findBech32,
		anchors: []string{"nsec1", "suiprivkey1", "age-secret-key-1", "age-secret-key-pq-1"},
		removed: []string{"«<nsec>»", "key «<suikey>».", "«<agekey>»", "x_«<nsec>»"},
		kept:    []string{"nsec1<b32c:58>", "npub1<b32c:58>", "suiprivkey1<b32c:60>", "age1<b32c:58>", "AGE-SECRET-KEY-1<B32C:58>"},
	}, {
		name: "stellar seed", kind: KindStellarSeed, run: stellarLength, strict: true, find: findStellar,
		removed: []string{"«<stellar>»", "secret \"«<stellar>»\""},
		kept:    []string{"S<B32:55>", "G<B32:55>"},
	}}
}

const (
	rippleAlphabet  = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz"
	bitcoinAlphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
)

// base58 reads a number in base 58, each zero digit at its head as a zero byte. It returns nil if a character isn't of the
// alphabet.
func base58(alphabet, s string) []byte {
	var n, scale, part big.Int
	zeros := len(s) - len(strings.TrimLeft(s, alphabet[:1]))
	for s != "" {
		value, base, i := uint64(0), uint64(1), 0
		for ; i < min(len(s), 10); i++ { // ten digits fit a word
			digit := strings.IndexByte(alphabet, s[i])
			if digit < 0 {
				return nil
			}
			value, base = value*58+uint64(digit), base*58
		}
		n.Mul(&n, scale.SetUint64(base))
		n.Add(&n, part.SetUint64(value))
		s = s[i:]
	}
	return append(make([]byte, zeros, 96), n.Bytes()...)
}

// base58Check returns the bytes of a string whose last four are the double SHA-256 of what precedes them, or nil.
func base58Check(alphabet, s string) []byte {
	data := base58(alphabet, s)
	if len(data) < 5 {
		return nil
	}
	payload := data[:len(data)-4]
	sum := sha256.Sum256(payload)
	sum = sha256.Sum256(sum[:])
	if !bytes.Equal(sum[:4], data[len(payload):]) {
		return nil
	}
	return payload
}

// checkedForms are the private keys in base58: how they may begin, their length, and what the checksum must find.
var checkedForms = [...]struct {
	kind     Kind
	heads    string
	length   int
	alphabet string
	version  string
	size     int // bytes, with the version
}{
	{KindLedgerSeed, "sp ss sh sn sa", 29, rippleAlphabet, "\x21", 17},
	{KindLedgerSeed, "sEd", 31, rippleAlphabet, "\x01\xE1\x4B", 19},
	{KindWIF, "5H 5J 5K", 51, bitcoinAlphabet, "\x80", 33},
	{KindWIF, "Kw Kx Ky Kz L1 L2 L3 L4 L5", 52, bitcoinAlphabet, "\x80", 34},
	{KindWIF, "91 92 93", 51, bitcoinAlphabet, "\xEF", 33}, // of test networks, as the next
	{KindWIF, "cM cN cP cQ cR cS cT cU cV cW", 52, bitcoinAlphabet, "\xEF", 34},
	{KindXprv, "xprv yprv zprv tprv uprv vprv Yprv Zprv Uprv Vprv", 111, bitcoinAlphabet, "", 78},
}

// checkedHeads finds the forms by the first byte.
var checkedHeads = func() (heads [256][]struct {
	head string
	form int
}) {
	for form := range checkedForms {
		for _, head := range strings.Fields(checkedForms[form].heads) {
			heads[head[0]] = append(heads[head[0]], struct {
				head string
				form int
			}{head, form})
		}
	}
	return heads
}()

// findChecked looks for the forms everywhere in a run.
func findChecked(sc *scan, lo, hi int) {
	text := sc.text
	for i := lo; i+29 <= hi; i++ {
		for _, h := range checkedHeads[text[i]] {
			f := &checkedForms[h.form]
			end := i + f.length
			if end > hi || !strings.HasPrefix(text[i:end], h.head) || !all(text[i:end], clsBase58) {
				continue
			}
			if !sc.afford(costBase58) { // all that is left of the run goes
				sc.emit(f.kind, i, hi)
				return
			}
			if data := base58Check(f.alphabet, text[i:end]); len(data) == f.size && strings.HasPrefix(string(data), f.version) {
				sc.emit(f.kind, i, end)
			}
		}
	}
}

var bech32Kinds = map[string]Kind{
	"nsec": KindNsec, "suiprivkey": KindSuiKey, "age-secret-key-": KindAgeKey, "age-secret-key-pq-": KindAgeKey,
}

func findBech32(sc *scan, lo, hi int) {
	longest := 80
	if hi-lo > len("age-secret-key-1") { // post-quantum keys are long
		longest = 3200
	}
	text := sc.text
	prefix := strings.ToLower(text[lo : hi-1])
	end := forward(text[:min(len(text), hi+longest)], hi, clsBech32)
	// The checksum says how long the key is, so what is glued after it stays: but only the known lengths
	// are tried.
	for _, n := range [...]int{end - hi, 58, 59, 60} {
		if n >= 8 && hi+n <= end && bech32Valid(prefix, text[hi:hi+n]) {
			sc.emit(bech32Kinds[prefix], lo, hi+n)
			return
		}
	}
}

// bech32Valid checks the checksum of bech32 and bech32m.
func bech32Valid(prefix, data string) bool {
	const digits = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
	sum := uint32(1)
	step := func(v byte) {
		top := sum >> 25
		sum = (sum&0x1ffffff)<<5 ^ uint32(v)
		for i, g := range [...]uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3} {
			if top>>i&1 == 1 {
				sum ^= g
			}
		}
	}
	for i := range len(prefix) {
		step(prefix[i] >> 5)
	}
	step(0)
	for i := range len(prefix) {
		step(prefix[i] & 31)
	}
	for i := range len(data) {
		c := data[i]
		if is(c, clsUpper) {
			c |= 0x20
		}
		v := strings.IndexByte(digits, c)
		if v < 0 {
			return false
		}
		step(byte(v))
	}
	return sum == 1 || sum == 0x2bc830a3
}

const stellarLength = 56

var stellarEncoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// findStellar: 56 characters of base32.
func findStellar(sc *scan, lo, hi int) {
	for i := lo; i+stellarLength <= hi; i++ {
		if sc.text[i] != 'S' || i > lo && hi-lo > 4*stellarLength { // long runs of base32 are data
			continue
		}
		if stellarValid(sc.text[i : i+stellarLength]) {
			sc.emit(KindStellarSeed, i, i+stellarLength)
		}
	}
}

// stellarValid checks version byte 0x90 and two bytes of CRC-16 at the end, low byte first.
func stellarValid(s string) bool {
	data, err := stellarEncoding.DecodeString(s)
	if err != nil {
		return false
	}
	crc := uint16(0)
	for _, b := range data[:33] {
		crc ^= uint16(b) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
	}
	return data[0] == 0x90 && data[33] == byte(crc) && data[34] == byte(crc>>8)
}
