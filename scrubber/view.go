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

// seam tells whether something invisible was taken out just before text[i]. Rules take a seam as a
// boundary if they need one, and as nothing if they don't: the secret may begin there or run across it.
func (v *view) seam(i int) bool {
	return v.lo != nil && i > 0 && i < len(v.text) && v.hi[i-1] < v.lo[i]
}

// views reads the text in every way it may have been written.
func (sc *scan) views(text string) {
	sc.view = view{text: text}
	sc.rules(false)
}
