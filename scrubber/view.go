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
