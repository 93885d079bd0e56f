package scrubber

import "strings"

// unwrap glues what was broken over lines: a line that is one unbroken token continues the line before
// (quote marks and comment signs before it dropped), and "a" + "b" is one string. The result holds only those
// places, each with the line it begins on. Words of prose meet here too, so only strict rules may read it.
func unwrap(v *view, p *places) (view, bool) {
	text := v.text
	b := builder{places: p}
	open := false // the line before is already in the builder
	from := 0     // what of the text is not yet in the builder, if open
	line := 0
	seams := newSeamFinder(text)
	for i := seams.next(0); i < len(text); i = seams.next(i) {
		end, next, ok := joint(text, line, i)
		if ok {
			if !open {
				if b.parent == nil {
					b.start(v, 256)
				}
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
				b.add('\n', i, i+1)
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
	if b.parent == nil {
		return view{}, false
	}
	return b.view(), true
}

// longestWrapped bounds how much of the line before is taken along.
const longestWrapped = 4096

// shortestWrapped is what two pieces measure together at least: the shortest strict secret has 26 characters, and
// two words of prose seldom as many.
const shortestWrapped = 20

// seamFinder finds the bytes at which one piece may end and another begin, in order. Text has few of them, and of most kinds none.
type seamFinder struct {
	text string
	at   [len(seamBytes)]int // the next of each kind; before the place that is asked for: it isn't known
}

const seamBytes = "\n\r+"

func newSeamFinder(text string) seamFinder {
	f := seamFinder{text: text}
	for kind := range f.at {
		f.at[kind] = -1
	}
	return f
}

// next returns the first seam from a place on, which must not be before the last one asked for.
func (f *seamFinder) next(from int) int {
	first := len(f.text)
	for kind := range f.at {
		if f.at[kind] < from {
			f.at[kind] = len(f.text)
			if n := strings.IndexByte(f.text[from:], seamBytes[kind]); n >= 0 {
				f.at[kind] = from + n
			}
		}
		first = min(first, f.at[kind])
	}
	return first
}

// longTail tells whether a line ends in an unbroken token of at least n characters.
func longTail(s string, n int) bool {
	i := len(s)
	for i > 0 && len(s)-i < n && is(s[i-1], clsPiece) {
		i--
	}
	return len(s)-i >= n
}

// maxGap bounds the decoration on either side of a break.
const maxGap = 40

// joint tells whether text before the break (or +) at i goes on after it: text[:end] is followed by text[next:].
func joint(text string, line, i int) (end, next int, ok bool) {
	end = i
	if text[i] == '+' && (i == line || strings.IndexByte(" \t\"'`", text[i-1]) < 0) {
		return 0, 0, false
	}
	for from := max(line, i-maxGap); end > from && is(text[end-1], clsTail); {
		end--
	}
	if end == line || !is(text[end-1], clsAlnum) && strings.IndexByte("_-.=/", text[end-1]) < 0 {
		return 0, 0, false
	}
	if text[i] == '+' {
		quote := strings.TrimSpace(text[end:i])
		if quote != `"` && quote != "'" && quote != "`" {
			return 0, 0, false
		}
		next = i + 1
		for next < min(len(text), i+maxGap) && is(text[next], clsSpace) {
			next++
		}
		if next+1 >= len(text) || text[next] != quote[0] || !is(text[next+1], clsAlnum) {
			return 0, 0, false
		}
		return end, next + 1, true
	}
	next = i + 1
	if text[i] == '\r' && next < len(text) && text[next] == '\n' {
		next++
	}
	for n := 0; next < len(text) && n < maxGap && is(text[next], clsLead); n++ {
		next++
	}
	stop := next
	for stop < len(text) && is(text[stop], clsPiece) {
		stop++
	}
	piece := stop - next
	if piece == 0 {
		return 0, 0, false
	}
	for stop < len(text) && strings.IndexByte(" \t\r\\\"'`+,;)]}>", text[stop]) >= 0 {
		stop++
	}
	if stop < len(text) && text[stop] != '\n' || piece < shortestWrapped && !longTail(text[line:end], shortestWrapped-piece) {
		return 0, 0, false
	}
	return end, next, true
}
