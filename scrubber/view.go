package scrubber

// view is one reading of a text. Each byte knows the stretch of the original that it stands for.
type view struct {
	text   string
	lo, hi []int32 // nil: the text itself
}

// raw maps text[lo:hi] of the view to the original.
func (v *view) raw(lo, hi int) (int, int) {
	if v.lo == nil {
		return lo, hi
	}
	return int(v.lo[lo]), int(v.hi[hi-1])
}

// seam tells whether something was taken out just before text[i]. Rules take a seam as a boundary if they
// need one, and as nothing if they don't: the secret may begin there or run across it.
func (v *view) seam(i int) bool {
	return v.lo != nil && i > 0 && i < len(v.text) && v.hi[i-1] < v.lo[i]
}

// edge tells whether text[i-1] and text[i] are not both of class c, or a seam parts them.
func (v *view) edge(i int, c uint16) bool {
	return i <= 0 || i >= len(v.text) || !is(v.text[i-1], c) || !is(v.text[i], c) || v.seam(i)
}

// builder writes a view over a parent.
type builder struct {
	parent *view
	text   []byte
	lo, hi []int32
}

func newBuilder(parent *view, size int) builder {
	return builder{parent, make([]byte, 0, size), make([]int32, 0, size), make([]int32, 0, size)}
}

// add writes one byte that stands for the parent's [lo, hi).
func (b *builder) add(c byte, lo, hi int) {
	rawLo, rawHi := b.parent.raw(lo, hi)
	b.text = append(b.text, c)
	b.lo = append(b.lo, int32(rawLo))
	b.hi = append(b.hi, int32(rawHi))
}

// addString writes bytes that stand for the parent's [lo, hi) together.
func (b *builder) addString(s string, lo, hi int) {
	for i := range len(s) {
		b.add(s[i], lo, hi)
	}
}

// copy writes the parent's [lo, hi) as it is.
func (b *builder) copy(lo, hi int) {
	b.text = append(b.text, b.parent.text[lo:hi]...)
	if b.parent.lo == nil {
		for i := lo; i < hi; i++ {
			b.lo = append(b.lo, int32(i))
			b.hi = append(b.hi, int32(i+1))
		}
		return
	}
	b.lo = append(b.lo, b.parent.lo[lo:hi]...)
	b.hi = append(b.hi, b.parent.hi[lo:hi]...)
}

func (b *builder) view() view { return view{string(b.text), b.lo, b.hi} }

const (
	maxDecodes = 4  // how often escapes may be nested
	maxViews   = 12 // a text cannot make more work than this; none that people write comes near
)

// views reads the text in every way it may have been written. depth counts the layers of base64 or hex around it.
func (sc *scan) views(text string, depth int) {
	type step struct {
		view
		decodes int
	}
	marks := inspect(text)
	if marks == 0 { // printable ASCII without escapes or line breaks: there is nothing to unfold
		sc.view = view{text: text}
		sc.rules(false)
		sc.blobs(depth)
		return
	}
	queue := []step{{view{text: text}, 0}}
	for i := 0; i < len(queue); i++ {
		at := queue[i]
		sc.view = at.view
		sc.rules(false)
		sc.blobs(depth)
		marks := inspect(at.text)
		if marks&(markBreak|markPlus) != 0 {
			if joined, ok := unwrap(&at.view); ok {
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
				queue = append(queue, step{v, decodes})
			}
		}
		if marks&markOdd != 0 {
			if folded, ok := fold(&at.view); ok {
				push(folded, at.decodes)
			}
		}
		if marks&markEscape != 0 && at.decodes < maxDecodes {
			if decoded, ok := decode(&at.view); ok {
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
