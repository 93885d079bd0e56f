package index

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Snippets are made here and not by Elasticsearch, whose highlighter analyses each result's text anew: the text comes
// with the result, and to find a word again needs no more than its beginning.

// Marks around matched words in a snippet: plain text that survives JSON, terminals and Markdown.
const markOpen, markClose = "**", "**"

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

// maxMarks bounds the work on a text of 20,000 characters that repeats a word of the query.
const maxMarks = 500

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
			found = append(found, mark{start, end, stem, worth})
		} else if parts { // what is not ASCII always may have parts
			found = append(found, m.marksWithin(text, start, end)...)
		}
	}
	return found
}

// standsAlone reports whether a character is a word by itself to the index: Chinese and Japanese are written without
// spaces, and the index's tokenizer takes them character by character.
func standsAlone(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana) }

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
		if last := len(found) - 1; last >= 0 && found[last].end == at {
			found[last].end, found[last].stem = at+len(character), found[last].stem+character
			found[last].worth += worth
		} else {
			found = append(found, mark{at, at + len(character), character, worth})
		}
	}
	return found
}

// snippet returns the passage of at most length characters, of whichever text, that has most of what the query asks for,
// its matched words marked; or "" where no word matches.
func (m *marker) snippet(length int, texts ...string) string {
	var best string
	var bestMarks []mark
	bestWorth := 0.0
	for _, text := range texts {
		marks := m.marks(text)
		if first, last, worth := bestPassage(marks, length-2*len(markOpen)); worth > bestWorth {
			best, bestMarks, bestWorth = text, marks[first:last], worth
		}
	}
	if bestWorth == 0 {
		return ""
	}
	return passage(best, bestMarks, length)
}

// bestPassage returns which marks make the best passage of at most length bytes. A word counts once however often it is
// repeated, and a little more where it is near the others.
func bestPassage(marks []mark, length int) (first, last int, worth float64) {
	words, counted := number(marks)
	for i := range marks {
		sum := 0.0
		j := i
		for ; j < len(marks) && (j == i || marks[j].end-marks[i].start <= length); j++ {
			if word := words[j]; counted[word] != i+1 {
				counted[word] = i + 1
				sum += marks[j].worth
			}
		}
		if sum > worth {
			first, last, worth = i, j, sum
		}
	}
	return first, last, worth
}

// number gives every stem among the marks a number, and room to note where each was counted last.
func number(marks []mark) (words, counted []int) {
	words = make([]int, len(marks))
	known := map[string]int{}
	for i, mark := range marks {
		word, there := known[mark.stem]
		if !there {
			word = len(known)
			known[mark.stem] = word
		}
		words[i] = word
	}
	return words, make([]int, len(known))
}

// passage cuts the text around the marks, at words, puts it on one line and marks the words.
func passage(text string, marks []mark, length int) string {
	room := length - len(marks)*len(markOpen+markClose) - len("……")
	for len(marks) > 1 && marks[len(marks)-1].end-marks[0].start > room {
		marks = marks[:len(marks)-1]
		room += len(markOpen + markClose)
	}
	start, end := around(text, marks[0].start, marks[len(marks)-1].end, room)
	var out strings.Builder
	if start > 0 {
		out.WriteString("…")
	}
	at := start
	for _, mark := range marks {
		out.WriteString(unmarked(text[at:mark.start]))
		out.WriteString(markOpen + text[mark.start:mark.end] + markClose)
		at = mark.end
	}
	out.WriteString(unmarked(text[at:end]))
	if end < len(text) {
		out.WriteString("…")
	}
	return strings.TrimSpace(out.String())
}

// unmarked returns a text on one line without marks of its own, so that those of a snippet can be told apart.
func unmarked(text string) string { return strings.ReplaceAll(oneLine(text), markOpen, "") }

// around widens a passage to about length bytes, a quarter of what is left before it and the rest behind it, and then
// narrows it to whole words.
func around(text string, from, to, length int) (start, end int) {
	spare := max(0, length-(to-from))
	start = max(0, from-spare/4)
	end = min(len(text), to+spare-(from-start))
	for start > 0 && start < from && !utf8.RuneStart(text[start]) {
		start++
	}
	for end < len(text) && end > to && !utf8.RuneStart(text[end]) {
		end--
	}
	if start > 0 {
		if space := strings.IndexFunc(text[start:from], unicode.IsSpace); space >= 0 {
			start += space
		}
	}
	if end < len(text) {
		if space := strings.LastIndexFunc(text[to:end], unicode.IsSpace); space > 0 {
			end = to + space
		}
	}
	return start, end
}

// oneLine turns every run of spaces and line ends into one space.
func oneLine(text string) string {
	var out strings.Builder
	space := false
	for _, r := range text {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			space = true
			continue
		}
		if space {
			out.WriteByte(' ')
			space = false
		}
		out.WriteRune(r)
	}
	if space {
		out.WriteByte(' ')
	}
	return out.String()
}
