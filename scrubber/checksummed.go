package scrubber

import "strings"

// Keys of other chains and tools that carry a checksum of their own: no false alarms.
func checksummedRules() []rule {
	return []rule{{
		name: "ledger seed in a longer run", kind: KindLedgerSeed, run: 29, strict: true, find: findProvenSeed,
		removed: []string{"x<b58:9>«<seed>»<b58:9>", "«<edseed>»", "<b58:40>«<edseed>»"},
		kept:    []string{"<b58:44>", "<b58:88>", "<b58:120>"},
	}, {
		name: "wallet import format", kind: KindWIF, run: 51, strict: true, find: findWIF,
		removed: []string{"«<wif>»", "key=«<wifcompressed>»;", "x0«<wif>»0"},
		kept:    []string{"5<b58:50>", "K<b58:51>", "L<b58:51>"},
	}, {
		name: "extended private key", kind: KindXprv, anchors: []string{"xprv", "yprv", "zprv", "tprv", "uprv", "vprv", "Yprv", "Zprv", "Uprv", "Vprv"}, strict: true, find: findXprv,
		removed: []string{"«<xprv>»", "\"«<xprv>»\"", "a«<xprv>»"},
		kept:    []string{"xprv<b58:107>", "xpub<b58:107>", "xprv9s21"},
	}, {
		name: "bech32 key", anchors: []string{"nsec1", "suiprivkey1", "age-secret-key-1", "age-secret-key-pq-1"}, fold: true, kind: KindNsec, strict: true, find: findBech32,
		removed: []string{"«<nsec>»", "key «<suikey>».", "«<agekey>»", "x_«<nsec>»"},
		kept:    []string{"nsec1<b32c:58>", "npub1<b32c:58>", "suiprivkey1<b32c:60>", "age1<b32c:58>", "AGE-SECRET-KEY-1<B32C:58>"},
	}, {
		name: "stellar seed", kind: KindStellarSeed, run: 56, strict: true, find: findStellar,
		removed: []string{"«<stellar>»", "secret \"«<stellar>»\""},
		kept:    []string{"S<B32:55>", "G<B32:55>"},
	}}
}

func findProvenSeed(sc *scan, lo, hi int) int {
	for i := lo; i+29 <= hi; i++ {
		j := strings.IndexByte(sc.text[i:hi], 's')
		if j < 0 {
			break
		}
		i += j
		if sc.work == 0 { // the budget is spent: all that is left of the run goes
			sc.emit(KindLedgerSeed, i, hi)
			return hi
		}
		for _, n := range [...]int{29, 31} {
			if i+n <= hi && sc.provenSeed(sc.text[i:i+n]) {
				sc.emit(KindLedgerSeed, i, i+n)
			}
		}
	}
	return hi
}

// wifForms are the first character and length of each form, and the version byte that the checksum must find.
var wifForms = [...]struct {
	first   byte
	length  int
	version byte
	size    int
	bounds  digitRange
}{
	{'5', 51, 0x80, 33, newDigitRange(bitcoinAlphabet, bitcoinDigits, []byte{0x80}, 37, 51)},
	{'K', 52, 0x80, 34, newDigitRange(bitcoinAlphabet, bitcoinDigits, []byte{0x80}, 38, 52)},
	{'L', 52, 0x80, 34, newDigitRange(bitcoinAlphabet, bitcoinDigits, []byte{0x80}, 38, 52)},
	{'9', 51, 0xEF, 33, newDigitRange(bitcoinAlphabet, bitcoinDigits, []byte{0xEF}, 37, 51)},
	{'c', 52, 0xEF, 34, newDigitRange(bitcoinAlphabet, bitcoinDigits, []byte{0xEF}, 38, 52)},
}

func findWIF(sc *scan, lo, hi int) int {
	text := sc.text
	for i := lo; i+51 <= hi; i++ {
		for k := range wifForms {
			f := &wifForms[k]
			if text[i] != f.first || i+f.length > hi {
				continue
			}
			s := text[i : i+f.length]
			if !all(s, clsBase58) || !f.bounds.holds(s) {
				continue
			}
			if !sc.afford(1) {
				sc.emit(KindWIF, i, hi)
				return hi
			}
			data, ok := base58Check(bitcoinDigits, s)
			if !ok || len(data) != f.size || data[0] != f.version {
				continue
			}
			sc.emit(KindWIF, i, i+f.length)
		}
	}
	return hi
}

func findXprv(sc *scan, lo, hi int) int {
	const length = 111
	text := sc.text
	end := min(len(text), lo+length)
	stop := forward(text[:end], lo, clsBase58)
	if stop < lo+length {
		return max(hi, stop-3)
	}
	if sc.afford(4) {
		data, ok := base58Check(bitcoinDigits, text[lo:end])
		if !ok || len(data) != 78 {
			return hi
		}
	}
	sc.emit(KindXprv, lo, end)
	return end
}

var bech32Kinds = map[string]Kind{
	"nsec": KindNsec, "suiprivkey": KindSuiKey, "age-secret-key-": KindAgeKey, "age-secret-key-pq-": KindAgeKey,
}

func findBech32(sc *scan, lo, hi int) int {
	longest := 80
	if hi-lo > len("age-secret-key-1") { // post-quantum keys are long
		longest = 3200
	}
	text := sc.text
	end := hi
	for end < min(len(text), hi+longest) && bech32Digits[text[end]] != 0xFF {
		end++
	}
	if end-hi < 8 {
		return hi
	}
	prefix := strings.ToLower(text[lo : hi-1])
	// The checksum says how long the key is, so what is glued behind it stays: but only the known lengths
	// are tried.
	for _, n := range [...]int{end - hi, 58, 59, 60} {
		if hi+n <= end && bech32Valid(prefix, text[hi:hi+n]) {
			sc.emit(bech32Kinds[prefix], lo, hi+n)
			return hi + n
		}
	}
	return hi
}

var bech32Digits = func() digits {
	const alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
	d := newDigits(alphabet)
	for i := range len(alphabet) {
		if is(alphabet[i], clsLower) {
			d[alphabet[i]&^0x20] = byte(i)
		}
	}
	return d
}()

// bech32Valid checks the checksum of bech32 and bech32m.
func bech32Valid(prefix, data string) bool {
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
		v := bech32Digits[data[i]]
		if v == 0xFF {
			return false
		}
		step(v)
	}
	return sum == 1 || sum == 0x2bc830a3
}

// findStellar: 56 characters of base32, version byte 0x90, two bytes of CRC-16 at the end, low byte first.
func findStellar(sc *scan, lo, hi int) int {
	const length = 56
	text := sc.text
	for i := lo; i+length <= hi; i++ {
		if text[i] != 'S' || i > lo && hi-lo > 4*length { // long runs of base32 are data
			continue
		}
		if stellarValid(text[i : i+length]) {
			sc.emit(KindStellarSeed, i, i+length)
		}
	}
	return hi
}

func stellarValid(s string) bool {
	var data [35]byte
	acc, bits, n := uint32(0), 0, 0
	for i := range len(s) {
		c := s[i]
		switch {
		case is(c, clsUpper):
			c -= 'A'
		case c >= '2' && c <= '7':
			c -= '2' - 26
		default:
			return false
		}
		acc = acc<<5 | uint32(c)
		if bits += 5; bits >= 8 {
			bits -= 8
			data[n] = byte(acc >> bits)
			n++
		}
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
