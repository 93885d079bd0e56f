package scrubber

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"unicode"
	"unicode/utf8"
)

const (
	maxDepth    = 2  // how deep encoded text inside encoded text is read
	minBase64   = 24 // shorter runs hold no secret worth the false alarms
	minHexBytes = 24
)

// blobs reads inside base64 and hex: a run that decodes to text with a secret in it goes as a whole.
func (sc *scan) blobs(depth int) {
	if depth >= maxDepth {
		return
	}
	text := sc.text
	for _, form := range [...]struct {
		class    uint32
		encoding *base64.Encoding
	}{{clsBase64, base64.RawStdEncoding}, {clsURL64, base64.RawURLEncoding}} {
		for lo, hi := range stretches(text, form.class, minBase64) {
			run := text[lo:hi]
			switch from := hexStart(run); {
			case form.class == clsURL64 && all(run, clsAlnum) &&
				!is(byteBefore(text, lo), clsBase64) && !is(byteAfter(text, hi), clsBase64): // the alphabets agree: it was read before
			case from >= 0:
				if decoded, err := hex.DecodeString(run[from : len(run)-(len(run)-from)&1]); err == nil {
					sc.inside(decoded, lo+from, hi, depth)
				}
			default:
				sc.base64(lo, hi, form.encoding, depth)
			}
		}
	}
}

func (sc *scan) base64(lo, hi int, encoding *base64.Encoding, depth int) {
	run := sc.text[lo:hi]
	if len(run)&3 == 1 {
		run = run[:len(run)-1]
	}
	// Words and identifiers decode to noise at once.
	var head [12]byte
	var src [16]byte
	copy(src[:], run)
	if n, err := encoding.Decode(head[:], src[:]); err != nil || printable(head[:n]) < 11 && head[0] < 0x80 {
		return
	}
	decoded := make([]byte, encoding.DecodedLen(len(run)))
	n, err := encoding.Decode(decoded, []byte(run))
	if err != nil && n == 0 {
		return
	}
	sc.inside(decoded[:n], lo, forward(sc.text[:min(len(sc.text), hi+2)], hi, clsPad), depth)
}

// hexStart returns where a run of at least minHexBytes of hex begins, an 0x left out, or -1.
func hexStart(run string) int {
	from := 0
	if len(run) > 2 && run[0] == '0' && run[1]|0x20 == 'x' {
		from = 2
	}
	if len(run)-from < 2*minHexBytes || !all(run[from:], clsHex) {
		return -1
	}
	return from
}

// printable counts the bytes of printable ASCII text.
func printable(b []byte) (n int) {
	for _, c := range b {
		if c >= 0x20 && c < 0x7f || c == '\n' || c == '\t' || c == '\r' {
			n++
		}
	}
	return n
}

// inside scans decoded bytes if at least 95 % of them are text, and emits [lo, hi) of the view if they hold
// a secret.
func (sc *scan) inside(decoded []byte, lo, hi, depth int) {
	good, total := 0, 0
	for i := 0; i < len(decoded); {
		r, size := utf8.DecodeRune(decoded[i:])
		total++
		if r != utf8.RuneError && (unicode.IsGraphic(r) || r == '\n' || r == '\t' || r == '\r') {
			good++
		}
		i += size
	}
	if total < 16 || good*100 < total*95 {
		return
	}
	outer, strict, before := sc.view, sc.strict, len(sc.spans)
	sc.views(string(decoded), depth+1)
	sc.view, sc.strict = outer, strict
	if len(sc.spans) > before {
		found := slices.MinFunc(sc.spans[before:], func(a, b span) int { return a.kind.rank() - b.kind.rank() })
		sc.spans = sc.spans[:before]
		sc.emit(found.kind, lo, hi)
	}
}
