package curator

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kindOf is the bit of each kind.
var kindOf = func() map[string]kind {
	bits := map[string]kind{}
	for i, of := range wordKinds {
		bits[of.name] = 1 << i // at most 62: a test counts them
	}
	bits["address"], bits["number"] = 1<<62, 1<<63
	return bits
}()

// vocabulary is wordKinds as a text is read by it.
var vocabulary = func() (v struct {
	words    map[string]kind
	phrases  map[string][]phrase // by their first word
	unspaced map[rune][]phrase   // by their first letter
}) {
	v.words, v.phrases, v.unspaced = map[string]kind{}, map[string][]phrase{}, map[rune][]phrase{}
	for _, of := range wordKinds {
		for word := range strings.FieldsSeq(of.words) {
			word, _ = readable(strings.NewReplacer("_", " ", "-", " ").Replace(word))
			first, _ := utf8.DecodeRuneInString(word)
			begin, _, several := strings.Cut(word, " ")
			switch {
			case unspaced(first):
				v.unspaced[first] = append(v.unspaced[first], phrase{word, kindOf[of.name]})
			case several:
				v.phrases[begin] = append(v.phrases[begin], phrase{word, kindOf[of.name]})
			default:
				v.words[word] |= kindOf[of.name]
			}
		}
	}
	return v
}()

// phrase is words in a row that are of a kind.
type phrase struct {
	text string
	kind kind
}

// unspaced reports whether a letter is of a script that is written without spaces, or with endings that the table's words lack.
func unspaced(r rune) bool {
	return r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// token is a word, or a phrase, of one of the kinds.
type token struct {
	kind     kind
	place    int // which word of the text it is
	sentence int
	begins   bool // what it says is an order if it can be: it begins a sentence, a line or a clause
}

// tokens returns the words of readable text that are of a kind.
func tokens(plain string) []token {
	r := tokenReader{plain: plain, open: true}
	for at := 0; at < len(plain); {
		c := plain[at]
		isWord := c >= utf8.RuneSelf || isWordByte(c) || strings.HasPrefix(plain[at:], ".env")
		first, size := utf8.DecodeRuneInString(plain[at:])
		switch {
		case !isWord:
			r.punctuation(at)
			at++
		case unspaced(first):
			at += r.unspaced(at, first, size)
		default:
			at = r.word(at)
		}
	}
	return r.found
}

// tokenReader reads a text word by word.
type tokenReader struct {
	plain           string
	found           []token
	place, sentence int
	open            bool // a word that comes now begins an order
	spoken          bool // the sentence speaks to its reader
}

// punctuation reads what is no word: it ends sentences and begins clauses.
func (r *tokenReader) punctuation(at int) {
	next := byte(' ')
	if at+1 < len(r.plain) {
		next = r.plain[at+1]
	}
	switch c := r.plain[at]; c {
	case '.', '!', '?', ';':
		if c == ';' && next == ' ' {
			r.open = true
		} else if !isWordByte(next) {
			r.sentence, r.open, r.spoken = r.sentence+1, true, false
		}
	case ':':
		if last := len(r.found) - 1; last >= 0 && r.found[last].place == r.place-1 && r.found[last].kind&kindOf["reader"] != 0 {
			r.found = append(r.found, token{kindOf["vocative"], r.place, r.sentence, false}) // "AI agents:"
			r.place++
		}
		r.open = true
	case '\n', ',', '(', '>', '#', '{', '[':
		r.open = true
	case '-', '"', '`', '*': // before a word, not behind or inside of one
		r.open = r.open || at > 0 && r.plain[at-1] <= ' '
	}
}

// unspaced reads a letter of a script without spaces, or the word that begins with it, and returns its length.
func (r *tokenReader) unspaced(at int, first rune, size int) (length int) {
	length = size
	for _, p := range vocabulary.unspaced[first] {
		if strings.HasPrefix(r.plain[at:], p.text) {
			r.found = append(r.found, token{p.kind, r.place, r.sentence, true})
			length = max(length, len(p.text))
		}
	}
	if length > size {
		r.place++
	}
	return length
}

// word reads a word, or the longest phrase that begins with it, and returns where it ends.
func (r *tokenReader) word(at int) (end int) {
	inWord := func(i int) bool { return i < len(r.plain) && (r.plain[i] >= utf8.RuneSelf || isWordByte(r.plain[i])) }
	end = at + 1
	for inWord(end) || end < len(r.plain) && (r.plain[end] == '.' || r.plain[end] == '\'') && inWord(end+1) {
		end++
	}
	word := r.plain[at:end]
	kinds := vocabulary.words[word] | shapeOf(word)
	for _, p := range vocabulary.phrases[word] {
		if length := p.in(r.plain[at:]); length > 0 {
			kinds |= p.kind
			end = max(end, at+length)
		}
	}
	if kinds != 0 {
		r.found = append(r.found, token{kinds, r.place, r.sentence, r.open})
	}
	r.spoken = r.spoken || kinds&speaksTo != 0
	r.open = r.open && kinds&keepsOpen != 0 || r.spoken && kinds&kindOf["modal"] != 0 ||
		word == "and" || word == "then" || word == "please" || word == "or"
	r.place++
	return end
}

// Kinds of words that say that a sentence speaks to its reader, and those behind which an order still begins.
var (
	speaksTo  = kindOf["reader"] | kindOf["vocative"] | kindOf["youare"] | kindOf["yours"]
	keepsOpen = kindOf["lead"] | kindOf["number"] | kindOf["reader"] | kindOf["vocative"]
)

// in returns the length of the phrase at the beginning of a text, 0 where it doesn't stand there. Lines break anywhere.
func (p phrase) in(text string) int {
	if len(text) < len(p.text) {
		return 0
	}
	for i := range len(p.text) {
		if a, b := p.text[i], text[i]; a != b && !(a == ' ' && (b == '\n' || b == '-')) {
			return 0
		}
	}
	if len(text) > len(p.text) && (isWordByte(text[len(p.text)]) || text[len(p.text)] >= utf8.RuneSelf) {
		return 0
	}
	return len(p.text)
}

// shapeOf tells words by their form.
func shapeOf(word string) kind {
	switch {
	case len(word) == 42 && strings.HasPrefix(word, "0x"), strings.HasSuffix(word, ".eth"),
		strings.HasSuffix(word, ".sol") && len(word) < 20 && !strings.ContainsAny(word, "/"):
		return kindOf["address"]
	case word[0] >= '0' && word[0] <= '9':
		return kindOf["number"]
	}
	return 0
}
