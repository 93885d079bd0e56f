package scrubber

import (
	"html"
	"strconv"
	"strings"
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
	b := int(nibble(text[1])<<4 | nibble(text[2]))
	return oneByte[b : b+1], 3
}

// nibble is the value of a hex digit.
func nibble(c byte) byte {
	if is(c, clsDigit) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// oneByte holds every byte value once, so that a decoded byte needs no allocation.
var oneByte = func() string {
	var b [256]byte
	for i := range b {
		b[i] = byte(i)
	}
	return string(b[:])
}()

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
		return oneByte[r : r+1], len(text) - len(rest)
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
