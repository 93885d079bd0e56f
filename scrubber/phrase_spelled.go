package scrubber

import (
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Seed phrases that are not written as words between signs. But for words written together, each needs its name before it: four letters,
// small numbers and common ideographs stand in many texts.
func spelledPhraseRules() []rule {
	return []rule{{
		name: "phrase by heads, indexes or ideographs", kind: KindBIP39, fold: true, find: findSpelledPhrase,
		anchors: []string{"seed", "mnemonic", "phrase", "bip39", "bip-39", "助记词", "助記詞", "种子", "種子"},
		removed: []string{
			"seed phrase (first 4 letters): «<heads:12>»", "Mnemonic «<heads:24>».",
			"recovery phrase: 1. «<headlines:12>»", "mnemonic indexes: «<indexes:12>»",
			"\"bip39WordIndexes\": [«<indexlist:24>»]", "seed words by number: «<indexes1:12>»", "助记词：«<hanzi:12>»。",
			"my mnemonic is «<hanzi:24>»",
		},
		kept: []string{
			"seed: this only will send once when done with that last call each time here",
			"mnemonic indexes: 1 2 3 4 5 6 7 8 9 10 11 12",
			"seeds = [<badindexes:12>]", "mnemonic indexes: <badindexes:12>", "助记词：<badhanzi:12>。", "助记词不能给别人看因为这样做非常危险",
			"phrase <indexes:12>", "<heads:12>",
		},
	}, {
		name: "phrase written together", kind: KindBIP39, run: 36, find: findCamelPhrase,
		removed: []string{"«<camel:12>»", "const m = \"«<camel:24>»\";", "_«<camel:15>»_"},
		kept: []string{
			"<camel:11>", "<a:40>", "testShouldNotAllowTransferWhenOwnerIsTheOnlyOneWhoCanCallThis",
			"AbandonAbilityAbleAboutAboveAbsentAbsorbAbstractAbsurdAbuseAccessAccident",
		},
	}}
}

// headed are the first four letters of the words of the English list, by which wallets know them; words of three letters are whole.
var headed = sync.OnceValue(func() map[string]bool {
	known := make(map[string]bool)
	for _, w := range words().words[listEnglish] {
		known[w[:min(len(w), 4)]] = true
	}
	return known
})

// englishValue is the value of a word in the English list, or -1.
func englishValue(word string) int {
	for _, m := range words().meanings[word] {
		if m.list == listEnglish {
			return int(m.value)
		}
	}
	return -1
}

// findSpelledPhrase looks behind the name of a phrase.
func findSpelledPhrase(sc *scan, _, hi int) {
	const longestName = 64
	if end := forward(sc.text[:min(len(sc.text), hi+longestName)], hi, clsLetter); end == hi+longestName {
		sc.resume = end
		return
	}
	if !sc.headsBehind(hi) && !sc.indexesBehind(hi) {
		sc.ideographsBehind(hi)
	}
}

// headsBehind emits twelve words or more of which only the first four letters are written; half of them are no whole words.
func (sc *scan) headsBehind(hi int) bool {
	const wordsBetween, near, far = 8, 96, 700
	text := sc.text[:min(len(sc.text), hi+far)]
	first, last, n, cut, between := 0, 0, 0, 0, 0
	var distinct []string
	for at := hi; at < len(text); {
		end := forward(text, at, clsLetter)
		if end == at {
			if n > 0 && at-last > longestGap || n == 0 && at-hi > near {
				break
			}
			at++
			continue
		}
		head, whole := false, false
		if end-at <= 4 {
			word := strings.ToLower(text[at:end])
			if head = headed()[word]; head {
				whole = englishValue(word) >= 0
				if len(distinct) < fewestDistinct && !slices.Contains(distinct, word) {
					distinct = append(distinct, word)
				}
			}
		}
		switch {
		case head && n > 0 && at-last <= longestGap, head && n == 0:
			if n == 0 {
				first = at
			}
			if n++; !whole {
				cut++
			}
			last = end
		case n >= fewestWords:
			text = text[:at] // the row has ended
			continue
		default:
			if between++; between > wordsBetween {
				return false
			}
			n, cut, distinct = 0, 0, distinct[:0]
		}
		at = end
	}
	sc.resume = max(sc.resume, last) // all of the row was looked at
	if n < fewestWords || n > longestPhrase || len(distinct) < fewestDistinct || 2*cut < n {
		return false
	}
	sc.emit(KindBIP39, first, last)
	return true
}

// indexesBehind emits twelve numbers or more that are the places of words in the list, from 0 or from 1: the checksum says so.
func (sc *scan) indexesBehind(hi int) bool {
	const near, longestNumber, gap = 48, 4, 6
	text := sc.text[:min(len(sc.text), hi+400)]
	at := hi
	for at < len(text) && at < hi+near && !is(text[at], clsDigit) {
		at++
	}
	label := strings.ToLower(sc.text[max(0, hi-16):min(at, hi+near)])
	if at == hi+near || !holdsAny(label, []string{"word", "ind", "number", "bip"}) {
		return false
	}
	if label[len(label)-1] == '-' || is(label[len(label)-1], clsLetter) { // bip-39, bip39
		at = forward(text, at, clsDigit)
		for at < len(text) && at < hi+near && !is(text[at], clsDigit) {
			at++
		}
	}
	first, last := at, at
	var values []int
	for at < len(text) && len(values) <= longestPhrase {
		end := forward(text, at, clsDigit)
		n := end - at
		value, err := strconv.Atoi(text[at:end])
		if n == 0 || n > longestNumber || err != nil || value > 2048 {
			break
		}
		values, last = append(values, value), end
		next := skip(text[:min(len(text), end+gap)], end, " ,;\t\r\n")
		if next == end {
			break
		}
		at = next
	}
	if !jumbled(values) || !validPhrase(values, 0) && !validPhrase(values, 1) {
		return false
	}
	sc.emit(KindBIP39, first, last)
	return true
}

// jumbled refuses numbers in order, and few distinct ones.
func jumbled(values []int) bool {
	rises, falls := 0, 0
	for i := 1; i < len(values); i++ {
		if values[i] > values[i-1] {
			rises++
		} else if values[i] < values[i-1] {
			falls++
		}
	}
	distinct := slices.Clone(values)
	slices.Sort(distinct)
	return len(slices.Compact(distinct)) >= fewestDistinct && min(rises, falls) > 1
}

// validPhrase checks the checksum of a phrase (BIP-39): of three words 32 bits are entropy and one is the checksum's.
func validPhrase(values []int, from int) bool {
	if n := len(values); n < 12 || n > 24 || n%3 != 0 {
		return false
	}
	var bits [34]byte
	at := 0
	for _, value := range values {
		value -= from
		if value < 0 || value > 2047 {
			return false
		}
		for k := 10; k >= 0; k-- {
			bits[at/8] |= byte(value>>k&1) << (7 - at%8)
			at++
		}
	}
	entropy, check := len(values)/3*4, len(values)/3
	sum := sha256.Sum256(bits[:entropy])
	return bits[entropy]>>(8-check) == sum[0]>>(8-check)
}

// ideographsBehind emits a phrase in Chinese without spaces: as many ideographs of one list as a phrase has, alone behind its name.
func (sc *scan) ideographsBehind(hi int) {
	const near = 24
	text := sc.text
	at := hi
	for at < len(text) && at < hi+near {
		r, size := utf8.DecodeRuneInString(text[at:])
		if ideograph(r) && !strings.ContainsRune("是为為", r) {
			break
		}
		at += size
	}
	end, n := at, 0
	for ; end < len(text) && n <= longestPhrase; n++ {
		r, size := utf8.DecodeRuneInString(text[end:])
		if !ideograph(r) {
			break
		}
		end += size
	}
	if n < fewestWords || n > 24 || n%3 != 0 {
		return
	}
	var values [2][]int // in the simplified and the traditional list
	for _, r := range text[at:end] {
		for k := range values {
			value := -1
			for _, m := range words().meanings[string(r)] {
				if int(m.list) == listChinese+k {
					value = int(m.value)
				}
			}
			values[k] = append(values[k], value)
		}
	}
	if validPhrase(values[0], 0) || validPhrase(values[1], 0) {
		sc.emit(KindBIP39, at, end)
	}
}

// ideograph reports whether a character is one of those that words of the Chinese lists are.
func ideograph(r rune) bool { return r >= 0x3400 && r < 0xA000 }

// findCamelPhrase: twelve words or more of the English list, written together, each with a capital.
func findCamelPhrase(sc *scan, lo, hi int) {
	text := sc.text
	capitals := 0
	for i := lo; i < hi; i++ {
		if is(text[i], clsDigit) {
			return
		}
		if is(text[i], clsUpper) {
			capitals++
		}
	}
	if capitals < fewestWords-1 || 2*capitals > hi-lo {
		return
	}
	var values []int
	first := lo
	flush := func(end int) {
		if len(values) >= fewestWords && jumbled(values) {
			sc.emit(KindBIP39, first, end)
		}
		values = values[:0]
	}
	for at := lo; at < hi; {
		end := forward(text[:hi], at+1, clsLower)
		value := englishValue(strings.ToLower(text[at:end]))
		if value < 0 {
			flush(at)
		} else if len(values) == 0 {
			first = at
		}
		if value >= 0 {
			values = append(values, value)
		}
		at = end
	}
	flush(hi)
}
