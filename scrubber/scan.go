package scrubber

import "strings"

// scan is the working state of one look at one text. Scans are pooled: a clean text costs no allocation.
type scan struct {
	s       *Scrubber
	view                      // the view that rules read now
	places  places            // of the views of the text
	spans   []span            // what was found, in bytes of the text that came
	run     []listWord        // scratch of findMnemonic
	tokens  []token           // scratch of findPhrase, with marks and cells
	marks   []uint64          // one bit a token
	cells   []int32           // tokens
	numbers []number          // scratch of findKeypairNumbers
	next    []int             // for each rule, the position before which it need not look again
	strict  bool              // the view is an unwrapped one: pieces of it may not belong together
	work    int               // what is left for proofs by hash; see afford
	curve   int               // what is left for proofs on a curve
	regular int               // what is left for looks at layouts
	refuted map[[32]byte]bool // public keys that were proved to be none in this text
}

func newScan(s *Scrubber) *scan { return &scan{s: s, next: make([]int, len(s.rules))} }

// release gives the scan back without holding on to anybody's text.
func (sc *scan) release() {
	sc.view = view{}
	clear(sc.refuted)
	clear(sc.run[:cap(sc.run)])
	if cap(sc.tokens) > keptStretches {
		sc.tokens, sc.marks, sc.cells = nil, nil, nil
	}
	sc.spans = sc.spans[:0]
	sc.s.pool.Put(sc)
}

// begin forgets the text before.
func (sc *scan) begin() {
	sc.view = view{}
	sc.places.free()
	sc.spans = sc.spans[:0]
	sc.budget()
}

// find returns the united spans of a text.
func (sc *scan) find(text string) []span {
	sc.begin()
	sc.views(text, 0)
	return unite(text, sc.spans)
}

// emit records text[lo:hi] of the present view.
func (sc *scan) emit(kind Kind, lo, hi int) {
	if lo >= hi {
		return
	}
	rawLo, rawHi := sc.raw(lo, hi)
	sc.spans = append(sc.spans, span{rawLo, rawHi, kind})
}

// These bound the time that proofs take in one text: hashes in units of about a microsecond, multiplications on a
// curve (some 40 µs each) by number. No text within the API's limits comes near them: 40,000 characters hold
// 460 signatures. Beyond them candidates are removed without proof: fail closed.
const (
	hashBudget  = 10_000
	curveBudget = 500
)

func (sc *scan) budget() {
	sc.work, sc.curve, sc.regular = hashBudget, curveBudget, regularChecks
}

// afford takes cost from the budget and tells whether it was there.
func (sc *scan) afford(cost int) bool {
	if sc.work < cost {
		sc.work = 0
		return false
	}
	sc.work -= cost
	return true
}

// rules runs every rule on the present view; only the strict ones if strict is set.
func (sc *scan) rules(strict bool) {
	clear(sc.next)
	sc.strict = strict
	sc.anchored(strict)
	sc.longRuns(strict)
	if strings.IndexByte(sc.text, '@') >= 0 {
		sc.atSigns(strict)
	}
	for _, r := range sc.s.every {
		if rule := &sc.s.rules[r]; rule.strict || !strict {
			rule.find(sc, 0, len(sc.text))
		}
	}
	for i := range sc.s.literal {
		sc.s.literal[i].find(sc, strict)
	}
}

func (sc *scan) anchored(strict bool) {
	text, index := sc.text, &sc.s.index
	if len(text) < 3 {
		return
	}
	w := uint32(text[0]|0x20)<<8 | uint32(text[1]|0x20)
	for i := 2; i < len(text); i++ {
		w = (w<<8 | uint32(text[i]|0x20)) & 0xffffff
		h := hashWindow(w)
		if index.bitmap[h>>5]&(1<<(h&31)) == 0 {
			continue
		}
		for _, a := range index.lookup(w) {
			lo := i - 2 - a.offset
			rule := &sc.s.rules[a.rule]
			if lo < sc.next[a.rule] || strict && !rule.strict || !a.matches(text, lo) {
				continue
			}
			sc.next[a.rule] = rule.find(sc, lo, lo+len(a.literal))
		}
	}
}

// longRuns visits maximal runs of ASCII letters and digits. It probes one byte in every shortest run, so
// prose is hardly read.
func (sc *scan) longRuns(strict bool) {
	text, step := sc.text, sc.s.shortest
	for p := step - 1; p < len(text); {
		if !is(text[p], clsAlnum) {
			p += step
			continue
		}
		lo := back(text, p, clsAlnum)
		hi := forward(text, p, clsAlnum)
		if hi-lo >= step {
			for _, r := range sc.s.runs {
				if rule := &sc.s.rules[r]; hi-lo >= rule.run && (rule.strict || !strict) {
					rule.find(sc, lo, hi)
				}
			}
		}
		p = hi + step
	}
}

func (sc *scan) atSigns(strict bool) {
	for i := 0; i < len(sc.text); {
		j := strings.IndexByte(sc.text[i:], '@')
		if j < 0 {
			return
		}
		i += j
		for _, r := range sc.s.at {
			if rule := &sc.s.rules[r]; rule.strict || !strict {
				rule.find(sc, i, i+1)
			}
		}
		i++
	}
}
