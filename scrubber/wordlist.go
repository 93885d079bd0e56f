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

// wordlist maps a word to its meanings. Some words are in two lists.
type wordlist map[string][]meaning

var words = sync.OnceValue(func() wordlist {
	w := make(wordlist, 18000)
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
			if old, ok := w[word]; ok {
				w[word] = append(old[:len(old):len(old)], all[len(all)-1])
			} else {
				w[word] = all[len(all)-1:]
			}
			value++
		}
	}
	return w
})

const longestWord = 48 // bytes, decomposed: Korean words take most

// look returns a word's meanings, without regard to case and accents.
func (w wordlist) look(word string) []meaning {
	if len(word) > longestWord {
		return nil
	}
	var buf [longestWord]byte
	for i := range len(word) {
		if word[i] >= utf8.RuneSelf {
			return w[plain(word)]
		}
		buf[i] = lower(word[i])
	}
	return w[string(buf[:len(word)])]
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
