package page

import (
	"regexp"
	"strings"
)

// block is a part of a stored text. Texts come as Markdown or as plain text: code and headings are set apart, everything
// else stays as it was written. Nothing is taken as HTML and nothing becomes a link.
type block struct {
	Kind  string // code, heading or text
	Spans []span
}

// span is a run of text of one kind.
type span struct {
	Kind string // code, scrubbed, mark, strong, address, or empty
	Text string
}

// scrubMarker stands where a secret was removed.
const scrubMarker = "[SCRUBBED]"

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

// inline sets apart what stands between backticks on one line, what Markdown makes strong, and addresses.
func inline(text string) []span {
	var spans []span
	for {
		before, rest, opened := strings.Cut(text, "`")
		code, after, closed := strings.Cut(rest, "`")
		if !opened || !closed || code == "" || strings.Contains(code, "\n") {
			return append(spans, marked(text)...)
		}
		spans = append(spans, marked(before)...)
		spans = append(spans, scrubbed("code", code)...)
		text = after
	}
}

// markdown finds a link of Markdown, an address by itself, and strong words, in this order.
var markdown = regexp.MustCompile(`\[([^\[\]\n]*)\]\((https?://[^()\s]*)\)|(https?://[^\s<>"'()\[\]]+)|\*\*([^*\s](?:[^*\n]*[^*\s])?)\*\*`)

// marked sets apart addresses and strong words. An address is no link, whatever the text says: a reader sees where it would
// lead beside the words for it.
func marked(text string) []span {
	var spans []span
	at := 0
	for _, found := range markdown.FindAllStringSubmatchIndex(text, -1) {
		part := func(group int) string {
			if found[2*group] < 0 {
				return ""
			}
			return text[found[2*group]:found[2*group+1]]
		}
		spans = append(spans, scrubbed("", text[at:found[0]])...)
		at = found[1]
		switch words, address := part(1), part(2)+part(3); {
		case address == "" && found[0] > 0 && isWordByte(text[found[0]-1]): // a power, as in 2**3**4
			spans = append(spans, scrubbed("", text[found[0]:found[1]])...)
		case address == "":
			spans = append(spans, scrubbed("strong", part(4))...)
		case strings.Contains(address, scrubMarker):
			spans = append(spans, scrubbed("", text[found[0]:found[1]])...)
		default:
			if spans = append(spans, scrubbed("", words)...); words != "" {
				spans = append(spans, span{"", " "})
			}
			spans = append(spans, span{"address", address})
		}
	}
	return append(spans, scrubbed("", text[at:])...)
}

// isWordByte reports whether a byte of a text is part of a word; of those beyond ASCII nobody says so here.
func isWordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
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

// scrubbed sets apart where secrets stood.
func scrubbed(kind, text string) []span {
	var spans []span
	for i, part := range strings.Split(text, scrubMarker) {
		if i > 0 {
			spans = append(spans, span{"scrubbed", scrubMarker})
		}
		if part != "" {
			spans = append(spans, span{kind, part})
		}
	}
	return spans
}
