package index

import (
	"encoding/json"
	"iter"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonReader reads one JSON text from front to end, by what its caller expects next. It is for the answers to searches:
// encoding/json looks at each byte of them three times and allocates for each string, which was half of the service's
// work on a search. It trusts its text as far as Elasticsearch is trusted: what can't be read makes it fail, but it is
// no validator. Strings without escapes share the memory of the text.
type jsonReader struct {
	text   string
	at     int
	failed bool
}

// next returns the first byte of the next value or sign, 0 at the end.
func (r *jsonReader) next() byte {
	for ; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; c {
		case ' ', '\n', '\r', '\t':
		default:
			return c
		}
	}
	return 0
}

// fail gives up: nothing more is read.
func (r *jsonReader) fail() {
	r.failed, r.at = true, len(r.text)
}

// take takes a sign that must come next.
func (r *jsonReader) take(sign byte) bool {
	if r.next() != sign {
		r.fail()
		return false
	}
	r.at++
	return true
}

// null takes a null, if one comes next.
func (r *jsonReader) null() bool {
	if r.next() != 'n' {
		return false
	}
	r.literal()
	return true
}

// literal takes a number, true, false or null and returns its text.
func (r *jsonReader) literal() string {
	r.next()
	length := strings.IndexAny(r.text[r.at:], ",]} \n\r\t")
	if length < 0 {
		length = len(r.text) - r.at
	}
	if length == 0 {
		r.fail()
		return ""
	}
	r.at += length
	return r.text[r.at-length : r.at]
}

// members yields the names of an object's members, none for null. Who ranges over it must read each member's value.
func (r *jsonReader) members() iter.Seq[string] {
	return func(yield func(string) bool) {
		for first := true; r.more('{', '}', first); first = false {
			name := r.str()
			if !r.take(':') || !yield(name) {
				return
			}
		}
	}
}

// elements yields once for each element of a list, never for null. Who ranges over it must read each.
func (r *jsonReader) elements() iter.Seq[struct{}] {
	return func(yield func(struct{}) bool) {
		for first := true; r.more('[', ']', first); first = false {
			if !yield(struct{}{}) {
				return
			}
		}
	}
}

// more goes on to the next element of what stands between two signs, and reports whether there is one.
func (r *jsonReader) more(opening, closing byte, first bool) bool {
	switch {
	case r.failed || first && (r.null() || !r.take(opening)):
		return false
	case r.next() == closing:
		r.at++
		return false
	}
	return first || r.take(',')
}

// str reads a string; null is empty.
func (r *jsonReader) str() string {
	if r.null() {
		return ""
	}
	if !r.take('"') {
		return ""
	}
	rest := r.text[r.at:]
	end := strings.IndexByte(rest, '"')
	if end >= 0 && strings.IndexByte(rest[:end], '\\') < 0 {
		r.at += end + 1
		return rest[:end]
	}
	return r.escaped()
}

// escaped reads a string with escapes in it, from behind its first quote.
func (r *jsonReader) escaped() string {
	var out strings.Builder
	for quote := -1; ; {
		if quote < r.at {
			if quote = strings.IndexByte(r.text[r.at:], '"'); quote < 0 {
				r.fail()
				return ""
			}
			quote += r.at
			out.Grow(quote - r.at)
		}
		plain := strings.IndexByte(r.text[r.at:quote], '\\')
		if plain < 0 {
			out.WriteString(r.text[r.at:quote])
			r.at = quote + 1
			return out.String()
		}
		out.WriteString(r.text[r.at : r.at+plain])
		r.at += plain + 2
		switch c := r.text[r.at-1]; c {
		case 'n':
			out.WriteByte('\n')
		case 't':
			out.WriteByte('\t')
		case 'r':
			out.WriteByte('\r')
		case 'b':
			out.WriteByte('\b')
		case 'f':
			out.WriteByte('\f')
		case 'u':
			out.WriteRune(r.unicode())
		default: // a quote or a slash of either kind stands for itself
			out.WriteByte(c)
		}
	}
}

// unicode reads the digits of a \u escape, with those of a second one where the two are one character.
func (r *jsonReader) unicode() rune {
	first := r.hex()
	if utf16.IsSurrogate(first) && strings.HasPrefix(r.text[r.at:], `\u`) {
		before := r.at
		r.at += len(`\u`)
		if both := utf16.DecodeRune(first, r.hex()); both != utf8.RuneError {
			return both
		}
		r.at = before
	}
	return first // a lone half becomes U+FFFD when it is appended
}

// hex reads four hexadecimal digits.
func (r *jsonReader) hex() rune {
	if r.at+4 <= len(r.text) {
		if digits, err := strconv.ParseUint(r.text[r.at:r.at+4], 16, 32); err == nil {
			r.at += 4
			return rune(digits)
		}
	}
	r.fail()
	return utf8.RuneError
}

// number reads a number; null is 0.
func (r *jsonReader) number() float64 {
	text := r.literal()
	if text == "null" {
		return 0
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil {
		r.fail()
	}
	return number
}

// integer reads a whole number; null is 0.
func (r *jsonReader) integer() int64 {
	text := r.literal()
	if text == "null" {
		return 0
	}
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		r.fail()
	}
	return number
}

// strs reads a list of strings, or one string as a list of it; null is nil.
func (r *jsonReader) strs() []string {
	if r.next() == '"' {
		return []string{r.str()}
	}
	if r.null() {
		return nil
	}
	list := []string{}
	for range r.elements() {
		list = append(list, r.str())
	}
	return list
}

// raw reads any value and returns a copy of its text.
func (r *jsonReader) raw() json.RawMessage { return json.RawMessage(r.span(r.skip)) }

// span returns the text of the value that read reads, without a copy.
func (r *jsonReader) span(read func()) string {
	r.next()
	start := r.at
	read()
	return r.text[start:r.at]
}

// skip reads any value and forgets it.
func (r *jsonReader) skip() {
	for depth := 0; ; {
		switch r.next() {
		case '"':
			r.skipString()
		case '{', '[':
			depth++
			r.at++
		case '}', ']':
			depth--
			r.at++
		case ',', ':':
			r.at++
			continue
		case 0:
			r.fail()
			return
		default:
			r.literal()
		}
		if depth <= 0 {
			return
		}
	}
}

// skipString takes a string.
func (r *jsonReader) skipString() {
	for r.at++; ; {
		end := strings.IndexByte(r.text[r.at:], '"')
		if end < 0 {
			r.fail()
			return
		}
		r.at += end + 1
		slashes := 0
		for r.text[r.at-2-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return
		}
	}
}
