package scrubber

import (
	"embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The word lists that wallets draw phrases from: the ten of BIP-39; that of Electrum before 2.0 (electrum/old_mnemonic.py, MIT)
// and Monero's English one (src/mnemonics/english.h, BSD), both as bip_utils 2.12.3 (MIT) has them. A word's line is its value.
// Those of BIP-39 are stored as compatibility decompositions without Latin accents: people leave accents out, and no list
// needs them.
//
//go:embed wordlists/*.txt
var wordlistFiles embed.FS

var wordlistNames = [...]string{
	"english", "french", "spanish", "italian", "portuguese", "czech", "japanese", "korean", "chinese_simplified", "chinese_traditional",
	"monero", "electrum_old",
}

// Places in wordlistNames.
const (
	listEnglish     = 0 // which Electrum since 2.0, Algorand and TON draw from, too
	listChinese     = 8 // simplified, then traditional
	listMonero      = 10
	listElectrumOld = 11
)

// meaning is one reading of a word: the list it is in and its value there, 0..2047.
type meaning struct {
	list  uint8
	value uint16
}

// wordlist knows the words of all lists.
type wordlist struct {
	words    [len(wordlistNames)][]string
	meanings map[string][]meaning // some words are in two lists
	// filter has the bit of every word in ASCII set. Nearly all words of prose are in no list, and a look at 32 kB, which stay near
	// the processor, says so in a third of the time.
	filter [1 << filterBits / 32]uint32
}

// filterBits is the length of a hash in the filter: of words that are in no list, one in twenty has the hash of one that is.
const filterBits = 18

// longestWord is the length in bytes of the longest word, in Korean, decomposed.
const longestWord = 48

var words = sync.OnceValue(func() *wordlist {
	w := &wordlist{meanings: make(map[string][]meaning, 20000)}
	for list, name := range wordlistNames {
		data, err := wordlistFiles.ReadFile("wordlists/" + name + ".txt")
		if err != nil {
			panic(err) // embedded: cannot happen in a build that passed its tests
		}
		w.words[list] = strings.Fields(string(data))
		for value, word := range w.words[list] {
			w.meanings[word] = append(w.meanings[word], meaning{uint8(list), uint16(value)})
			hash := hashBasis
			for i := range len(word) {
				hash = hashByte(hash, word[i])
			}
			at, bit := filterPlace(hash)
			w.filter[at] |= bit
		}
	}
	return w
})

// filterPlace returns where a hash has its bit in the filter.
func filterPlace(hash uint32) (at, bit uint32) {
	hash >>= 32 - filterBits
	return hash / 32, 1 << (hash % 32)
}

// FNV-1a, whose high bits are the hash.
const hashBasis = uint32(2166136261)

func hashByte(hash uint32, c byte) uint32 { return (hash ^ uint32(c)) * 16777619 }

// lookUp returns a word's meanings, without regard to case and accents.
func (w *wordlist) lookUp(word string) []meaning {
	if len(word) > longestWord {
		return nil
	}
	plain := strings.ToLower(norm.NFKD.String(word)) // as words are stored, but for accents
	return w.meanings[strings.Map(func(r rune) rune {
		if r >= 0x300 && r <= 0x36F {
			return -1
		}
		return r
	}, plain)]
}

// token is a word of at least two bytes.
type token struct {
	lo, hi   int32
	maybe    bool // it may be in a list
	looked   bool // meanings holds what it is there
	meanings []meaning
}

// tokenise reads the view's words, tags of HTML left out, and marks those in ASCII that may be in a list. It returns how many it
// marked, and whether there are letters beyond ASCII, which end a word if ascii is set.
func (sc *scan) tokenise(ascii bool) (marked int, foreign bool) {
	text, filter := sc.text, &words().filter
	sc.tokens, sc.marks = sc.tokens[:0], sc.marks[:0]
	word, bit := uint64(0), 0
	before, beforeThat := uint32(0), uint32(0)
	for i := 0; i < len(text); {
		lo, hash, plain := i, hashBasis, true
		for i < len(text) {
			if c := letters[text[i]]; c != 0 {
				hash = hashByte(hash, c)
				i++
				continue
			}
			if text[i] < utf8.RuneSelf {
				break
			}
			foreign = true
			r, size := utf8.DecodeRuneInString(text[i:])
			if ascii || !isWordRune(r) {
				break
			}
			plain = false
			i += size
		}
		if i-lo < 2 {
			if i == lo {
				i++
			}
			if text[lo] == '<' {
				i = pastTag(text, i)
			}
			continue
		}
		at, b := filterPlace(hash)
		maybe := filter[at]&b != 0
		if !plain { // a word of any list has three bytes
			maybe = i-lo > 2
		}
		sc.tokens = append(sc.tokens, token{lo: int32(lo), hi: int32(i), maybe: maybe})
		// A word that was there just before tells nothing: text that repeats one would cost a look for each stride.
		if maybe && hash != before && hash != beforeThat {
			word |= 1 << bit
			marked++
		}
		before, beforeThat = hash, before
		if bit++; bit == 64 {
			sc.marks = append(sc.marks, word)
			word, bit = 0, 0
		}
	}
	sc.marks = append(sc.marks, word)
	return marked, foreign
}

func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsMark(r))
}

// letters holds the lower case of each ASCII letter, and 0 for any other byte.
var letters = func() (t [256]byte) {
	for c := 'a'; c <= 'z'; c++ {
		t[c], t[c&^0x20] = byte(c), byte(c)
	}
	return t
}()

// pastTag returns the end of a tag of HTML that only lays text out and whose name begins at i, or i.
func pastTag(text string, i int) int {
	const longest = 160
	from := skip(text[:min(len(text), i+1)], i, "/")
	end := forward(text, from, clsAlnum)
	switch text[from:end] {
	case "li", "td", "tr", "th", "p", "b", "i", "em", "span", "div", "ol", "ul", "code", "strong", "br", "table", "tbody", "thead", "dd",
		"dt", "pre", "a", "tt", "kbd", "h3", "h4", "label":
		if n := strings.IndexByte(text[end:min(len(text), end+longest)], '>'); n >= 0 {
			return end + n + 1
		}
	}
	return i
}

// value is the value of a token in a list, or -1.
func (sc *scan) value(i, list int) int {
	t := &sc.tokens[i]
	if !t.looked && t.maybe {
		t.meanings = words().lookUp(sc.text[t.lo:t.hi])
	}
	t.looked = true
	for _, m := range t.meanings {
		if int(m.list) == list {
			return int(m.value)
		}
	}
	return -1
}

// gap is the text between two tokens.
func (sc *scan) gap(i, j int) string { return sc.text[sc.tokens[i].hi:sc.tokens[j].lo] }
