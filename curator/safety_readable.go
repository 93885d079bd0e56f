package curator

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// lookalikes are letters of other scripts that are drawn like Latin ones, those that words of the signs need.
var lookalikes = map[rune]rune{
	'а': 'a', 'е': 'e', 'о': 'o', 'р': 'p', 'с': 'c', 'х': 'x', 'у': 'y', 'і': 'i', 'ѕ': 's', 'ј': 'j', 'ԁ': 'd', 'ɡ': 'g', 'ո': 'n', 'ѵ': 'v', 'ԝ': 'w',
	'α': 'a', 'ο': 'o', 'ρ': 'p', 'ν': 'v', 'ι': 'i', 'κ': 'k', 'τ': 't', 'υ': 'u', '’': '\'', '‘': '\'', '“': '"', '”': '"', 'ı': 'i', 'ß': 's', '：': ':', '，': ',',
}

// hiddenRun is how many characters that can't be seen in a row are text for machines: emoji have one or two, and flags are told apart.
const hiddenRun = 8

// readable returns a text as a careless reader takes it: lower case, letters as the Latin ones that they look like, without accents
// and what can't be seen, with one space or line break between words. Hidden tells that it held what only machines read: tag
// characters, marks that turn the order of writing, a run of characters without width.
func readable(text string) (plain string, hidden bool) {
	text = norm.NFKD.String(text)
	var b strings.Builder
	b.Grow(len(text))
	space, line, flag, unseen := false, false, false, 0
	for _, r := range text {
		if r < 0x80 && r > ' ' { // nearly all of it
			if space && b.Len() > 0 {
				b.WriteByte(breakOf(line))
			}
			space, line, flag, unseen = false, false, false, 0
			if r >= 'A' && r <= 'Z' {
				r += 'a' - 'A'
			}
			b.WriteByte(byte(r))
			continue
		}
		switch {
		case r == '\U0001F3F4':
			flag = true // a black flag may carry tags: they make England's flag of it
		case r >= 0xE0000 && r <= 0xE007F:
			hidden = hidden || !flag
			continue
		default:
			flag = false
		}
		switch {
		case r >= 0x202A && r <= 0x202E && r != 0x202C, r >= 0x2066 && r <= 0x2068:
			hidden = true
			continue
		case unicode.Is(unicode.Mn, r) && (r < 0xFE00 || r > 0xFE0F) && r < 0xE0100:
			continue // an accent
		case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Mn, r):
			unseen++
			hidden = hidden || unseen >= hiddenRun
			continue
		case unicode.IsSpace(r), r < ' ':
			space, line = true, line || r == '\n'
			continue
		}
		if space && b.Len() > 0 {
			b.WriteByte(breakOf(line))
		}
		space, line, unseen = false, false, 0
		r = unicode.ToLower(r)
		if latin, known := lookalikes[r]; known {
			r = latin
		}
		b.WriteRune(r)
	}
	return b.String(), hidden
}

// breakOf is what stands between two words.
func breakOf(line bool) byte {
	if line {
		return '\n'
	}
	return ' '
}
