package scrubber

import (
	"embed"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The ten word lists of BIP-39, in order; a word's line is its value. All but the English one are stored as
// compatibility decompositions without Latin accents: people leave accents out, and no list needs them.
//
//go:embed wordlists/*.txt
var wordlistFiles embed.FS

var wordlistNames = []string{
	"english", "french", "spanish", "italian", "portuguese", "czech",
	"japanese", "korean", "chinese_simplified", "chinese_traditional",
}

// meaning is one reading of a word: the list it is in and its value there, 0..2047.
type meaning struct {
	list  uint8
	value uint16
}

// wordlist knows the words of all lists.
type wordlist struct {
	meanings map[string][]meaning // some words are in two lists
	// ascii has the bit of every word in ASCII set. Nearly all words of prose are in no list, and a look at 32 kB, which stay near
	// the processor, says so in a third of the time.
	ascii   [1 << asciiBits / 32]uint32
	longest int // word in ASCII, in bytes
}

// asciiBits is the length of a hash in ascii: of words that are in no list, one in twenty has the hash of one that is.
const asciiBits = 18

var words = sync.OnceValue(func() *wordlist {
	w := &wordlist{meanings: make(map[string][]meaning, 18000)}
	all := make([]meaning, 0, 2048*len(wordlistNames))
	for list, name := range wordlistNames {
		data, err := wordlistFiles.ReadFile("wordlists/" + name + ".txt")
		if err != nil {
			panic(err) // embedded: cannot happen in a build that passed its tests
		}
		value := uint16(0)
		for word := range strings.Lines(string(data)) {
			word = strings.TrimSuffix(word, "\n")
			all = append(all, meaning{uint8(list), value})
			if old, ok := w.meanings[word]; ok {
				w.meanings[word] = append(old[:len(old):len(old)], all[len(all)-1])
			} else {
				w.meanings[word] = all[len(all)-1:]
			}
			w.mark(word)
			value++
		}
	}
	return w
})

// Length of a word in bytes.
const (
	shortestWord = 3  // three letters, or one Chinese character
	longestWord  = 48 // decomposed: Korean words take most
)

// mark notes a word in ASCII.
func (w *wordlist) mark(word string) {
	hash := hashBasis
	for i := range len(word) {
		if word[i] >= utf8.RuneSelf {
			return
		}
		hash = hashByte(hash, word[i])
	}
	w.longest = max(w.longest, len(word))
	at, bit := asciiPlace(hash)
	w.ascii[at] |= bit
}

// asciiPlace returns where a hash has its bit in ascii.
func asciiPlace(hash uint32) (at, bit uint32) {
	hash >>= 32 - asciiBits
	return hash / 32, 1 << (hash % 32)
}

// look returns a word's meanings, without regard to case and accents.
func (w *wordlist) look(word string) []meaning {
	if len(word) > longestWord {
		return nil
	}
	var buf [longestWord]byte
	hash := hashBasis
	for i := range len(word) {
		if word[i] >= utf8.RuneSelf {
			return w.meanings[plain(word)]
		}
		buf[i] = lower(word[i])
		hash = hashByte(hash, buf[i])
	}
	if at, bit := asciiPlace(hash); w.ascii[at]&bit == 0 || len(word) < shortestWord || len(word) > w.longest {
		return nil
	}
	return w.meanings[string(buf[:len(word)])]
}

// FNV-1a, whose high bits are the hash.
const hashBasis = uint32(2166136261)

func hashByte(hash uint32, c byte) uint32 { return (hash ^ uint32(c)) * 16777619 }

// phraseList knows the words of the lists whose phrases are found in any layout. Their words are ASCII in lower case.
type phraseList struct {
	words  [phraseLists][]string
	values map[string][phraseLists]int16
	filter [1 << asciiBits / 32]uint32 // as wordlist.ascii
}

// phraseFiles are BIP-39's English list, the list of Electrum before 2.0 (electrum/old_mnemonic.py, MIT) and Monero's English list
// (src/mnemonics/english.h, BSD), the last two as bip_utils 2.12.3 (MIT) has them.
var phraseFiles = [phraseLists]string{"english", "electrum_old", "monero"}

var phraseWords = sync.OnceValue(func() *phraseList {
	p := &phraseList{values: make(map[string][phraseLists]int16, 5000)}
	for list, name := range phraseFiles {
		data, err := wordlistFiles.ReadFile("wordlists/" + name + ".txt")
		if err != nil {
			panic(err) // embedded: cannot happen in a build that passed its tests
		}
		p.words[list] = strings.Fields(string(data))
		for value, word := range p.words[list] {
			values, ok := p.values[word]
			if !ok {
				values = [phraseLists]int16{-1, -1, -1}
			}
			values[list] = int16(value)
			p.values[word] = values
			hash := hashBasis
			for i := range len(word) {
				hash = hashByte(hash, word[i])
			}
			at, bit := asciiPlace(hash)
			p.filter[at] |= bit
		}
	}
	return p
})

// look returns the word's value in each list, or -1, without regard to case.
func (p *phraseList) look(word string) [phraseLists]int16 {
	var buf [longestWord]byte
	if len(word) <= len(buf) {
		for i := range len(word) {
			buf[i] = word[i] | 0x20
		}
		if values, ok := p.values[string(buf[:len(word)])]; ok {
			return values
		}
	}
	return [phraseLists]int16{-1, -1, -1}
}

// plain is the form in which words are stored.
func plain(word string) string {
	out := make([]byte, 0, 2*len(word))
	for _, r := range norm.NFKD.String(word) {
		if r < 0x300 || r > 0x36F {
			out = utf8.AppendRune(out, r)
		}
	}
	return strings.ToLower(string(out))
}
