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

// snippet returns the passage of at most length bytes, of whichever text, that has most of what the query asks for,
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
