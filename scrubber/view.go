package scrubber

import (
	"slices"
	"sort"
	"strings"
)

// view is one reading of a text. Each byte knows the stretch of the original that it stands for.
type view struct {
	text string
	from []stretch // nil: the text itself
}

// stretch is [lo, hi) of the original.
type stretch struct{ lo, hi int32 }

// raw maps text[lo:hi] of the view to the original.
func (v *view) raw(lo, hi int) (int, int) {
	if v.from == nil {
		return lo, hi
	}
	return int(v.from[lo].lo), int(v.from[hi-1].hi)
}

// place returns where in the view stands what the original has at a place, or behind it.
func (v *view) place(raw int) int {
	if v.from == nil {
		return raw
	}
	return sort.Search(len(v.from), func(i int) bool { return int(v.from[i].lo) >= raw })
}

// seam tells whether something was taken out just before text[i]. Rules take a seam as a boundary if they
// need one, and as nothing if they don't: the secret may begin there or run across it.
func (v *view) seam(i int) bool {
	return v.from != nil && i > 0 && i < len(v.text) && v.from[i-1].hi < v.from[i].lo
}

// places are the stretches of the views of one text. They take eight times as much room as the text, half of all that a look
// at it would allocate, so the room is used again for the next text.
type places struct{ spare, used [][]stretch }

const (
	keptStretches = 64 << 10 // more than a field of 20,000 letters has
	keptPlaces    = 4        // few texts have more views
)

// take returns room for so many stretches.
func (p *places) take(size int) []stretch {
	last := len(p.spare) - 1
	if last < 0 {
		return make([]stretch, 0, size)
	}
	room := p.spare[last]
	p.spare = p.spare[:last]
	return slices.Grow(room[:0], size)
}

// free makes all room spare. No view of the text before may be read from here on.
func (p *places) free() {
	for _, room := range p.used {
		if cap(room) <= keptStretches && len(p.spare) < keptPlaces {
			p.spare = append(p.spare, room)
		}
	}
	clear(p.used)
	p.used = p.used[:0]
}

// builder writes a view over a parent.
type builder struct {
	places *places
	parent *view
	text   strings.Builder
	from   []stretch
}

func (b *builder) start(parent *view, size int) {
	b.parent = parent
	b.text.Grow(size)
	b.from = b.places.take(size)
}

// last returns the byte written last, or 0.
func (b *builder) last() byte {
	if b.text.Len() == 0 {
		return 0
	}
	return b.text.String()[b.text.Len()-1]
}

// add writes one byte that stands for the parent's [lo, hi).
func (b *builder) add(c byte, lo, hi int) {
	rawLo, rawHi := b.parent.raw(lo, hi)
	b.text.WriteByte(c)
	b.from = append(b.from, stretch{int32(rawLo), int32(rawHi)})
}

// addString writes bytes that stand for the parent's [lo, hi) together.
func (b *builder) addString(s string, lo, hi int) {
	for i := range len(s) {
		b.add(s[i], lo, hi)
	}
}

// copy writes the parent's [lo, hi) as it is.
func (b *builder) copy(lo, hi int) {
	b.text.WriteString(b.parent.text[lo:hi])
	if b.parent.from != nil {
		b.from = append(b.from, b.parent.from[lo:hi]...)
		return
	}
	n := len(b.from)
	b.from = slices.Grow(b.from, hi-lo)[:n+hi-lo]
	for i, tail := lo, b.from[n:]; i < hi; i++ {
		tail[i-lo] = stretch{int32(i), int32(i + 1)}
	}
}

func (b *builder) view() view {
	b.places.used = append(b.places.used, b.from)
	return view{b.text.String(), b.from}
}

const (
	maxDecodes = 4  // how often escapes may be nested
	maxViews   = 12 // a text cannot make more work than this; none that people write comes near
)

// step is a view that waits to be read.
type step struct {
	view
	marks   uint8
	decodes int
}

// views reads the text in every way it may have been written. depth counts the layers of base64 or hex around it.
func (sc *scan) views(text string, depth int) {
	marks := inspect(text)
	if marks == 0 { // printable ASCII without escapes or line breaks: there is nothing to unfold
		sc.view = view{text: text}
		sc.rules(false)
		sc.blobs(depth)
		return
	}
	var room [maxViews]step
	queue := append(room[:0], step{view{text: text}, marks, 0})
	for i := 0; i < len(queue); i++ {
		at := queue[i]
		sc.view = at.view
		sc.rules(false)
		sc.blobs(depth)
		if at.marks&(markBreak|markPlus) != 0 {
			if joined, ok := unwrap(&at.view, &sc.places); ok {
				sc.view = joined
				sc.rules(true)
				sc.blobs(depth)
			}
		}
		push := func(v view, decodes int) {
			for _, s := range queue {
				if s.text == v.text {
					return
				}
			}
			if len(queue) < maxViews {
				queue = append(queue, step{v, inspect(v.text), decodes})
			}
		}
		if at.marks&markOdd != 0 {
			if folded, ok := fold(&at.view, &sc.places); ok {
				push(folded, at.decodes)
			}
		}
		if at.marks&markEscape != 0 && at.decodes < maxDecodes {
			if decoded, ok := decode(&at.view, &sc.places); ok {
				push(decoded, at.decodes+1)
			}
		}
	}
}

// Marks say which views a text can have beside itself.
const (
	markOdd    uint8 = 1 << iota // bytes that are not printable ASCII
	markEscape                   // \ % &
	markBreak                    // line breaks
	markPlus                     // + between string literals
)

var marksOf = func() (t [256]uint8) {
	for i := range t {
		if i < 0x20 || i >= 0x7f {
			t[i] = markOdd
		}
	}
	t['\t'] = 0
	t['\n'], t['\r'] = markBreak, markBreak
	t['\\'], t['%'], t['&'] = markEscape, markEscape, markEscape
	t['+'] = markPlus
	return t
}()

func inspect(text string) (marks uint8) {
	for i := range len(text) {
		marks |= marksOf[text[i]]
	}
	return marks
}
