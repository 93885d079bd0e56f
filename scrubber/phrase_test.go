package scrubber

import (
	"hash/crc32"
	"testing"
)

// A phrase of the shortest words is found: no text that can hold one is left unread.
func TestPhraseOfShortestWordsIsFound(t *testing.T) {
	t.Parallel()
	var short []uint16
	for value, word := range words().words[listEnglish] {
		if len(word) == 3 {
			short = append(short, uint16(value))
		}
	}
	g, values := newGen(1), make([]uint16, fewestWords)
	for valid := false; !valid; valid = varied(values) && checksum39(values) {
		for i := range values {
			values[i] = short[g.IntN(len(short))]
		}
	}
	if out, _ := newScrubber(t).Text(string(sentence(values))); out != Marker {
		t.Errorf("%q is left", out)
	}
}

// The lists are the published ones, byte for byte.
func TestWordListsAreThePublishedOnes(t *testing.T) {
	t.Parallel()
	crc := map[string]uint32{"english": 0xc1dbd296, "electrum_old": 0x1a766616, "monero": 0xa4ad8465}
	for list, name := range wordlistNames {
		want := 2048
		if list >= listElectrumOld {
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
