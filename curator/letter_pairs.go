package curator

import "strings"

// letterPairs holds which two bytes stand side by side in a text, six bits of each, so that some stand for others too. Most words
// that one looks for in a text aren't there, and lack a pair: to look for a hundred words costs little more than to read the text.
type letterPairs [1 << 12 / 64]uint64

// pairsOf returns the pairs of a text.
func pairsOf(text string) (pairs letterPairs) {
	for i := 1; i < len(text); i++ {
		place, bit := pairOf(text[i-1], text[i])
		pairs[place] |= bit
	}
	return pairs
}

func pairOf(a, b byte) (place int, bit uint64) { return int(a & 63), 1 << (b & 63) }

// in reports whether a word stands in the text, whose pairs these are.
func (p *letterPairs) in(text, word string) bool {
	for i := 1; i < len(word); i++ {
		if place, bit := pairOf(word[i-1], word[i]); p[place]&bit == 0 {
			return false
		}
	}
	return strings.Contains(text, word)
}
