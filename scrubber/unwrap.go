package scrubber

import "strings"

// unwrap glues what was broken over lines: a line that is one unbroken token continues the line before
// (quote marks and comment signs before it dropped), and "a" + "b" is one string. The result holds only those
// places, each with the line it begins on; nil if there are none. Words of prose meet here too, so only strict rules may read it.
func unwrap(v *view) *view {
	text := v.text
	b := builder{parent: v}
	open := false // the line before is already in the builder
	from := 0     // what of the text is not yet in the builder, if open
	line := 0
	for i := nextSeam(text, 0); i < len(text); i = nextSeam(text, i) {
		end, next, ok := joint(text, line, i)
		if ok {
			if !open {
				open, from = true, max(line, end-longestWrapped)
			}
			b.copy(from, end)
			from = next
			if text[i] != '+' {
				line = next
			}
			i = max(i+1, next)
			continue
		}
		if text[i] != '+' {
			if open {
				b.copy(from, i)
				b.put("\n", i, i+1)
				open = false
			}
			line = i + 1
		}
		i++
	}
	if open {
		end := len(text)
		if n := strings.IndexByte(text[from:], '\n'); n >= 0 {
			end = from + n
		}
		b.copy(from, end)
	}
	if b.pieces == nil {
		return nil
	}
	return b.view()
}

const (
	// longestWrapped bounds how much of the line before is taken along.
	longestWrapped = 4096
	// shortestWrapped is what two pieces measure together at least: the shortest strict secret has 26 characters, and
	// two words of prose seldom as many.
	shortestWrapped = 20
	// maxGap bounds the decoration on either side of a break.
	maxGap = 40
)

// nextSeam returns the next place from one on where one piece may end and another begin.
func nextSeam(text string, from int) int {
	if n := strings.IndexAny(text[from:], "\n\r+"); n >= 0 {
		return from + n
	}
	return len(text)
}

// joint reports whether text before the break (or +) at i goes on after it: text[:end] is followed by text[next:].
func joint(text string, line, i int) (end, next int, ok bool) {
	plus := text[i] == '+'
	if plus && (i == line || strings.IndexByte(" \t\"'`", text[i-1]) < 0) {
		return 0, 0, false
	}
	end = i
	for from := max(line, i-maxGap); end > from && is(text[end-1], clsTail); {
		end--
	}
	if end == line || !is(text[end-1], clsPiece) || text[end-1] == '+' {
		return 0, 0, false
	}
	if plus {
		quote := strings.TrimSpace(text[end:i])
		next = forward(text[:min(len(text), i+maxGap)], i+1, clsSpace)
		ok = len(quote) == 1 && strings.Contains("\"'`", quote) && strings.HasPrefix(text[next:], quote)
		return end, next + 1, ok && is(byteAfter(text, next+1), clsAlnum)
	}
	next = i + 1
	if text[i] == '\r' && next < len(text) && text[next] == '\n' {
		next++
	}
	next = forward(text[:min(len(text), next+maxGap)], next, clsLead)
	stop := forward(text, next, clsPiece)
	piece := stop - next
	if piece == 0 {
		return 0, 0, false
	}
	for stop < len(text) && strings.IndexByte(" \t\r\\\"'`+,;)]}>", text[stop]) >= 0 {
		stop++
	}
	if stop < len(text) && text[stop] != '\n' {
		return 0, 0, false
	}
	before := max(line, end-shortestWrapped)
	return end, next, piece+end-back(text[before:end], end-before, clsPiece)-before >= shortestWrapped
}
