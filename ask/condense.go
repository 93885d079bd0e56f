package ask

import (
	"slices"
	"strings"
	"unicode"

	"agentlore/lore"
)

// MaxRead is how much of a text is read, in bytes; of a longer one Condense keeps the lines that say most.
const MaxRead = 20_000

const (
	// edgeLines is how many lines of the beginning and of the end are kept in any case: what was started, in which
	// version, and what came last.
	edgeLines = 15
	// maxLine is up to how many bytes a line is kept whole: of a longer one, JSON mostly, what is around telling
	// words is.
	maxLine = 1_000
	// aroundWord is how many bytes are kept on both sides of a telling word in such a line.
	aroundWord = 300
)

// Condense returns a text of at most MaxRead bytes: of a longer log's first and last lines, and between them
// those that say what went wrong, each kind of line once, the last ones first. "block 17 failed" and "block 18
// failed" are one kind.
func Condense(text string) string {
	if len(text) <= MaxRead {
		return text
	}
	var lines []string
	for line := range strings.SplitSeq(strings.ToValidUTF8(text, " "), "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if len(line) > maxLine {
			lines = append(lines, aroundTelling(line)...)
		} else {
			lines = append(lines, line)
		}
	}
	kept, size, seen := make([]bool, len(lines)), 0, map[string]bool{}
	keep := func(i int) {
		if !kept[i] && size+len(lines[i]) < MaxRead {
			kept[i], size = true, size+len(lines[i])+1
			seen[kindOfLine(lines[i])] = true
		}
	}
	for i := range min(edgeLines, len(lines)) {
		keep(len(lines) - 1 - i)
		keep(i)
	}
	for i, line := range slices.Backward(lines) {
		if size >= MaxRead {
			break
		}
		if !seen[kindOfLine(line)] && !frames.MatchString(line) && telling.MatchString(line) {
			keep(i)
		}
	}
	var said strings.Builder
	for i, line := range lines {
		if kept[i] {
			said.WriteString(line + "\n")
		}
	}
	return said.String()
}

// aroundTelling returns the parts of a long line that stand around telling words, its beginning where it has none.
func aroundTelling(line string) (parts []string) {
	end := 0
	for _, at := range telling.FindAllStringIndex(line, -1) {
		if at[0] < end {
			continue
		}
		from := max(end, at[0]-aroundWord)
		end = min(len(line), at[1]+aroundWord)
		parts = append(parts, strings.ToValidUTF8(line[from:end], ""))
	}
	if len(parts) == 0 {
		parts = append(parts, lore.CutAtWord(line, maxLine))
	}
	return parts
}

// kindOfLine returns a line without its numbers and hexadecimal values.
func kindOfLine(line string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, hexadecim.ReplaceAllString(line, ""))
}
