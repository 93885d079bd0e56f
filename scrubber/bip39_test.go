package scrubber

import (
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// However short its words are and wherever it stands, a mnemonic is found: what is skipped between two looks holds none.
func TestShortestMnemonicIsFoundAnywhere(t *testing.T) {
	t.Parallel()
	var short []string
	for word := range words().meanings {
		if typed := norm.NFC.String(word); len(typed) < shortestWord {
			t.Fatalf("%q has %d bytes", typed, len(typed))
		}
		if len(word) == shortestWord && valueIn(listWord{meanings: words().look(word)}, 0) >= 0 {
			short = append(short, word)
		}
	}
	slices.Sort(short)
	random := rand.New(rand.NewPCG(1, 2))
	drawn, values := make([]string, fewestWords), make([]uint16, fewestWords)
	for valid := false; !valid; valid = varied(values) && checksum39(values) {
		for i := range drawn {
			drawn[i] = short[random.IntN(len(short))]
			values[i] = uint16(valueIn(listWord{meanings: words().look(drawn[i])}, 0))
		}
	}
	mnemonic := strings.Join(drawn, " ")
	if len(mnemonic) != shortestMnemonic {
		t.Fatalf("%q has %d bytes, want %d", mnemonic, len(mnemonic), shortestMnemonic)
	}
	s := newScrubber(t)
	for before := range 3 * shortestMnemonic {
		for _, filling := range []string{"xy ", "-", "unlikely "} {
			text := strings.Repeat(filling, before)[:before] + "." + mnemonic
			if out, _ := s.Text(text); strings.Contains(out, drawn[1]+" "+drawn[2]) {
				t.Fatalf("behind %d bytes of %q it is kept", before, filling)
			}
		}
	}
}

// The lists are the published ones, byte for byte.
func TestPhraseListsAreThePublishedOnes(t *testing.T) {
	t.Parallel()
	for list, want := range [phraseLists]struct {
		crc   uint32
		words int
	}{{0xc1dbd296, 2048}, {0x1a766616, 1626}, {0xa4ad8465, 1626}} {
		data, err := wordlistFiles.ReadFile("wordlists/" + phraseFiles[list] + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		if got := crc32.ChecksumIEEE(data); got != want.crc || len(phraseWords().words[list]) != want.words {
			t.Errorf("%s: CRC-32 %08x, %d words", phraseFiles[list], got, len(phraseWords().words[list]))
		}
	}
}
