package scrubber

import "strings"

// anchorIndex finds the places where a rule's literal may stand, by its first three bytes without regard to case: a text is
// read once, whatever the number of rules.
type anchorIndex struct {
	bitmap  [2048]uint32 // one bit for each 16-bit hash of three bytes: 8 KiB stay in the first cache
	anchors map[uint32][]anchor
}

// anchor is one literal of a rule.
type anchor struct {
	literal string
	rule    int
	fold    bool
}

// window is three bytes without regard to case; windowBit is where it has its bit in the bitmap.
func window(s string) uint32 { return uint32(s[0]|0x20)<<16 | uint32(s[1]|0x20)<<8 | uint32(s[2]|0x20) }

func windowBit(w uint32) (at, bit uint32) {
	hash := w * 0x9E3779B1 >> 16
	return hash >> 5, 1 << (hash & 31)
}

func (x *anchorIndex) add(rule int, r *rule) {
	if x.anchors == nil {
		x.anchors = make(map[uint32][]anchor)
	}
	for _, literal := range r.anchors {
		w := window(literal)
		at, bit := windowBit(w)
		x.bitmap[at] |= bit
		x.anchors[w] = append(x.anchors[w], anchor{literal, rule, r.fold})
	}
}

// standsIn reports whether the anchor's literal begins a text.
func (a anchor) standsIn(text string) bool {
	if len(text) < len(a.literal) {
		return false
	}
	text = text[:len(a.literal)]
	return text == a.literal || a.fold && strings.EqualFold(text, a.literal)
}

// anchored calls the anchored rules of the present view.
func (sc *scan) anchored() {
	text, index := sc.text, &sc.s.anchors
	if len(text) < 3 {
		return
	}
	w := uint32(text[0]|0x20)<<8 | uint32(text[1]|0x20)
	for i := 2; i < len(text); i++ {
		w = (w<<8 | uint32(text[i]|0x20)) & 0xffffff
		if at, bit := windowBit(w); index.bitmap[at]&bit == 0 {
			continue
		}
		lo := i - 2
		for _, a := range index.anchors[w] {
			rule := &sc.s.rules[a.rule]
			if lo < sc.next[a.rule] || sc.strict && !rule.strict || !a.standsIn(text[lo:]) {
				continue
			}
			sc.resume = lo + 1
			rule.find(sc, lo, lo+len(a.literal))
			sc.next[a.rule] = sc.resume
		}
	}
}
