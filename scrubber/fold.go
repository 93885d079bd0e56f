package scrubber

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fold reads a text as a person would: compatibility forms (full-width, bold, circled) and letters of other
// alphabets that look Latin become ASCII; invisible, control and invalid bytes are left out. ok is
// false if that changes nothing.
func fold(v *view, p *places) (view, bool) {
	text := v.text
	b := builder{places: p}
	b.start(v, len(text))
	changed := false
	for i := 0; i < len(text); {
		c := text[i]
		if c >= 0x20 && c < 0x7f || c == '\n' || c == '\t' {
			j := i + 1
			for j < len(text) && (text[j] >= 0x20 && text[j] < 0x7f || text[j] == '\n' || text[j] == '\t') {
				j++
			}
			b.copy(i, j)
			i = j
			continue
		}
		if c < 0x20 || c == 0x7f {
			end := i + 1
			switch {
			case c == 0x1b:
				end = control(text, i)
			case c == '\r' && i+1 < len(text) && text[i+1] == '\n':
			case c == '\r':
				b.add('\n', i, end)
			}
			changed = changed || c != '\r'
			i = end
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		var folded string
		var how runeFate
		if r >= 0xA0 && r < latinEnd {
			folded, how = latin[r].text, latin[r].fate
		} else {
			folded, how = foldRune(r, text[i:i+size])
		}
		switch how {
		case keepRune:
			b.copy(i, i+size)
		case markRune:
			if c := b.last(); c == 0 || c >= utf8.RuneSelf {
				b.copy(i, i+size)
			} else {
				changed = true
			}
		default:
			b.addString(folded, i, i+size)
			changed = true
		}
		i += size
	}
	return b.view(), changed
}

// control returns the end of an ANSI control sequence that begins at i.
func control(text string, i int) int {
	i++
	if i < len(text) && text[i] == '[' {
		i++
		for i < len(text) && text[i] >= 0x20 && text[i] < 0x40 {
			i++
		}
		if i < len(text) && text[i] >= 0x40 && text[i] < 0x7f {
			i++
		}
	}
	return i
}

type runeFate uint8

const (
	keepRune runeFate = iota
	markRune          // a combining mark: left out after an ASCII letter
	turnRune          // replaced; by nothing if the text is empty
)

// latin holds the answers for the letters that European text is full of.
const latinEnd = 0x500

var latin = func() (t [latinEnd]struct {
	text string
	fate runeFate
}) {
	for r := rune(0xA0); r < latinEnd; r++ {
		t[r].text, t[r].fate = foldRune(r, string(r))
	}
	return t
}()

func foldRune(r rune, text string) (string, runeFate) {
	switch {
	case r == utf8.RuneError: // also a real U+FFFD: what a broken decoder left
		return "", turnRune
	case r >= 0x3041 && r < 0x3100 || r >= 0x3400 && r < 0xA000 || r >= 0xAC00 && r < 0xD7A4:
		return "", keepRune // kana, ideographs and hangul have no ASCII reading
	case r == 0x85 || r == 0x2028 || r == 0x2029:
		return "\n", turnRune
	case r < 0xA0 || invisible(r):
		return "", turnRune
	case unicode.In(r, unicode.Mn, unicode.Me):
		return "", markRune
	case unicode.Is(unicode.Zs, r) || r == 0x2800:
		return " ", turnRune
	}
	if i, ok := lookalikes[r]; ok {
		return i, turnRune
	}
	if d := norm.NFKC.PropertiesString(text).Decomposition(); d != nil {
		return stripMarks(string(d)), turnRune
	}
	return "", keepRune
}

// stripMarks leaves out the marks that a decomposition put behind an ASCII letter.
func stripMarks(s string) string {
	if s[0] >= utf8.RuneSelf {
		return s
	}
	out := make([]byte, 0, len(s))
	for _, r := range s {
		if !unicode.Is(unicode.Mn, r) {
			out = utf8.AppendRune(out, r)
		}
	}
	return string(out)
}

// invisible holds for category Cf and the code points that Unicode says to ignore when they can't be shown.
// A list of the best known zero-width characters would miss U+034F, U+180E or U+3164.
func invisible(r rune) bool {
	switch {
	case r == 0x034F, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, r >= 0x180B && r <= 0x180F,
		r == 0x2065, r == 0x3164, r >= 0xFE00 && r <= 0xFE0F, r == 0xFFA0, r >= 0xFFF0 && r <= 0xFFF8,
		r >= 0x1BCA0 && r <= 0x1BCA3, r >= 0x1D173 && r <= 0x1D17A, r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}
	return unicode.Is(unicode.Cf, r)
}

// lookalikes are letters of the Cyrillic, Greek and Armenian alphabets, and signs, that print like ASCII.
var lookalikes = func() map[rune]string {
	m := make(map[rune]string)
	pairs := func(from, to string) {
		i := 0
		for _, r := range from {
			m[r] = to[i : i+1]
			i++
		}
	}
	pairs("АВЕЅІЈКМНОРСТУХҮЗԌԛԜҺаеѕіјорсухһԁԝԍӏҽгпьбѵк", "ABESIJKMHOPCTYXY3GQWHaesijopcyxhdwglernb6vk")
	pairs("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϜαικνορτυχϲϳγ", "ABEZHIKMNOPTYXCFaikvoptuxcjy")
	pairs("ՍՕօսոհցքզյ", "UOounhgpqj")
	pairs("ıɡɑʋᴄᴏᴜᴠᴡᴢꞌʼ‐‑‒–—−∕⁄։∶", "igavcouvwz''------//::")
	return m
}()
