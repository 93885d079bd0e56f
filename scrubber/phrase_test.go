package scrubber

import (
	"hash/crc32"
	"strings"
	"testing"
)

// A phrase of the shortest words is found: no text that can hold one is left unread.
func TestPhraseOfShortestWordsIsFound(t *testing.T) {
	t.Parallel()
	var short []string
	for _, word := range listWords(listEnglish) {
		if len(word) == 3 {
			short = append(short, word)
		}
	}
	g, phrase := newGen(1), make([]string, fewestWords)
	for i := range phrase {
		phrase[i] = short[g.IntN(len(short))]
	}
	if out, _ := newScrubber(t).text(strings.Join(phrase, " ")); out != Marker {
		t.Errorf("%q is left", out)
	}
}

// Words that are in the order of the list, or over and over, hide no phrase that stands behind them. Neighbours may go with it.
func TestPhraseBehindOtherListWords(t *testing.T) {
	t.Parallel()
	phrase := strings.Join(newGen(7).mnemonic(listEnglish, 12), " ")
	for _, before := range []string{strings.Join(listWords(listEnglish)[:60], " "), strings.Repeat("price ", 60)} {
		if out, _ := newScrubber(t).text(before + " " + phrase + " zzz"); !strings.HasSuffix(out, Marker+" zzz") {
			t.Errorf("%q is left", out)
		}
	}
}

// The lists are the published ones, byte for byte.
func TestWordListsAreThePublishedOnes(t *testing.T) {
	t.Parallel()
	crc := map[string]uint32{"english": 0xc1dbd296, "electrum_old": 0x1a766616, "monero": 0xa4ad8465}
	for list, name := range wordlistNames {
		want := 2048
		if list >= listMonero {
			want = 1626
		}
		if got := len(words().words[list]); got != want {
			t.Errorf("%s: %d words, want %d", name, got, want)
		}
		data, err := wordlistFiles.ReadFile("wordlists/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		if got := crc32.ChecksumIEEE(data); crc[name] != 0 && got != crc[name] {
			t.Errorf("%s: CRC-32 %08x, want %08x", name, got, crc[name])
		}
	}
}
