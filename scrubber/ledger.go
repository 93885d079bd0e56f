package scrubber

import (
	"bytes"
	"crypto/sha256"
	"math/big"
	"regexp"
	"strings"
)

// Keys of the XRP ledger and of Ethereum, in the forms of the interface specification.
func ledgerRules() []rule {
	return []rule{{
		// Exactly s and 25 to 34 base58 characters need no proof (the specification's rule), but for names in a program whose checksum
		// says that they are no seed. In a longer run only what a checksum proves is taken (findChecked): unanchored, the pattern would
		// damage one Solana address in four.
		name: "ledger seed", kind: KindLedgerSeed, run: 26,
		pattern: regexp.MustCompile(`^(s[1-9A-HJ-NP-Za-km-z]{25,34})(?:[^0-9A-Za-z]|$)`),
		accept:  func(_ *scan, s string) bool { return !programName(s) || base58Check(rippleAlphabet, s) != nil },
		removed: []string{"seed: «s<b58:28>»", "(«s<b58:25>»)", "_«s<b58:34>»_", "«<seed>»", "«<edseed>»", "种«s<b58:30>»子"},
		kept: []string{
			"s<b58:24>", "s<b58:35>", "r<b58:32>", "<b58:44>", "<b58:88>", "Sysvar<b58:30>", "Qm<b58:44>",
			"signTransactionMessageWithSigners is not a function", "setExchangeFeeRateForSynths(x)",
			"sendUSDCTokensToTrustedBuyer",
		},
	}, {
		name: "ledger key and 0x key", run: 66, strict: true, find: findHexKeys,
		removed: []string{
			"«ED<HEX:64>»", "key=«ED<HEX:64>»,", "_«ED<hex:64>»", "«ED<HEX:128>»", "x«ED<HEX:64>»z",
			"«0x<hex:64>»", "key:«0x<HEX:64>»;", "a«0x<hex:64>»", "«0x<hex:128>»", "_«0x<hex:64>»_", "«0x<hex:64>»ghi",
		},
		kept: []string{
			"ED<HEX:63>", "ED<HEX:65>", "<HEX:10>ED<HEX:64>", "ED<HEX:130>",
			"0x<hex:63>", "0x<hex:65>", "0x<hex:40>", "<hex:64>", "0x<hex:130>", "0x<hex:200>",
		},
	}, {
		name: "secret numbers", kind: KindLedgerSeed, find: findSecretNumbers,
		removed: []string{
			"«<numbers: >»", "secret «<numbers:->».", "A. «<numbers:lettered>»", "| «<numbers:table>» |",
			"[\"«<numbers:quoted>»\"]",
			"«<numbers:glued>»", "row 1: «<numbers:lines>»", "{\"A\": \"«<numbers:members>»\"}", "\n«<numbers:columns>»\n",
		},
		kept: []string{
			"<badnumbers>", "100000 200000 300000 400000 500000 600000 700000 800000", "#<dig:6> <dig:7> <dig:6>",
			"block <dig:48>",
			"000000 000000 000000 000000 000000 000000 000000 000000",
		},
	}, {
		name: "secret numbers, digit by digit", kind: KindLedgerSeed, run: 60, class: clsBoxes, find: findBoxes,
		removed: []string{
			"A «<xaman:digits>»", "«<xaman:halves>»", "Numbers: «<xaman:pairs>»",
		},
		kept: []string{
			"1 2 3 4 5 6\n7 8 9 0 1 2\n3 4 5 6 7 8\n9 0 1 2 3 4\n5 6 7 8 9 0\n1 2 3 4 5 6\n7 8 9 0 1 2\n3 4 5 6 7 8",
			"123 456 789 012 345 678 901 234 567 890 123 456 789 012 345 678",
			"<dig:3>-<dig:3>-<dig:3> <dig:3>-<dig:3>-<dig:3>",
			"| A | 1 | 2 | 3 |\n|---|---|---|---|\n| B | 4 | 5 | 6 |\n| C | 7 | 8 | 9 |\n| D | 1 | 2 | 3 |",
		},
	}}
}

// findBoxes finds secret numbers whose digits are written one, two or three together, as in the boxes and rows of the app that draws them.
func findBoxes(sc *scan, lo, hi int) {
	const digits = groups * groupDigits
	text := sc.text
	var places []int // of the digits that follow each other in pieces of one length
	length, from := 0, true
	var begins []bool // whether a row may begin at the digit
	try := func() {
		for i := 0; i+digits <= len(places); i++ {
			if begins[i] && sc.boxed(places[i:i+digits]) {
				sc.emit(KindLedgerSeed, places[i], places[i+digits-1]+1)
				i += digits - 1
			}
		}
		places, begins = places[:0], begins[:0]
	}
	for i := lo; i < hi; {
		end := forward(text[:hi], i, clsDigit)
		n := end - i
		switch letters := forward(text[:hi], i, clsLetter) - i; {
		case letters > 1:
			try()
			i += letters
			continue
		case n == 0:
			from = from || letters == 1 || text[i] == '\n' || text[i] == '[' || text[i] == ':'
			i++
			continue
		case n > 3 || n != length && len(places) > 0:
			try()
		}
		if length = n; n <= 3 {
			for k := i; k < end; k++ {
				places, begins = append(places, k), append(begins, from && k == i || len(begins) == 0)
			}
		}
		from, i = false, end
	}
	try()
}

// boxed checks digits that stand apart.
func (sc *scan) boxed(places []int) bool {
	var together [groups * groupDigits]byte
	var at [groups]int
	for i, place := range places {
		together[i] = sc.text[place]
	}
	for k := range at {
		at[k] = k * groupDigits
	}
	return secretNumbers(string(together[:]), at[:])
}

// findHexKeys: ED or 0x and exactly 64 hex digits, or 128 (two keys glued). Other lengths are signed transactions and signatures. A
// transaction hash has the form of an Ethereum key and goes too: the specification's rule wins, and the note says how to cite a hash.
// Where 0x and 64 digits can't be a key, it is narrower: see noKey.
func findHexKeys(sc *scan, lo, hi int) {
	text := sc.text
	for i := lo; i+66 <= hi; i++ {
		kind := KindEthKey
		switch {
		case text[i] == '0' && text[i+1]|0x20 == 'x':
		case text[i:i+2] == "ED" && (i == lo || !is(text[i-1], clsHex) || sc.seam(i)):
			kind = KindLedgerKey
		default:
			continue
		}
		digits := i + 2
		end := forward(text[:min(hi, digits+129)], digits, clsHex)
		for _, n := range [...]int{64, 128} {
			if end-digits == n || end-digits > n && sc.seam(digits+n) {
				if kind != KindEthKey || n != 64 || !noKey(text[digits:digits+n]) {
					sc.emit(kind, i, digits+n)
				}
				break
			}
		}
	}
}

const (
	groupDigits = 6
	groups      = 8
	longestLead = 48 // bytes between two groups
)

// findSecretNumbers finds the XRP ledger's secret numbers: eight groups of six digits, in any layout, or glued.
func findSecretNumbers(sc *scan, _, _ int) {
	text := sc.text
	var room [2 * groups]int
	places, end := room[:0], 0 // of the groups that stand near each other
	for lo, hi := range stretches(text, clsDigit, groupDigits) {
		n := hi - lo
		if lo > 0 && is(text[lo-1], clsLetter) || hi < len(text) && is(text[hi], clsLetter) || n != groupDigits && n != groups*groupDigits {
			continue
		}
		if n > groupDigits || lo-end > longestLead {
			places = places[:0]
		}
		for at := lo; at < hi; at += groupDigits {
			places = append(places, at)
		}
		end = hi
		if len(places) > groups {
			places = append(room[:0], places[len(places)-groups:]...)
		}
		if len(places) == groups && secretNumbers(text, places) {
			sc.emit(KindLedgerSeed, places[0], hi)
			places = places[:0]
		}
	}
}

// secretNumbers checks eight groups in the order of reading, and by two and four columns. Of each group five digits hold 16 bits
// and the sixth is their value, times twice the group's place plus one, modulo nine (XLS-12).
func secretNumbers(text string, places []int) bool {
	same := 0 // versions repeat a number, drawn groups one in a thousand
	for k, at := range places {
		for _, other := range places[:k] {
			if text[at:at+groupDigits] == text[other:other+groupDigits] {
				same++
			}
		}
	}
	if same > 1 {
		return false
	}
	for _, columns := range [...]int{1, 2, 4} {
		rows, valid := groups/columns, true
		for k, at := range places {
			place, value := k%columns*rows+k/columns, 0
			for _, c := range []byte(text[at : at+groupDigits-1]) {
				value = value*10 + int(c-'0')
			}
			valid = valid && value < 1<<16 && value*(2*place+1)%9 == int(text[at+groupDigits-1]-'0')
		}
		if valid {
			return true
		}
	}
	return false
}

// Keys in base 58, which carry a checksum of their own: no false alarms.
func checksummedRules() []rule {
	return []rule{{
		name: "key in base58 with a checksum", run: 29, strict: true, find: findChecked,
		removed: []string{
			"x<b58:9>«<seed>»<b58:9>", "«<edseed>»", "<b58:40>«<edseed>»", "«<wif>»", "key=«<wifcompressed>»;",
			"x0«<wif>»0", "«<xprv>»",
			"\"«<xprv>»\"", "a«<xprv>»",
		},
		kept: []string{
			"<b58:44>", "<b58:88>", "<b58:120>", "5<b58:50>", "K<b58:51>", "L<b58:51>", "xprv<b58:107>",
			"xpub<b58:107>", "xprv9s21",
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
