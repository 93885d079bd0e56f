package scrubber

import (
	"html"
	"strings"
	"unicode/utf8"
)

// decode undoes one layer of backslash escapes, percent encoding and HTML entities. ok is false if there
// was none.
func decode(v *view, p *places) (view, bool) {
	text := v.text
	first := nextEscape(text, 0)
	for first < len(text) {
		if _, n := escapeAt(text, first); n > 0 {
			break
		}
		first = nextEscape(text, first+1)
	}
	if first >= len(text) {
		return view{}, false
	}
	b := builder{places: p}
	b.start(v, len(text))
	at := 0
	for i := first; i < len(text); {
		s, n := escapeAt(text, i)
		if n == 0 {
			i = nextEscape(text, i+1)
			continue
		}
		b.copy(at, i)
		b.addString(s, i, i+n)
		i += n
		at = i
		i = nextEscape(text, i)
	}
	b.copy(at, len(text))
	return b.view(), true
}

func nextEscape(text string, i int) int {
	for i < len(text) && marksOf[text[i]]&markEscape == 0 {
		i++
	}
	return i
}

// escapeAt returns what the escape at i stands for and its length, or 0 if there is none.
func escapeAt(text string, i int) (string, int) {
	rest := text[i:]
	switch rest[0] {
	case '%':
		if b, ok := hexByte(rest[1:]); ok {
			return oneByte[b : int(b)+1], 3
		}
	case '&':
		return entity(rest)
	case '\\':
		return backslash(rest)
	}
	return "", 0
}

// oneByte holds every byte value once, so that a decoded byte needs no allocation.
var oneByte = func() string {
	var b [256]byte
	for i := range b {
		b[i] = byte(i)
	}
	return string(b[:])
}()

func hexByte(s string) (byte, bool) {
	if len(s) < 2 || !is(s[0], clsHex) || !is(s[1], clsHex) {
		return 0, false
	}
	return nibble(s[0])<<4 | nibble(s[1]), true
}

func nibble(c byte) byte {
	if is(c, clsDigit) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// hexRune reads between low and high hex digits.
func hexRune(s string, low, high int) (r rune, n int) {
	for n < len(s) && n < high && is(s[n], clsHex) {
		r = r<<4 | rune(nibble(s[n]))
		n++
	}
	if n < low || r > utf8.MaxRune {
		return 0, 0
	}
	return r, n
}

func entity(rest string) (string, int) {
	end := strings.IndexByte(rest[:min(len(rest), 34)], ';')
	if end < 3 {
		return "", 0
	}
	body := rest[1:end]
	if body[0] == '#' {
		var r rune
		n := 0
		if body[1]|0x20 == 'x' {
			if r, n = hexRune(body[2:], 1, 6); n != len(body)-2 || n == 0 {
				return "", 0
			}
		} else {
			for _, c := range []byte(body[1:]) {
				if !is(c, clsDigit) || r > utf8.MaxRune {
					return "", 0
				}
				r = r*10 + rune(c-'0')
			}
		}
		if r > utf8.MaxRune {
			return "", 0
		}
		return string(r), end + 1
	}
	if !all(body, clsAlnum) {
		return "", 0
	}
	if s := html.UnescapeString(rest[:end+1]); s != rest[:end+1] {
		return s, end + 1
	}
	return "", 0
}

func backslash(rest string) (string, int) {
	if len(rest) < 2 {
		return "", 0
	}
	switch c := rest[1]; c {
	case 'n', 'r':
		return "\n", 2
	case 't', 'v', 'f':
		return "\t", 2
	case 'a', 'b':
		return "", 2
	case 'e':
		return "\x1b", 2
	case '\\', '"', '\'', '/', '`', '@', '_', '-', '.', '*', '#', '+', '=', ':', '[', ']', '(', ')', '<', '>', '{', '}', '$', '%', '&', '!', '~', '|':
		return rest[1:2], 2
	case '\n':
		return "", 2
	case 'x':
		if b, ok := hexByte(rest[2:]); ok {
			return oneByte[b : int(b)+1], 4
		}
		if r, n := braced(rest[2:]); n > 0 {
			return string(r), n + 2
		}
	case 'u':
		if r, n := hexRune(rest[2:], 4, 4); n == 4 {
			if r >= 0xD800 && r < 0xDC00 && strings.HasPrefix(rest[6:], `\u`) {
				if low, n := hexRune(rest[8:], 4, 4); n == 4 && low >= 0xDC00 && low < 0xE000 {
					return string((r-0xD800)<<10 | (low - 0xDC00) + 0x10000), 12
				}
			}
			return string(r), 6
		}
		if r, n := braced(rest[2:]); n > 0 {
			return string(r), n + 2
		}
	case 'U':
		if r, n := hexRune(rest[2:], 8, 8); n == 8 {
			return string(r), 10
		}
	case '0', '1', '2', '3':
		if len(rest) >= 4 && rest[2] >= '0' && rest[2] < '8' && rest[3] >= '0' && rest[3] < '8' {
			b := (c-'0')<<6 | (rest[2]-'0')<<3 | (rest[3] - '0')
			return oneByte[b : int(b)+1], 4
		}
		if c == '0' {
			return "", 2
		}
	}
	return "", 0
}

// braced reads {HEX}.
func braced(s string) (rune, int) {
	if len(s) < 3 || s[0] != '{' {
		return 0, 0
	}
	r, n := hexRune(s[1:], 1, 8)
	if n == 0 || n+1 >= len(s) || s[n+1] != '}' {
		return 0, 0
	}
	return r, n + 2
}
