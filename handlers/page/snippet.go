package page

import (
	"regexp"
	"strings"
)

// snippetMark is what the interface writes around matched words in a snippet.
const snippetMark = "**"

// snippetSpans reads a snippet's marks: the words that were searched for, in the spelling that was found.
func snippetSpans(snippet string) (spans []span) {
	for i, part := range strings.Split(plainSnippet(snippet), snippetMark) {
		switch {
		case part == "":
		case i%2 == 1:
			spans = append(spans, span{"mark", part})
		default:
			spans = append(spans, scrubbed("", part)...)
		}
	}
	return spans
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

// shortAddress returns the host and the end of a web address, and the whole of a short one.
func shortAddress(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	host, path, _ := strings.Cut(rest, "/")
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	if len(parts) < 2 {
		return rest
	}
	return host + "/…/" + parts[len(parts)-1]
}
