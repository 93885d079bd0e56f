package scrubber

// anchorIndex finds the places where a rule's literal may stand: a bitmap over three-byte windows, so
// that text is read once whatever the number of rules. Letters are compared without case here; the
// rule's own literal is compared exactly afterwards.
type anchorIndex struct {
	bitmap  [2048]uint32 // one bit for each 16-bit hash of a window: 8 KiB stay in the first cache
	buckets map[uint32][]anchor
	table   [4096]anchorSlot
	lists   []anchor
}

type anchor struct {
	literal string
	offset  int // where the indexed window stands in the literal
	rule    int
	fold    bool
}

// anchorSlot is one entry of an open hash table from window to anchors.
type anchorSlot struct {
	window   uint32
	from, to uint16
}

// common ranks bytes by how often they stand in technical English, so that the rarest window is indexed.
const common = "etaoinsrhldcumfpgwybvkxjqz"

func rarity(b byte) int {
	for i := range len(common) {
		if common[i] == b|0x20 {
			return i
		}
	}
	return 30
}

func windowAt(s string, i int) uint32 {
	return uint32(s[i]|0x20)<<16 | uint32(s[i+1]|0x20)<<8 | uint32(s[i+2]|0x20)
}

func hashWindow(w uint32) uint32 { return w * 0x9E3779B1 >> 16 }

func (x *anchorIndex) add(rule int, r rule) {
	if x.buckets == nil {
		x.buckets = make(map[uint32][]anchor)
	}
	for _, literal := range r.anchors {
		best, score := 0, -1
		for i := 0; i+3 <= len(literal); i++ {
			if sc := rarity(literal[i]) + rarity(literal[i+1]) + rarity(literal[i+2]); sc > score {
				best, score = i, sc
			}
		}
		w := windowAt(literal, best)
		x.buckets[w] = append(x.buckets[w], anchor{literal, best, rule, r.fold})
	}
}

// build lays the buckets out flat.
func (x *anchorIndex) build() {
	for w, list := range x.buckets {
		h := hashWindow(w)
		x.bitmap[h>>5] |= 1 << (h & 31)
		from := len(x.lists)
		x.lists = append(x.lists, list...)
		slot := h & uint32(len(x.table)-1)
		for x.table[slot].to != 0 {
			slot = (slot + 1) & uint32(len(x.table)-1)
		}
		x.table[slot] = anchorSlot{w, uint16(from), uint16(len(x.lists))}
	}
	x.buckets = nil
}

// lookup returns the anchors of a window.
func (x *anchorIndex) lookup(w uint32) []anchor {
	slot := hashWindow(w) & uint32(len(x.table)-1)
	for x.table[slot].to != 0 {
		if x.table[slot].window == w {
			return x.lists[x.table[slot].from:x.table[slot].to]
		}
		slot = (slot + 1) & uint32(len(x.table)-1)
	}
	return nil
}

// matches tells whether the anchor's literal stands in text at i.
func (a anchor) matches(text string, i int) bool {
	if i < 0 || i+len(a.literal) > len(text) {
		return false
	}
	got := text[i : i+len(a.literal)]
	if !a.fold {
		return got == a.literal
	}
	for j := range len(got) {
		if lower(got[j]) != a.literal[j] {
			return false
		}
	}
	return true
}
