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
	return hexByte(text, 1)
}

// hexByte reads the two digits at a place after the beginning of an escape.
func hexByte(s string, at int) (string, int) {
	if len(s) < at+2 || !all(s[at:at+2], clsHex) {
		return "", 0
	}
	b := byteAt(s[at:])
	return oneByte[b : int(b)+1], at + 2
}

// byteAt is the value of the two hex digits that begin a text.
func byteAt(s string) byte { return nibble(s[0])<<4 | nibble(s[1]) }

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

// backslash reads an escape of a string literal, of JSON or of Markdown.
func backslash(text string) (string, int) {
	switch c := text[1]; c {
	case 'n', 'r':
		return "\n", 2
	case 't', 'v', 'f':
		return "\t", 2
	case 'a', 'b', '\n':
		return "", 2
	case 'e':
		return "\x1b", 2
	case 'x', 'u', 'U':
		if s, n := hexByte(text, 2); c == 'x' && n > 0 {
			return s, n
		}
		return codePoint(text)
	case '0', '1', '2', '3':
		if len(text) >= 4 && all(text[2:4], clsDigit) && text[2] < '8' && text[3] < '8' {
			b := (c-'0')<<6 | (text[2]-'0')<<3 | (text[3] - '0')
			return oneByte[b : int(b)+1], 4
		}
		if c == '0' {
			return "", 2
		}
	default:
		if strings.IndexByte("\\\"'/`@_-.*#+=:[]()<>{}$%&!~|", c) >= 0 {
			return text[1:2], 2
		}
	}
	return "", 0
}

// codePoint reads \u{1F600}, \x{73}, \u0073, two of them for a pair of surrogates, or \U0001F600.
func codePoint(text string) (string, int) {
	from, end := 2, 6
	switch {
	case len(text) > 2 && text[2] == '{':
		from = 3
		end = forward(text[:min(len(text), 11)], from, clsHex)
		if end >= len(text) || text[end] != '}' {
			return "", 0
		}
	case text[1] == 'U':
		end = 10
	case text[1] == 'x':
		return "", 0
	}
	if end > len(text) || !all(text[from:end], clsHex) {
		return "", 0
	}
	r, err := strconv.ParseUint(text[from:end], 16, 32)
	if err != nil || r > utf8.MaxRune {
		return "", 0
	}
	if from == 3 {
		end++
	} else if utf16.IsSurrogate(rune(r)) && len(text) >= 12 && text[6:8] == `\u` && all(text[8:12], clsHex) {
		low, _ := strconv.ParseUint(text[8:12], 16, 32)
		if pair := utf16.DecodeRune(rune(r), rune(low)); pair != utf8.RuneError {
			return string(pair), 12
		}
	}
	return string(rune(r)), end
}
