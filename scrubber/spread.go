package scrubber

import "strings"

// spread removes secrets whose parts stand in several fields: a mnemonic with one word a tag or half in the
// summary, a key cut in two. The fields are read as the lines of one text, and only what crosses
// from one line to another is taken; each field loses its own part.
func (s *Scrubber) spread(fields []field, t tally) bool {
	if len(fields) < 2 {
		return false
	}
	starts := make([]int, 0, len(fields))
	length := 0
	for _, f := range fields {
		length += len(*f.value) + 1
	}
	var joined strings.Builder
	joined.Grow(length)
	for _, f := range fields {
		starts = append(starts, joined.Len())
		joined.WriteString(*f.value)
		joined.WriteByte('\n')
	}
	sc := s.pool.Get().(*scan)
	defer sc.release()
	spans := sc.crossing(joined.String(), starts)
	if len(spans) == 0 {
		return false
	}
	changed := false
	for i, f := range fields {
		var own []span
		for _, sp := range spans {
			lo, hi := max(sp.lo-starts[i], 0), min(sp.hi-starts[i], len(*f.value))
			if lo < hi {
				own = append(own, span{lo, hi, sp.kind})
			}
		}
		if own = unite(*f.value, own); len(own) > 0 {
			t.add(f.name, count(own, nil))
			*f.value = replace(*f.value, own)
			changed = true
		}
	}
	return changed
}

// crossing returns the spans of a joined text that hold the end of at least one line.
func (sc *scan) crossing(text string, starts []int) []span {
	sc.begin()
	plain := view{text: text}
	views := []view{plain}
	if inspect(text)&markOdd != 0 {
		if folded, ok := fold(&plain, &sc.places); ok {
			views = append(views, folded)
		}
	}
	for i := range views {
		sc.view = views[i]
		sc.mnemonicsAcross(starts[1:])
		if glued, ok := unwrap(&views[i], &sc.places); ok {
			sc.view = glued
			sc.rules(true)
			sc.blobs(0)
		}
	}
	out := sc.spans[:0]
	for _, sp := range sc.spans {
		for _, start := range starts[1:] {
			if sp.lo < start && sp.hi > start {
				out = append(out, sp)
				break
			}
		}
	}
	return unite(text, out)
}

// mnemonicsAcross finds the mnemonics that go on behind one of these places, where lines begin: what stands there is in them.
func (sc *scan) mnemonicsAcross(starts []int) {
	end := 0
	for _, start := range starts {
		if p := sc.place(start); p >= end {
			end = sc.mnemonicAround(p)
		}
	}
}
