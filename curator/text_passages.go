package curator

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// The passages of a report written in Markdown, found by hand as in text_scan.go.

const (
	fence          = "```"
	mostHashes     = 6
	longestBoldRow = 40 // characters; a longer row in bold is a sentence
)

// blankByte is white space.
var blankByte = byteSet(" \t\n\f\r")

// skipBlank returns where white space that may begin at a place ends.
func skipBlank(text string, at int) int {
	for at < len(text) && blankByte[text[at]] {
		at++
	}
	return at
}

// lineAfter returns where the line after a place begins, or -1.
func lineAfter(text string, at int) int {
	end := strings.IndexByte(text[at:], '\n')
	if end < 0 {
		return -1
	}
	return at + end + 1
}

// nextCodeBlock returns where the first fenced block behind a place begins and ends, fences and all, or -1. One that isn't
// closed reaches to the end.
func nextCodeBlock(text string, at int) (begin, end int) {
	begin = strings.Index(text[at:], fence)
	if begin < 0 {
		return -1, -1
	}
	begin += at
	inside := begin + len(fence)
	if end = strings.Index(text[inside:], fence); end < 0 {
		return begin, len(text)
	}
	return begin, inside + end + len(fence)
}

// codeBlocks returns the fenced blocks of a text and the text with a space in place of each.
func codeBlocks(text string) (blocks []string, rest string) {
	c := cutter{text: text}
	for at := 0; ; {
		begin, end := nextCodeBlock(text, at)
		if begin < 0 {
			return blocks, c.result()
		}
		blocks = append(blocks, text[begin:end])
		c.cut(begin, end)
		at = end
	}
}

// eachCodeSpan visits what stands between two single backquotes in one line, with them.
func eachCodeSpan(text string, visit func(string)) {
	for at := 0; ; {
		begin := strings.IndexByte(text[at:], '`')
		if begin < 0 {
			return
		}
		begin += at
		end := begin + 1
		for end < len(text) && text[end] != '`' && text[end] != '\n' {
			end++
		}
		switch {
		case end == len(text):
			return
		case text[end] == '\n' || end == begin+1:
			at = end
		default:
			visit(text[begin : end+1])
			at = end + 1
		}
	}
}

// nextHeading returns where the first heading from a place on begins and ends, or -1: a line that begins with hashes, or that
// holds a few words in bold and no more. White space before it, lines too, belongs to it.
func nextHeading(text string, at int) (begin, end int) {
	if at > 0 && text[at-1] != '\n' {
		at = lineAfter(text, at)
	}
	for at >= 0 {
		mark := skipBlank(text, at)
		if mark == len(text) {
			break
		}
		switch text[mark] {
		case '#':
			end = hashHeadingEnd(text, mark)
		case '*':
			end = boldHeadingEnd(text, mark)
		default:
			end = -1
		}
		if end >= 0 {
			return at, end
		}
		at = lineAfter(text, mark)
	}
	return -1, -1
}

// hashHeadingEnd returns where a heading marked by hashes ends that may begin at a place, or -1. Hashes that end their line
// mark the next one.
func hashHeadingEnd(text string, at int) int {
	end := at
	for end < len(text) && text[end] == '#' {
		end++
	}
	if end-at > mostHashes || end == len(text) || !blankByte[text[end]] {
		return -1
	}
	end++
	if line := strings.IndexByte(text[end:], '\n'); line >= 0 {
		return end + line
	}
	return len(text)
}

// boldHeadingEnd returns where a heading in bold ends that may begin at a place, or -1: before the last line break of the
// white space that follows.
func boldHeadingEnd(text string, at int) int {
	const bold = "**"
	if !strings.HasPrefix(text[at:], bold) {
		return -1
	}
	at += len(bold)
	length := strings.IndexAny(text[at:min(len(text), at+(longestBoldRow+1)*utf8.UTFMax)], "*\n")
	if length <= 0 || utf8.RuneCountInString(text[at:at+length]) > longestBoldRow || !strings.HasPrefix(text[at+length:], bold) {
		return -1
	}
	at += length + len(bold)
	if at < len(text) && text[at] == ':' {
		at++
	}
	end := skipBlank(text, at)
	if end == len(text) {
		return end
	}
	if line := strings.LastIndexByte(text[at:end], '\n'); line >= 0 {
		return at + line
	}
	return -1
}

// withoutHeadings puts a space in place of headings.
func withoutHeadings(text string) string {
	if strings.IndexByte(text, '#') < 0 && strings.IndexByte(text, '*') < 0 {
		return text
	}
	c := cutter{text: text}
	for at := 0; ; {
		begin, end := nextHeading(text, at)
		if begin < 0 {
			return c.result()
		}
		c.cut(begin, end)
		at = end
	}
}

// hasListItem reports whether a line begins with a bullet or a number as those of a list do, and says something.
func hasListItem(text string) bool {
	for at := 0; at >= 0; {
		mark := skipBlank(text, at)
		if mark == len(text) {
			return false
		}
		if end := listMarkEnd(text, mark); end > 0 && end < len(text) && blankByte[text[end]] && skipBlank(text, end) < len(text) {
			return true
		}
		at = lineAfter(text, mark)
	}
	return false
}

// listMarkEnd returns where the mark of a list's item ends that may begin at a place, or -1.
func listMarkEnd(text string, at int) int {
	switch text[at] {
	case '-', '*', '+':
		return at + 1
	}
	number := len(leadingDigits(text[at:], len(text)))
	if at += number; number > 0 && at < len(text) && (text[at] == '.' || text[at] == ')') {
		return at + 1
	}
	return -1
}

// lettersAndDigits puts one space in place of all between small letters and digits of ASCII, and none at the ends.
func lettersAndDigits(text string) string {
	folded := make([]byte, 0, len(text))
	for i := range len(text) {
		if b := text[i]; isLower(b) || digit(b) {
			folded = append(folded, b)
		} else if n := len(folded); n > 0 && folded[n-1] != ' ' {
			folded = append(folded, ' ')
		}
	}
	return string(bytes.TrimSuffix(folded, []byte(" ")))
}
