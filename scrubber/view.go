package scrubber

import (
	"sort"
	"strings"
)

// view is one reading of a text.
type view struct {
	text   string
	parent *view   // what it was read from; nil: the text as it came
	pieces []piece // in order; each goes on to the next
	last   int     // the piece that was looked up last: the next look is seldom far
}

// piece says what the bytes of a view from at on stand for: the parent's from lo on, one by one, or, if hi isn't 0, all of them
// the parent's [lo, hi) together.
type piece struct{ at, lo, hi int32 }

// parents maps one byte of a view to its parent's bytes [lo, hi).
func (v *view) parents(i int) (lo, hi int) {
	if k := v.last; int(v.pieces[k].at) > i || k+1 < len(v.pieces) && int(v.pieces[k+1].at) <= i {
		v.last = sort.Search(len(v.pieces), func(k int) bool { return int(v.pieces[k].at) > i }) - 1
	}
	p := v.pieces[v.last]
	if p.hi > 0 {
		return int(p.lo), int(p.hi)
	}
	lo = int(p.lo-p.at) + i
	return lo, lo + 1
}

// raw maps text[lo:hi] of the view to the text as it came.
func (v *view) raw(lo, hi int) (int, int) {
	for ; v.parent != nil; v = v.parent {
		_, end := v.parents(hi - 1)
		lo, _ = v.parents(lo)
		hi = end
	}
	return lo, hi
}

// seam reports whether something was taken out just before text[i]. Rules take a seam as a boundary if they
// need one, and as nothing if they don't: the secret may begin there or run across it.
func (v *view) seam(i int) bool {
	if v.parent == nil || i <= 0 || i >= len(v.text) {
		return false
	}
	_, before := v.raw(i-1, i)
	after, _ := v.raw(i, i+1)
	return before < after
}

// builder writes a view of a parent.
type builder struct {
	parent *view
	text   strings.Builder
	pieces []piece
}

// last returns the byte written last, or 0.
func (b *builder) last() byte {
	if b.text.Len() == 0 {
		return 0
	}
	return b.text.String()[b.text.Len()-1]
}

// copy writes the parent's [lo, hi) as it is.
func (b *builder) copy(lo, hi int) {
	if lo == hi {
		return
	}
	at := int32(b.text.Len())
	if n := len(b.pieces) - 1; n < 0 || b.pieces[n].hi > 0 || b.pieces[n].lo-b.pieces[n].at != int32(lo)-at {
		b.pieces = append(b.pieces, piece{at: at, lo: int32(lo)})
	}
	b.text.WriteString(b.parent.text[lo:hi])
}

// put writes what stands for the parent's [lo, hi).
func (b *builder) put(s string, lo, hi int) {
	if s != "" {
		b.pieces = append(b.pieces, piece{int32(b.text.Len()), int32(lo), int32(hi)})
		b.text.WriteString(s)
	}
}

func (b *builder) view() *view {
	return &view{text: b.text.String(), parent: b.parent, pieces: b.pieces}
}

const (
	maxDecodes = 4  // how often escapes may be nested
	maxViews   = 12 // a text cannot make more work than this; none that people write comes near
)

// views reads the text in every way it may have been written. depth counts the layers of base64 or hex around it.
func (sc *scan) views(text string, depth int) {
	read := func(v *view, strict bool) {
		sc.rules(v, strict)
		sc.blobs(depth)
	}
	type step struct {
		*view
		decodes int // how many layers of escapes were undone
	}
	var room [maxViews]step
	queue := append(room[:0], step{&view{text: text}, 0})
	for i := 0; i < len(queue); i++ {
		at := queue[i]
		read(at.view, false)
		if joined := unwrap(at.view); joined != nil {
			read(joined, true)
		}
		next := [...]step{{fold(at.view), at.decodes}, {decode(at.view), at.decodes + 1}}
		for _, n := range next {
			known := n.view == nil || n.decodes > maxDecodes
			for _, s := range queue {
				known = known || s.text == n.text
			}
			if !known && len(queue) < maxViews {
				queue = append(queue, n)
			}
		}
	}
}

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
