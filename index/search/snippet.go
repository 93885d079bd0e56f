package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"agentlore/terms"
)

// Snippets are made here and not by Elasticsearch, whose highlighter analyses each result's text anew: the text comes with the result.

// Marks around matched words in a snippet: plain text that survives JSON, terminals and Markdown.
const markOpen, markClose = "**", "**"

const (
	// maxMarks bounds the work on a text of 20,000 characters that repeats a word of the query.
	maxMarks = 500
	// maxMark bounds what is marked of one word, in bytes: a run of characters, or of parts joined by dots, may be a text.
	maxMark = 64
)

// marker finds what a query asks for in a text.
type marker struct {
	worth    []float64      // of each wanted word, by its number, in the choice of a passage
	stems    map[string]int // the words' numbers
	prefixes map[string]int // the numbers of beginnings, for words that were cut short
}

// mark is a matched word in a text.
type mark struct {
	start, end int
	word       int // its number
	worth      float64
}

// newMarker returns a marker of what a query asks for, in its corrected spelling.
func newMarker(q *query) *marker {
	m := &marker{stems: map[string]int{}, prefixes: map[string]int{}}
	for _, term := range q.terms {
		m.want(m.stems, markStem(strings.ToLower(q.spelt(term))), term.weight+float64(min(len(term.text), 10))/20)
		for _, r := range term.text {
			if standsAlone(r) {
				m.want(m.stems, string(r), 0.3)
			}
		}
		if r := q.respelling(term); r != nil && r.prefix != "" {
			m.want(m.prefixes, r.prefix, 0.5)
		}
	}
	for _, entity := range q.entities {
		m.want(m.stems, markStem(strings.ToLower(entity)), 5)
	}
	return m
}

func (m *marker) want(words map[string]int, text string, worth float64) {
	number, there := words[text]
	if !there {
		number = len(m.worth)
		words[text], m.worth = number, append(m.worth, worth)
	}
	m.worth[number] = max(m.worth[number], worth)
}

// find returns the number of the wanted word that a text's word is, whole or by one of its parts.
func (m *marker) find(word string) (number int, found bool) {
	if number, found = m.look(word); found {
		return number, true
	}
	for _, part := range terms.Parts(word) {
		if len(part) < len(word) {
			if number, found = m.look(part); found {
				return number, true
			}
		}
	}
	return 0, false
}

// look is find for the word as it is.
func (m *marker) look(word string) (number int, found bool) {
	word = strings.ToLower(word)
	number, found = m.stems[markStem(word)]
	for length := min(len(word), maxPrefix); !found && length >= minPrefix && len(m.prefixes) > 0; length-- {
		number, found = m.prefixes[word[:length]]
	}
	return number, found
}

// markStem returns what the forms of a word in lower case share. It is coarser than the analyzer's stemmer: at worst a snippet marks
// a cousin of the word that matched.
func markStem(word string) string {
	stem := terms.Stem(word)
	if len(stem) > 4 {
		stem = strings.TrimRight(stem, "iey")
	}
	return stem
}

// marks returns the matched words of a text, and of words without spaces the matched characters, neighbours as one mark.
func (m *marker) marks(text string) []mark {
	var found []mark
	add := func(start, length, word int) {
		last := len(found) - 1
		if last >= 0 && found[last].end == start && start+length-found[last].start <= maxMark {
			found[last].end = start + length
			found[last].worth += m.worth[word]
			return
		}
		found = append(found, mark{start, start + length, word, m.worth[word]})
	}
	for start, word := range terms.JoinedWords(text) {
		if len(found) == maxMarks {
			break
		}
		if number, wanted := m.find(word); wanted {
			add(start, len(firstBytes(word, maxMark)), number)
		} else if max(word[0], word[len(word)-1]) >= utf8.RuneSelf {
			for i, r := range word {
				if number, wanted := m.stems[string(r)]; wanted && standsAlone(r) {
					add(start+i, utf8.RuneLen(r), number)
				}
			}
		}
	}
	return found
}

// firstBytes returns the beginning of a text that is at most so many bytes long and ends with a whole character.
func firstBytes(text string, length int) string {
	for length > 0 && length < len(text) && !utf8.RuneStart(text[length]) {
		length--
	}
	return text[:min(len(text), length)]
}

// snippet returns the passage of at most length bytes, of whichever text, that has most of what the query asks for,
// its matched words marked; or "" where no word matches.
func (m *marker) snippet(length int, texts ...string) string {
	var best string
	var bestMarks []mark
	bestWorth := 0.0
	for _, text := range texts {
		if marks, worth := m.bestPassage(m.marks(text), length-2*len(markOpen)); worth > bestWorth {
			best, bestMarks, bestWorth = text, marks, worth
		}
	}
	if bestWorth == 0 {
		return ""
	}
	return passage(best, bestMarks, length)
}

// bestPassage returns the marks that make the best passage of at most length bytes. A word counts once however often it is repeated.
func (m *marker) bestPassage(marks []mark, length int) (best []mark, worth float64) {
	counted := make([]int, len(m.worth)) // for which beginning a word was counted last
	for i := range marks {
		sum, j := 0.0, i
		for ; j < len(marks) && (j == i || marks[j].end-marks[i].start <= length); j++ {
			if word := marks[j].word; counted[word] != i+1 {
				counted[word] = i + 1
				sum += marks[j].worth
			}
		}
		if sum > worth {
			best, worth = marks[i:j], sum
		}
	}
	return best, worth
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
	for _, mark := range marks { // the text's own marks go, so that those of the snippet can be told apart
		out.WriteString(strings.ReplaceAll(text[at:mark.start], markOpen, "") + markOpen + text[mark.start:mark.end] + markClose)
		at = mark.end
	}
	out.WriteString(strings.ReplaceAll(text[at:end], markOpen, ""))
	if end < len(text) {
		out.WriteString("…")
	}
	return strings.Join(strings.FieldsFunc(out.String(), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

// around widens a passage to about length bytes, a quarter of what is left before it and the rest behind it, and then
// narrows it to whole words.
func around(text string, from, to, length int) (start, end int) {
	spare := max(0, length-(to-from))
	start = max(0, from-spare/4)
	end = to + len(firstBytes(text[to:], spare-(from-start)))
	for start < from && !utf8.RuneStart(text[start]) {
		start++
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
