package page

import (
	"regexp"
	"strings"

	"agentlore/lore"
)

// block is a part of a stored text. Texts come as Markdown or as plain text: code and headings are set apart, everything
// else stays as it was written. Nothing is taken as HTML and nothing becomes a link.
type block struct {
	Kind  string // code, heading or text
	Spans []span
}

// span is a run of text of one kind.
type span struct {
	Kind string // code, scrubbed, mark, or empty
	Text string
}

// prose splits a stored text into blocks.
func prose(text string) []block {
	var blocks []block
	var lines []string
	flush := func(kind string) {
		joined := strings.Trim(strings.Join(lines, "\n"), "\n")
		lines = nil
		switch {
		case strings.TrimSpace(joined) == "":
		case kind == "code":
			blocks = append(blocks, block{kind, scrubbed("", joined)})
		default:
			blocks = append(blocks, block{kind, inline(joined)})
		}
	}
	kind := "text" // of the lines that are being gathered
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		trimmed := strings.TrimSpace(line)
		heading := strings.TrimLeft(trimmed, "#")
		switch {
		case strings.HasPrefix(trimmed, "```"):
			flush(kind)
			kind = map[string]string{"text": "code", "code": "text"}[kind]
		case kind == "text" && heading != trimmed && strings.HasPrefix(heading, " "):
			flush("text")
			lines = []string{strings.TrimSpace(heading)}
			flush("heading")
		case kind == "text" && trimmed == "":
			flush("text")
		default:
			lines = append(lines, line)
		}
	}
	flush(kind)
	return blocks
}

// inline sets apart what stands between backticks on one line.
func inline(text string) []span {
	var spans []span
	for {
		before, rest, opened := strings.Cut(text, "`")
		code, after, closed := strings.Cut(rest, "`")
		if !opened || !closed || code == "" || strings.Contains(code, "\n") {
			return append(spans, scrubbed("", text)...)
		}
		spans = append(append(spans, scrubbed("", before)...), scrubbed("code", code)...)
		text = after
	}
}

// scrubbed sets apart where secrets stood.
func scrubbed(kind, text string) []span {
	var spans []span
	for i, part := range strings.Split(text, lore.ScrubMarker) {
		if i > 0 {
			spans = append(spans, span{"scrubbed", lore.ScrubMarker})
		}
		if part != "" {
			spans = append(spans, span{kind, part})
		}
	}
	return spans
}

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
