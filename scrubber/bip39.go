package scrubber

import (
	"crypto/sha256"
	"unicode"
	"unicode/utf8"
)

// BIP-39 mnemonics.
func bip39Rules() []rule {
	return []rule{{
		name: "mnemonic", kind: KindBIP39, find: findMnemonic,
		removed: []string{"«<words:12>»", "mnemonic: «<words:24>».", "«<numbered:12>»", "[\"«<quoted:15>»\"]", "«<lines:18>»", "«<upper:12>»", "«<french:12>»", "«<japanese:12>»", "«<korean:24>»", "«<chinese:12>»", "«<spanish:21>»"},
		kept:    []string{"<badwords:12>", "<words:11>", "table 1 table 2 table 3 table 4 table 5 table 6 table 7 table 8 table 9 table 10 table 11 table 12", "use the token to access this asset when the other option is wrong"},
	}}
}

const (
	fewestWords    = 12
	fewestDistinct = 8 // "Table 25 // Table 26 ..." was checksum-valid prose
	longestGap     = 8 // characters between two words: `", "`, ". ", "\n 3) "
	// shortestMnemonic is its length in bytes: twelve words of the fewest bytes in any list, and a sign between each two.
	shortestMnemonic = fewestWords*(shortestWord+1) - 1
)

// phraseLengths are the numbers of words that wallets make phrases of: thirds for BIP-39, 13 for Electrum and MyMonero, 25 for Monero
// and Algorand.
var phraseLengths = [...]int{12, 13, 15, 18, 21, 24, 25}

// listWord is one word of a run.
type listWord struct {
	lo, hi   int
	meanings []meaning
}

// findMnemonic probes where the next mnemonic can't but have a byte, wherever it begins: in prose few of them stand in runs of list
// words, which are all that is read.
func findMnemonic(sc *scan, _, _ int) int {
	for end := 0; end+shortestMnemonic <= len(sc.text); {
		end = sc.mnemonicAround(end + shortestMnemonic - 1)
	}
	return len(sc.text)
}

// mnemonicAround looks at the run of list words that holds the word at p, or the next one if p stands between words. It returns
// its end, or that of the word where there is no such run: no other mnemonic begins before that and goes on behind p.
func (sc *scan) mnemonicAround(p int) int {
	text, list := sc.text, words()
	lo, hi := wordNear(text, p)
	if lo == hi || list.look(text[lo:hi]) == nil {
		return hi
	}
	// Go back to where the run begins, then read it forwards.
	first := lo
	for {
		plo, phi := wordBefore(text, first)
		if plo == phi || list.look(text[plo:phi]) == nil {
			break
		}
		first = plo
	}
	run := sc.run[:0]
	for at := first; ; {
		wlo, whi := at, wordEnd(text, at)
		meanings := list.look(text[wlo:whi])
		if meanings == nil {
			break
		}
		run = append(run, listWord{wlo, whi, meanings})
		if at = wordAfter(text, whi); at < 0 {
			break
		}
	}
	sc.run = run
	sc.mnemonics(run)
	return run[len(run)-1].hi
}

// mnemonics emits every window of a run whose checksum is valid in one language.
func (sc *scan) mnemonics(run []listWord) {
	if len(run) < fewestWords {
		return
	}
	for list := range wordlistNames {
		for i := 0; i < len(run); {
			if valueIn(run[i], uint8(list)) < 0 {
				i++
				continue
			}
			j := i
			for j < len(run) && valueIn(run[j], uint8(list)) >= 0 {
				j++
			}
			sc.windows(run[i:j], uint8(list))
			i = j
		}
	}
}

func valueIn(w listWord, list uint8) int {
	for _, m := range w.meanings {
		if m.list == list {
			return int(m.value)
		}
	}
	return -1
}

func (sc *scan) windows(run []listWord, list uint8) {
	if len(run) < fewestWords {
		return
	}
	values := make([]uint16, len(run))
	for i, w := range run {
		values[i] = uint16(valueIn(w, list))
	}
	for i := 0; i+fewestWords <= len(run); i++ {
		if !sc.afford(costWindows) {
			sc.emit(KindBIP39, run[i].lo, run[len(run)-1].hi)
			return
		}
		for _, n := range phraseLengths {
			if i+n > len(run) {
				break
			}
			if part := values[i : i+n]; list == listEnglish && sc.proven(listEnglish, part) || n%3 == 0 && varied(part) && checksum39(part) {
				sc.emit(KindBIP39, run[i].lo, run[i+n-1].hi)
			}
		}
	}
}

// varied refuses what cannot be a drawn mnemonic: few distinct words. The public vectors, one word over and over with
// another at the end, are let through.
func varied(values []uint16) bool {
	distinct := 0
	for i, v := range values {
		fresh := true
		for _, w := range values[:i] {
			if v == w {
				fresh = false
				break
			}
		}
		if fresh {
			if distinct++; distinct >= fewestDistinct {
				return true
			}
		}
	}
	last := len(values) - 1
	if distinct != 2 {
		return false
	}
	for _, v := range values[1:last] {
		if v != values[0] {
			return false
		}
	}
	return values[last] != values[0]
}

// checksum39 checks 11 bits a word: a 33rd of the bits is the head of the SHA-256 of the others.
func checksum39(values []uint16) bool {
	var data [33]byte
	bit := 0
	for _, v := range values {
		for k := 10; k >= 0; k-- {
			data[bit>>3] |= byte(v>>k&1) << (7 - bit&7)
			bit++
		}
	}
	check := bit / 33
	entropy := (bit - check) / 8
	sum := sha256.Sum256(data[:entropy])
	shift := 8 - check
	return sum[0]>>shift == data[entropy]>>shift
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) }

// wordNear returns the word at p, or the next one if p stands between words.
func wordNear(text string, p int) (lo, hi int) {
	for p > 0 && p < len(text) && !utf8.RuneStart(text[p]) {
		p--
	}
	if wordByte(text, p) {
		lo = wordStart(text, p)
		return lo, wordEnd(text, p)
	}
	if at := wordAfter(text, p); at >= 0 {
		return at, wordEnd(text, at)
	}
	return p, p
}

func wordByte(text string, i int) bool {
	if i >= len(text) {
		return false
	}
	if c := text[i]; c < utf8.RuneSelf {
		return is(c, clsLetter)
	}
	r, _ := utf8.DecodeRuneInString(text[i:])
	return r != utf8.RuneError && isWordRune(r)
}

// wordStart and wordEnd do not go further than a list word can.
func wordStart(text string, i int) int {
	for from := max(0, i-longestWord-1); i > from; {
		if c := text[i-1]; c < utf8.RuneSelf {
			if !is(c, clsLetter) {
				break
			}
			i--
			continue
		}
		r, size := utf8.DecodeLastRuneInString(text[:i])
		if r == utf8.RuneError || !isWordRune(r) {
			break
		}
		i -= size
	}
	return i
}

func wordEnd(text string, i int) int {
	for to := min(len(text), i+2*longestWord); i < to; {
		if c := text[i]; c < utf8.RuneSelf {
			if !is(c, clsLetter) {
				break
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError || !isWordRune(r) {
			break
		}
		i += size
	}
	return i
}

// wordAfter returns the start of the word that follows a gap beginning at i, or -1 if the gap is too long.
func wordAfter(text string, i int) int {
	for n := 0; i < len(text) && n <= longestGap; n++ {
		if wordByte(text, i) {
			return i
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	return -1
}

// wordBefore returns the word that precedes the gap before i.
func wordBefore(text string, i int) (lo, hi int) {
	for n := 0; i > 0 && n <= longestGap; n++ {
		r, size := utf8.DecodeLastRuneInString(text[:i])
		if r != utf8.RuneError && isWordRune(r) {
			return wordStart(text, i), i
		}
		i -= size
	}
	return 0, 0
}
