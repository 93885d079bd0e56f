// Package scrubber removes secrets and personal data from text before anything is stored, logged or answered.
//
// A text is read through several views (as it came, folded, decoded, unwrapped). Rules emit spans on a
// view, spans are mapped back to the bytes that came, united, and each united span becomes one Marker.
// What is not part of a secret comes back byte for byte.
//
// The package does no I/O, keeps no state between calls, and its errors and reports never hold a value,
// a length, an offset or a hash of what was removed.
package scrubber

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

const (
	// maxBytes bounds the free text of one document: four times the largest body the API takes.
	maxBytes = 1 << 20

	// maxPasses bounds "repeat until nothing changes". Each pass only removes, so more than three is
	// a text built to cheat; such a text is removed whole.
	maxPasses = 4
)

// Config says how to scrub. The zero value is the service's default.
type Config struct {
	Literal bool // AGENTLORE_SCRUB_LITERAL: also apply the six patterns without boundaries, whatever they damage
}

// Scrubber holds the compiled rules. It is read-only and safe for concurrent use.
type Scrubber struct {
	rules   []rule
	anchors anchorIndex
	runs    []runRules // one for each class of bytes
	whole   []int      // rules that look at a whole view
	pool    sync.Pool
}

// New compiles the rules.
func New(c Config) *Scrubber {
	s := &Scrubber{rules: allRules()}
	if c.Literal {
		s.rules = append(s.rules, literalRules()...)
	}
	for i := range s.rules {
		r := &s.rules[i]
		if r.pattern != nil {
			r.find = r.match
		}
		switch {
		case len(r.anchors) > 0:
			s.anchors.add(i, r)
		case r.run > 0:
			r.class = cmp.Or(r.class, clsAlnum)
			s.addRun(i, r)
		default:
			s.whole = append(s.whole, i)
		}
	}
	s.pool.New = func() any { return &scan{s: s, next: make([]int, len(s.rules))} }
	return s
}

// text replaces every secret in a text by Marker and returns what was found, as kinds alone count: the places are of different passes.
// A second call on the result changes nothing. A text that comes to no end is removed whole. A panic is for the caller to recover,
// and to store nothing then.
func (s *Scrubber) text(in string) (out string, found []span) {
	sc := s.pool.Get().(*scan)
	defer sc.release()
	out = in
	for range maxPasses + 1 { // the last is to find nothing
		spans := sc.find(out)
		if len(spans) == 0 {
			return out, found
		}
		found = append(found, spans...)
		out = replace(out, spans)
	}
	return Marker, append(found, span{kind: KindUnscannable})
}

// Text returns a text without its secrets; the marker alone where it can't be scanned.
func (s *Scrubber) Text(in string) (out string) {
	defer func() {
		if recover() != nil {
			out = Marker
		}
	}()
	out, _ = s.text(in)
	return out
}

// Clean reports whether a text holds no secret: used to refuse a name that holds a secret, and for log lines.
func (s *Scrubber) Clean(in string) bool { return s.Text(in) == in }

// scan is the working state of one look at one text. Scans are pooled: a clean text costs no allocation.
type scan struct {
	s       *Scrubber
	*view                     // the view that rules read now
	strict  bool              // the view is an unwrapped one: pieces of it may not belong together
	spans   []span            // what was found, in bytes of the text that came
	next    []int             // for each rule, the position before which it need not look again
	resume  int               // the same for the rule that looks now
	tokens  []token           // scratch of findPhrase, with its marks
	marks   []uint64          // one bit a token
	work    int               // what is left for proofs; see afford
	layouts int               // what is left for looks at what stands between the words of a row
	refuted map[[32]byte]bool // public keys that were proved to be none in this text
	crosses bool              // the text is the fields of a document, a line each: a value may stand in the field after its name

	tableHead, tableEnd int // where the table begins and ends that column read last
}

// release returns the scan to the pool without any text in it.
func (sc *scan) release() {
	sc.view = nil
	clear(sc.refuted)
	sc.s.pool.Put(sc)
}

// begin forgets the text before.
func (sc *scan) begin() {
	sc.spans = sc.spans[:0]
	sc.work, sc.layouts, sc.crosses = budget, mostLayouts, false
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
	sc.resume = max(sc.resume, hi)
}

// budget bounds the time that proofs take in one text, in units of one to two microseconds. No harmless text within the API's limits
// comes near it: 40,000 characters hold 460 signatures. Beyond it candidates are removed without proof: fail closed.
const (
	budget      = 10_000
	costBase58  = 1   // the checksum of a number in base 58
	costKeypair = 20  // a multiplication on a curve
	costInflate = 200 // 64 kB of what gzip made
)

// afford takes cost from the budget and reports whether it was there.
func (sc *scan) afford(cost int) bool {
	if sc.work < cost {
		sc.work = 0
		return false
	}
	sc.work -= cost
	return true
}

// rules runs every rule on a view; only the strict ones on an unwrapped one.
func (sc *scan) rules(v *view, strict bool) {
	sc.view, sc.strict = v, strict
	clear(sc.next)
	sc.tableHead, sc.tableEnd = 0, 0
	sc.anchored()
	for i := range sc.s.runs {
		sc.runRules(&sc.s.runs[i])
	}
	for _, i := range sc.s.whole {
		if rule := &sc.s.rules[i]; rule.strict || !strict {
			rule.find(sc, 0, len(sc.text))
		}
	}
}

// runRules are the rules that look at long runs of one class of bytes.
type runRules struct {
	class    uint32
	shortest int // the shortest run that any of them wants
	rules    []int
}

func (s *Scrubber) addRun(i int, r *rule) {
	for k := range s.runs {
		if group := &s.runs[k]; group.class == r.class {
			group.shortest = min(group.shortest, r.run)
			group.rules = append(group.rules, i)
			return
		}
	}
	s.runs = append(s.runs, runRules{r.class, r.run, []int{i}})
}

func (sc *scan) runRules(group *runRules) {
	for lo, hi := range stretches(sc.text, group.class, group.shortest) {
		for _, i := range group.rules {
			if rule := &sc.s.rules[i]; hi-lo >= rule.run && (rule.strict || !sc.strict) {
				rule.find(sc, lo, hi)
			}
		}
	}
}

// span is a stretch of the text that came, [lo, hi) in bytes, that must go.
type span struct {
	lo, hi int
	kind   Kind
}

// unite sorts spans and joins those that overlap or touch. Replacing one rule's matches before the next rule
// looks would leave the tails of overlapping secrets behind. A span that is nothing but markers is dropped, and a
// marker that touches a span is taken into it.
func unite(text string, spans []span) []span {
	if len(spans) == 0 {
		return nil
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.lo, b.lo), cmp.Compare(b.hi, a.hi)) })
	out := spans[:0]
	for _, sp := range spans {
		if sp.hi <= sp.lo || isMarkers(text[sp.lo:sp.hi]) {
			continue
		}
		if len(out) > 0 && sp.lo <= out[len(out)-1].hi {
			last := &out[len(out)-1]
			last.hi = max(last.hi, sp.hi)
			if sp.kind.rank() < last.kind.rank() {
				last.kind = sp.kind
			}
			continue
		}
		out = append(out, sp)
	}
	for i := range out {
		for strings.HasSuffix(text[:out[i].lo], Marker) && (i == 0 || out[i-1].hi <= out[i].lo-len(Marker)) {
			out[i].lo -= len(Marker)
		}
		for strings.HasPrefix(text[out[i].hi:], Marker) && (i+1 == len(out) || out[i].hi+len(Marker) <= out[i+1].lo) {
			out[i].hi += len(Marker)
		}
	}
	return out
}

func isMarkers(text string) bool {
	for strings.HasPrefix(text, Marker) {
		text = text[len(Marker):]
	}
	return text == ""
}

// replace writes one Marker for each span. Spans are sorted and do not overlap.
func replace(text string, spans []span) string {
	var b strings.Builder
	b.Grow(len(text) + len(spans)*len(Marker))
	at := 0
	for _, sp := range spans {
		b.WriteString(text[at:sp.lo])
		b.WriteString(Marker)
		at = sp.hi
	}
	b.WriteString(text[at:])
	return b.String()
}
