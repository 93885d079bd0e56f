package index

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// marker finds the words of a query in a text.
type marker struct {
	stems  map[string]float64 // by stem, what a word is worth in the choice of a passage
	wants  []string           // beginnings of words, for words that were cut short
	begins [256]uint64        // by first byte, in either case, which bytes may come second: see second
}

// marker returns a marker of what the search looks for, in its corrected spelling.
func (s search) marker() *marker {
	found := &marker{stems: map[string]float64{}}
	add := func(text string, worth float64) {
		stem := stemOf(text)
		found.stems[stem] = max(found.stems[stem], worth)
		found.begin(stem)
	}
	for _, word := range s.subject() {
		add(s.spelling.best(word.queryWord), word.weight+float64(min(len(word.text), 10))/20)
		for _, r := range word.text {
			if standsAlone(r) {
				add(string(r), 0.3)
			}
		}
		if key, can := word.key(); can && s.spelling[key].prefix != "" {
			found.wants = append(found.wants, s.spelling[key].prefix)
			found.begin(s.spelling[key].prefix)
		}
	}
	for _, entity := range s.entities {
		add(entity, 5)
	}
	return found
}

// begin remembers how a wanted word begins. A page's texts hold thousands of words, nearly all of which need no closer
// look than at their first two bytes.
func (m *marker) begin(word string) {
	if word == "" { // a stem of nothing but e
		word = "e"
	}
	seconds := ^uint64(0)
	if len(word) > 1 && word[1] < utf8.RuneSelf {
		seconds = second(word[1])
	}
	for _, first := range []byte(strings.ToLower(word[:1]) + strings.ToUpper(word[:1])) {
		m.begins[first] |= seconds
	}
}

// second returns the bit of a second byte. Letters of either case share theirs, and with a few signs, which costs a look.
func second(c byte) uint64 { return 1 << ((c | 0x20) & 63) }

// mayBegin reports whether a word may begin like a wanted one. Beyond ASCII nobody knows before a closer look.
func (m *marker) mayBegin(word string) bool {
	if word[0] >= utf8.RuneSelf {
		return true
	}
	seconds := m.begins[word[0]]
	switch {
	case seconds == 0 || len(word) == 1:
		return seconds == ^uint64(0)
	case word[1] >= utf8.RuneSelf:
		return true
	}
	return seconds&second(word[1]) != 0
}

// mayCount reports whether a word of a text needs a closer look, as a whole or for one of its parts.
func (m *marker) mayCount(word string) (whole, parts bool) {
	whole = m.mayBegin(word)
	before := word[0]
	for i := 1; i < len(word); i++ {
		c := word[i]
		joined := before == '_' || before == '.' || before == ':' || before == '\''
		if c >= utf8.RuneSelf || (joined || 'A' <= c && c <= 'Z' && 'a' <= before && before <= 'z') && m.mayBegin(word[i:]) {
			return whole, true
		}
		before = c
	}
	return whole, word[0] >= utf8.RuneSelf
}

// worth returns what a word of a text with this stem is worth, if need be for its parts: nothing, unless the query asks
// for it.
func (m *marker) worth(word, stem string, parts bool) float64 {
	if worth, there := m.stems[stem]; there {
		return worth
	}
	if parts {
		for _, part := range partsOf(queryWord{text: word}) {
			if worth, there := m.stems[stemOf(part.text)]; there {
				return worth
			}
		}
	}
	for _, prefix := range m.wants {
		if len(word) >= len(prefix) && strings.EqualFold(word[:len(prefix)], prefix) {
			return 0.5
		}
	}
	return 0
}

// stemOf returns the part of a word that its forms share. It is coarser than the analyzer's stemmer: at worst a snippet
// marks a cousin of the word that matched.
func stemOf(word string) string {
	word = strings.ToLower(word)
	if word == "" || strings.IndexByte("sgdye", word[len(word)-1]) < 0 {
		return word
	}
	for _, ending := range []string{"ies", "ing", "ied", "es", "ed", "ly", "s", "y", "e"} {
		if stem, cut := strings.CutSuffix(word, ending); cut && len(stem) >= 4 {
			return strings.TrimRight(stem, "e")
		}
	}
	return word
}

// mark is a matched word in a text.
type mark struct {
	start, end int
	stem       string
	worth      float64
}

const (
	// maxMarks bounds the work on a text of 20,000 characters that repeats a word of the query.
	maxMarks = 500
	// maxMark bounds what is marked of one word, in bytes: a run of characters, or of parts joined by dots, may be a text.
	maxMark = 64
)

// marks returns the matched words of a text.
func (m *marker) marks(text string) []mark {
	var found []mark
	for start, end := nextToken(text, 0); start < len(text) && len(found) < maxMarks; start, end = nextToken(text, end) {
		word := text[start:end]
		whole, parts := m.mayCount(word)
		if !whole && !parts {
			continue
		}
		stem := stemOf(word)
		if worth := m.worth(word, stem, parts); worth > 0 {
			found = append(found, mark{start, start + runesWithin(word, maxMark), stem, worth})
		} else if parts { // what is not ASCII always may have parts
			found = append(found, m.marksWithin(text, start, end)...)
		}
	}
	return found
}

// standsAlone reports whether a character is a word by itself to the index: Chinese and Japanese are written without
// spaces, and the index's tokenizer takes them character by character.
func standsAlone(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana) }

// runesWithin returns the length of the beginning of a text that is at most so many bytes long and ends with a whole character.
func runesWithin(text string, length int) int {
	if len(text) <= length {
		return len(text)
	}
	for length > 0 && !utf8.RuneStart(text[length]) {
		length--
	}
	return length
}

// marksWithin returns the matched characters of a run that is written without spaces, neighbours as one mark.
func (m *marker) marksWithin(text string, start, end int) []mark {
	var found []mark
	for i, r := range text[start:end] {
		if !standsAlone(r) {
			continue
		}
		at, character := start+i, string(r)
		worth := m.stems[character]
		if worth == 0 {
			continue
		}
		end := at + len(character)
		if last := len(found) - 1; last >= 0 && found[last].end == at && end-found[last].start <= maxMark {
			found[last].end, found[last].stem = end, text[found[last].start:end]
			found[last].worth += worth
		} else {
			found = append(found, mark{at, end, character, worth})
		}
	}
	return found
}
