package page

import (
	"regexp"
	"strings"
)

// snippetMark is what the interface writes around matched words in a snippet.
const snippetMark = "**"

// snippetSpans reads a snippet's marks. It also returns the marked words: what was searched for, in the spelling that was
// found.
func snippetSpans(snippet string) (spans []span, matched []string) {
	for i, part := range strings.Split(plainSnippet(snippet), snippetMark) {
		switch {
		case part == "":
		case i%2 == 1:
			spans = append(spans, span{"mark", part})
			if len(wordParts.FindAllString(part, 2)) == 1 { // of an identifier the query may mean any part
				matched = append(matched, part)
			}
		default:
			spans = append(spans, scrubbed("", part)...)
		}
	}
	return spans, matched
}

var (
	webAddresses = regexp.MustCompile(`https?://[^\s<>"')\]]+`)
	// linkMarks are what Markdown writes around a link's words and address, headingMarks what it writes before a heading.
	linkMarks    = regexp.MustCompile(`\[([^\[\]]*)\]\(https?://[^()\s]*\)?`)
	headingMarks = regexp.MustCompile(`(^|\s)#{2,6}\s+`)
)

// plainSnippet takes out of a snippet what Markdown writes around words. A few words torn from a text are no document; their
// marks and whole addresses only hide the words. Addresses keep their host and their end.
func plainSnippet(snippet string) string {
	snippet = linkMarks.ReplaceAllString(snippet, "$1")
	snippet = webAddresses.ReplaceAllStringFunc(snippet, func(address string) string {
		return shortAddress(strings.ReplaceAll(strings.TrimSuffix(address, "…"), snippetMark, ""))
	})
	snippet = headingMarks.ReplaceAllString(snippet, "$1")
	return strings.ReplaceAll(snippet, "`", "")
}

var wordPattern = regexp.MustCompile(`[\p{L}\p{N}_]+`)

// shortestRoot is how much of a word must agree, in bytes, before its forms are taken for one.
const shortestRoot = 4

// rootOf returns a word in lowercase without its commonest endings.
func rootOf(word string) string {
	word = strings.ToLower(word)
	for _, ending := range []string{"ing", "ed", "es", "s", "e"} {
		if root, cut := strings.CutSuffix(word, ending); cut && len(root) >= shortestRoot {
			return root
		}
	}
	return word
}

// rootsOf returns the roots of the words that texts have, but for the shortest ones, which every line holds.
func rootsOf(texts ...string) []string {
	var roots []string
	for _, text := range texts {
		for _, word := range wordPattern.FindAllString(text, -1) {
			if len(word) > 2 {
				roots = append(roots, rootOf(word))
			}
		}
	}
	return roots
}

// markLine marks the words of a line that have one of the roots. Which results match is the interface's to say: this
// shows a reader where.
func markLine(line string, roots []string) []span {
	var spans []span
	for _, part := range inline(line) {
		if part.Kind == "" {
			spans = append(spans, markWords(part.Text, roots)...)
			continue
		}
		if part.Kind == "code" && hasRoot(part.Text, roots) {
			part.Kind = "mark"
		}
		spans = append(spans, part)
	}
	return spans
}

func markWords(text string, roots []string) []span {
	var spans []span
	at := 0
	for _, found := range wordPattern.FindAllStringIndex(text, -1) {
		if !hasRoot(text[found[0]:found[1]], roots) {
			continue
		}
		if at < found[0] {
			spans = append(spans, span{"", text[at:found[0]]})
		}
		spans = append(spans, span{"mark", text[found[0]:found[1]]})
		at = found[1]
	}
	if at < len(text) {
		spans = append(spans, span{"", text[at:]})
	}
	return spans
}

// wordParts finds the words in an identifier such as stalePriceThreshold.
var wordParts = regexp.MustCompile(`\p{Lu}*[^\p{Lu}_.]+|\p{Lu}+`)

func hasRoot(word string, roots []string) bool {
	for _, part := range append(wordParts.FindAllString(word, -1), word) {
		own := rootOf(part)
		for _, root := range roots {
			if own == root || len(root) >= shortestRoot && strings.HasPrefix(own, root) {
				return true
			}
		}
	}
	return false
}
