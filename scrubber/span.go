package scrubber

import (
	"cmp"
	"slices"
	"strings"
)

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
