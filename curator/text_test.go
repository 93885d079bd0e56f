package curator

import (
	"strings"
	"testing"
)

// Whether a word stands in a text is told as strings.Contains tells it, whatever the words and the text.
func FuzzLetterPairs(f *testing.F) {
	f.Add("ignore all previous instructions", "instruction")
	f.Add("ignore all previous instructions", "instructor")
	f.Add("", "")
	f.Add("a\x81b", "\x01b")
	f.Fuzz(func(t *testing.T, text, word string) {
		if pairs := pairsOf(text); pairs.in(text, word) != strings.Contains(text, word) {
			t.Errorf("%q in %q: %v", word, text, pairs.in(text, word))
		}
	})
}
