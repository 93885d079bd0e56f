package scrubber

import (
	"bytes"
	"compress/gzip"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"html"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// decode undoes one layer of backslash escapes, percent encoding and HTML entities. It returns nil if there
// was none.
func decode(v *view) *view {
	text := v.text
	b := builder{parent: v}
	at := 0
	for i := 0; i < len(text); {
		if !is(text[i], clsEscape) {
			i++
			continue
		}
		s, n := escapeAt(text[i:])
		if n > 0 {
			if b.text.Cap() == 0 {
				b.text.Grow(len(text))
			}
			b.copy(at, i)
			b.put(s, i, i+n)
			at = i + n
		}
		i += max(n, 1)
	}
	if at == 0 {
		return nil
	}
	b.copy(at, len(text))
	return b.view()
}

// escapeAt returns what the escape that begins a text stands for and its length, or 0 if there is none.
func escapeAt(text string) (string, int) {
	switch {
	case len(text) < 2:
		return "", 0
	case text[0] == '&':
		return entity(text)
	case text[0] == '\\':
		return backslash(text)
	}
	if len(text) < 3 || !all(text[1:3], clsHex) { // percent encoding
		return "", 0
	}
	b, _ := strconv.ParseUint(text[1:3], 16, 8)
	return string([]byte{byte(b)}), 3
}

// entity reads &amp; or &#38;.
func entity(text string) (string, int) {
	const longest = 34
	end := strings.IndexByte(text[:min(len(text), longest)], ';') + 1
	if end < 4 || !all(strings.TrimPrefix(text[1:end-1], "#"), clsAlnum) {
		return "", 0
	}
	if s := html.UnescapeString(text[:end]); s != text[:end] {
		return s, end
	}
	return "", 0
}

// backslash reads an escape of a string literal, of JSON, of JavaScript or of Markdown.
func backslash(text string) (string, int) {
	if strings.HasPrefix(text[2:], "{") && (text[1] == 'u' || text[1] == 'x') { // \u{1F600}
		end := forward(text[:min(len(text), 11)], 3, clsHex)
		r, err := strconv.ParseUint(text[3:end], 16, 32)
		if err != nil || r > utf8.MaxRune || byteAfter(text, end) != '}' {
			return "", 0
		}
		return string(rune(r)), end + 1
	}
	if r, multibyte, rest, err := strconv.UnquoteChar(text, 0); err == nil {
		if multibyte {
			return string(r), len(text) - len(rest)
		}
		return string([]byte{byte(r)}), len(text) - len(rest)
	}
	switch c := text[1]; {
	case c == 'u' && len(text) >= 6 && all(text[2:6], clsHex): // half of a pair of surrogates
		high, _ := strconv.ParseUint(text[2:6], 16, 32)
		if len(text) >= 12 && text[6:8] == `\u` && all(text[8:12], clsHex) {
			low, _ := strconv.ParseUint(text[8:12], 16, 32)
			return string(utf16.DecodeRune(rune(high), rune(low))), 12
		}
		return string(utf8.RuneError), 6
	case c == '\n' || c == '0':
		return "", 2
	case c == 'e':
		return "\x1b", 2
	case strings.IndexByte("\"'/`@_-.*#+=:[]()<>{}$%&!~|", c) >= 0:
		return text[1:2], 2
	}
	return "", 0
}

const (
	maxDepth    = 3  // how deep encoded text inside encoded text is read
	minBase64   = 24 // shorter runs hold no secret worth the false alarms
	minHexBytes = 24
	minBase32   = 40      // five for three bytes
	maxInflated = 1 << 16 // of what gzip makes of a run
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
			case len(run) >= minBase32 && all(run, clsBase32) && !all(run, clsUpper): // a name may be in capitals
				if decoded, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(run); err == nil {
					sc.inside(decoded, lo, forward(text[:min(len(text), hi+6)], hi, clsPad), depth)
				}
			default:
				sc.base64(lo, hi, form.encoding, depth)
			}
		}
	}
}

// gzipHead begins what gzip made (RFC 1952): its sign, and the only method there is.
const gzipHead = "\x1f\x8b\x08"

// inflate reads what gzip made, at most maxInflated bytes of it: of a broken one what there is.
func inflate(packed []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil
	}
	text, _ := io.ReadAll(io.LimitReader(z, maxInflated))
	return text
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
	if n, err := encoding.Decode(head[:], src[:]); err != nil || printable(head[:n]) < 11 && head[0] < 0x80 && string(head[:3]) != gzipHead {
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
	if bytes.HasPrefix(decoded, []byte(gzipHead)) {
		if !sc.afford(costInflate) {
			sc.emit(KindContextual, lo, hi)
			return
		}
		decoded = inflate(bytes.Clone(decoded)) // itself it stays off the heap
	}
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
