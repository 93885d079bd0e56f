package scrubber

import (
	"bytes"
	"crypto/sha256"
	"math/big"
	"strings"
)

// Keys in base 58, which carry a checksum of their own: no false alarms.
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
