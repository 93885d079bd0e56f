package page

import (
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
		if strings.TrimSpace(joined) == "" {
			return
		}
		if kind == "code" {
			blocks = append(blocks, block{kind, scrubbed("", joined)})
			return
		}
		blocks = append(blocks, block{kind, inline(joined)})
	}
	fenced := false
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "```"):
			if fenced {
				flush("code")
			} else {
				flush("text")
			}
			fenced = !fenced
		case fenced:
			lines = append(lines, line)
		case strings.HasPrefix(trimmed, "#") && strings.HasPrefix(strings.TrimLeft(trimmed, "#"), " "):
			flush("text")
			lines = []string{strings.TrimSpace(strings.TrimLeft(trimmed, "#"))}
			flush("heading")
		case trimmed == "":
			flush("text")
		default:
			lines = append(lines, line)
		}
	}
	if fenced {
		flush("code")
	} else {
		flush("text")
	}
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
